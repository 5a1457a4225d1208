import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { findPython, pythonEnvironment, runScript } from '../support/python.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

interface Report {
  readonly client: string
  readonly version: string
  readonly steps: readonly { readonly name: string; readonly success: boolean; readonly error?: string }[]
  readonly media_buy_id: string
  readonly creatives: readonly { readonly creative_id: string; readonly action: string }[]
  readonly deliveries: readonly string[]
}

const STEPS = [
  ...['get_adcp_capabilities', 'get_products', 'sync_accounts', 'create_media_buy', 'sync_creatives', 'list_creatives'],
  ...['get_media_buy_delivery', 'get_media_buys', 'update_media_buy'],
]
/** The install of the packages, and the start of a client, which alone takes seconds. */
const PATIENCE = 600_000

const found = await findPython()
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if ('reason' in found) console.log(`Earlier Python clients are not tested: ${found.reason}.`)

describe.skipIf('reason' in found).each([
  ['6.6.0', 'in the words of 3.0', []],
  ['7.0.3', 'in the words of 3.0', []],
  ['7.0.3', 'in canonical formats', ['--canonical']],
])('the official client %s for Python, %s', (release, _words, more) => {
  let agent: TestAgent
  let report: Report

  beforeAll(async () => {
    const python = await pythonEnvironment('python' in found ? found.python : '', `earlier/requirements-${release}.txt`)
    agent = await startAgent({ demo: true, contracts: loadContracts() })
    const args = ['--mcp', agent.url, '--brief', 'display banners for coffee drinkers', ...more]
    report = (await runScript(python, 'earlier_buy.py', args, agent.key)) as Report
  }, PATIENCE)
  afterAll(() => agent?.stop())

  it('asks for AdCP 3.1 and goes through a whole buy', () => {
    expect(report).toMatchObject({ client: release, version: '3.1' })
    expect(report.steps.map(({ name }) => name)).toEqual(STEPS)
    const failed = report.steps.filter(({ success }) => !success)
    expect(failed).toEqual([])
  })

  it('uploaded its creative, read delivery and cancelled the buy that the seller has', async () => {
    expect(report.creatives).toEqual([{ creative_id: 'earlier-banner', action: 'created' }])
    expect(report.deliveries).toEqual([report.media_buy_id])
    const account = { brand: { domain: 'earlier-client.example' }, operator: 'agency.example' }
    const { data } = await agent.buyer.call('get_media_buys', { account, media_buy_ids: [report.media_buy_id] })
    expect(data.media_buys).toMatchObject([{ media_buy_id: report.media_buy_id, status: 'canceled' }])
  })
})
