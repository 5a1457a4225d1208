import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CommandLine, type Served } from '../../tools/agent/command-line.ts'

const line = new CommandLine()
let server: Served
let key: string
beforeAll(async () => {
  key = (await line.json('init', '--demo')).key
  server = await line.serve()
})
afterAll(() => line.close())

/** `try` takes its default address from the configuration, as every command does. */
const onPort = () => ({ SALES_AGENT_PORT: new URL(server.origin).port })

describe('try', () => {
  test('plays a first buy with a key of its own, an approval by the publisher, and delivery above zero', async () => {
    const { code, stdout, stderr } = await line.run(['try', server.mcpUrl, '--data', line.data])
    expect([code, stderr]).toEqual([0, ''])
    const calls = [...stdout.matchAll(/^\d+\. (\w+: .*)$/gm)].map(([, call = '']) => call.replace(/ task_\S+/, ''))
    expect(calls).toEqual([
      'buyer: get_adcp_capabilities',
      'buyer: get_products',
      'buyer: sync_accounts',
      'buyer: create_media_buy',
      'publisher: sales-agent approvals approve',
      'buyer: get_task_status',
      'buyer: list_creative_formats',
      'buyer: sync_creatives',
      'buyer: get_media_buy_delivery',
    ])
    expect(stdout).toContain('sandbox account: delivery is simulated')
    const [, impressions, spend] = /has delivered (\d+) impressions for ([\d.]+) USD/.exec(stdout) ?? []
    expect(Number(impressions)).toBeGreaterThan(0)
    expect(Number(spend)).toBeGreaterThan(0)
  })

  test('--json holds every request and answer; the approval is in the audit log', async () => {
    const { stdout } = await line.run(['try', '--data', line.data, '--key', key, '--json'], onPort())
    const buy = JSON.parse(stdout)
    expect(buy).toMatchObject({ agent_url: server.mcpUrl, media_buy_id: expect.stringMatching(/^mb_/), currency: 'USD' })
    const order = buy.steps.find((step: { call: string }) => step.call === 'create_media_buy')
    expect(order).toMatchObject({ request: { account: { sandbox: true } }, answer: { status: 'submitted' } })
    const entries = JSON.stringify(await line.json('audit', 'list'))
    expect(entries).toContain('approvals.approve')
  })

  test('with an address and a key it is a buyer only: an order that the publisher has to approve is not approved', async () => {
    const { code, stderr } = await line.run(['try', server.mcpUrl, '--key', key, '--wait', '1'])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/not decided on (task_\S+) yet.*approvals approve \1.*--wait/)])
  })

  test('without a key and a data folder it says what is needed', async () => {
    const { code, stderr } = await line.run(['try', 'http://127.0.0.1:1/mcp'])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/--key.*--data/)])
  })

  test('a refused key and an address without a server are reported with the address', async () => {
    const refused = await line.run(['try', server.mcpUrl, '--key', 'sk_000000000000_nothing'])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`${server.mcpUrl} answers HTTP 401`)])
    const absent = await line.run(['try', 'http://127.0.0.1:1/mcp', '--key', key])
    expect([absent.code, absent.stderr]).toEqual([1, expect.stringContaining('no answer from http://127.0.0.1:1/mcp')])
  })

  test('where a person reviews every creative, the publisher approves that too', async () => {
    await line.run(['creatives', 'review', 'manual', '--data', line.data])
    const { code, stdout, stderr } = await line.run(['try', server.mcpUrl, '--data', line.data])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/publisher: sales-agent approvals approve creative:\S+:try-/)
    expect(stdout).toMatch(/has delivered \d+ impressions/)
  })
})
