import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { findPython, pythonEnvironment, runScript } from '../support/python.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

interface Step {
  readonly name: string
  readonly success: boolean
  readonly products?: readonly string[]
  readonly [fact: string]: unknown
}

interface Run {
  readonly protocol: string
  readonly pin: string
  readonly steps: readonly Step[]
  readonly products: readonly { readonly product_id: string; readonly format_options: readonly object[] }[]
  readonly media_buys: readonly string[]
}

interface PlainBuy {
  readonly products: readonly string[]
  readonly created: string
  readonly listed: readonly string[]
}

const BRIEF = 'video, banners and podcasts for coffee drinkers'
const PINS = ['none', '3.0', '3.1', '3.2']
const STEPS = [
  ...['get_adcp_capabilities', 'get_products', 'sync_accounts', 'create_media_buy', 'get_media_buys', 'update_media_buy'],
  ...['sync_creatives', 'list_creatives', 'get_media_buy_delivery', 'get_media_buys', 'cancel'],
]
/** Eight whole buys by a client whose start alone takes seconds, beside other work on two cores; and the install of its packages before. */
const PATIENCE = 1_500_000

const found = await findPython()
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if ('reason' in found) console.log(`The Python clients are not tested: ${found.reason}.`)

describe.skipIf('reason' in found)('the official clients for Python', () => {
  let agent: TestAgent
  let python: string
  const addresses = () => ['--mcp', agent.url, '--a2a', new URL(agent.url).origin]
  const idsOf = async (request: object) => {
    const { data } = await agent.buyer.call('get_products', request)
    return data.products.map((product: { product_id: string }) => product.product_id)
  }

  beforeAll(async () => {
    python = await pythonEnvironment('python' in found ? found.python : '')
    agent = await startAgent({ demo: true, contracts: loadContracts() })
  }, PATIENCE)
  afterAll(() => agent?.stop())

  describe('the AdCP client goes through a whole buy', () => {
    const runs = new Map<string, Run>()
    const runOf = (protocol: string, pin: string) => {
      const run = runs.get(`${protocol} ${pin}`)
      if (!run) throw new Error(`no run over ${protocol} at ${pin}`)
      return run
    }
    const stepOf = (run: Run, name: string) => run.steps.findLast((step) => step.name === name)

    beforeAll(async () => {
      const args = [...addresses(), '--brief', BRIEF, '--pins', PINS.join(',')]
      const report = (await runScript(python, 'whole_buy.py', args, agent.key)) as { runs: Run[] }
      for (const run of report.runs) runs.set(`${run.protocol} ${run.pin}`, run)
    }, PATIENCE)

    const combinations = ['mcp', 'a2a'].flatMap((protocol) => PINS.map((pin) => [protocol, pin] as const))
    describe.each(combinations)('over %s with pin %s', (protocol, pin) => {
      it('reports the success of every step', () => {
        const { steps } = runOf(protocol, pin)
        expect(steps.filter((step) => !step.success)).toEqual([])
        expect(steps.map((step) => step.name).filter((name) => name !== 'wholesale')).toEqual(STEPS)
      })

      it('receives every product that the same question gives over plain MCP, with a declaration of each format', async () => {
        const { products } = runOf(protocol, pin)
        const asked = { buying_mode: 'brief', brief: BRIEF, adcp_major_version: 3 }
        const plain = await idsOf({ ...asked, pagination: { max_results: 100 } })
        expect(plain.length).toBeGreaterThan(5)
        expect(products.map((product) => product.product_id)).toEqual(plain)
        for (const product of products) expect(product.format_options, product.product_id).not.toEqual([])
      })

      it('is told of the buy that was created, and of no other state than the one that the seller keeps', async () => {
        const run = runOf(protocol, pin)
        expect(run.media_buys).toHaveLength(1)
        const account = { brand: { domain: `${protocol}-${pin.replace('.', '-')}.example` }, operator: 'agency.example' }
        const { data } = await agent.buyer.call('get_media_buys', {
          account,
          status_filter: ['canceled', 'active', 'pending_start'],
        })
        expect(data.media_buys.map((buy: { media_buy_id: string }) => buy.media_buy_id)).toEqual(run.media_buys)
        expect(data.media_buys[0].status).toBe('canceled')
        expect(stepOf(run, 'cancel')).toMatchObject({ media_buy_status: 'canceled' })
      })

      it('uploads creatives in canonical slots and finds each with its canonical kind', () => {
        const run = runOf(protocol, pin)
        const synced = stepOf(run, 'sync_creatives')?.creatives as readonly object[]
        expect(synced.length).toBeGreaterThan(0)
        for (const row of synced) expect(row).toMatchObject({ action: 'created', errors: null, assignment_errors: null })
        const listed = stepOf(run, 'list_creatives') as unknown as {
          readonly sent: readonly { creative_id: string; format_kind: string }[]
          readonly creatives: readonly { creative_id: string; format_kind: string }[]
        }
        const pairs = (rows: typeof listed.sent) => rows.map((row) => `${row.creative_id} ${row.format_kind}`).toSorted()
        expect(pairs(listed.creatives)).toEqual(pairs(listed.sent))
      })
    })

    it.each(['mcp', 'a2a'])('receives all products over %s', async (protocol) => {
      const seen = runOf(protocol, 'none').steps.flatMap((step) => (step.name === 'wholesale' ? (step.products ?? []) : []))
      const plain = await idsOf({ buying_mode: 'wholesale', pagination: { max_results: 100 } })
      expect(seen).toEqual(plain)
    })
  })

  it(
    'the MCP client and the A2A client discover, buy and find what they bought',
    async () => {
      const report = (await runScript(python, 'plain_clients.py', addresses(), agent.key)) as {
        readonly mcp: PlainBuy & { readonly tools: readonly string[] }
        readonly a2a: PlainBuy & { readonly skills: readonly string[] }
      }
      expect(report.mcp.tools).toContain('create_media_buy')
      expect(report.a2a.skills).toContain('create_media_buy')
      expect(report.mcp.products.length).toBeGreaterThan(0)
      expect(report.a2a.products).toEqual(report.mcp.products)
      for (const { created, listed } of [report.mcp, report.a2a]) expect(listed).toEqual([created])
    },
    PATIENCE,
  )
})
