import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { findPython, pythonEnvironment, runScript } from '../support/python.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

interface Run {
  readonly protocol: string
  readonly pin: string
  readonly negotiated?: string
  readonly listed_by?: readonly string[]
  readonly bought_by?: readonly string[]
  readonly products?: readonly string[]
  readonly feed_version?: string
  readonly success?: boolean
  readonly error?: string
  readonly purchase?: { readonly media_buy_id?: string; readonly accepted_proposal?: { readonly terms_digest: string } }
}

interface Negotiated {
  readonly negotiations: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly issues: readonly string[]
  readonly purchases: readonly (Run & { readonly declined?: readonly string[] })[]
}

/** `NEGOTIATIONS=1000 npx vitest run --project extended test/extended/python-lifecycle.test.ts` is the long run. */
const NEGOTIATIONS = process.env.NEGOTIATIONS
const SEED = 7

const ESTABLISHED = { listed: ['get_products'], bought: ['create_media_buy'] }
const COMPACT = { listed: ['list_products'], bought: ['buy_products'] }
const PINS = ['none', '3.0', '3.1', '3.2']
const PATIENCE = 900_000

const found = await findPython()
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if ('reason' in found) console.log(`The Python coordinator is not tested: ${found.reason}.`)

describe.skipIf('reason' in found)('the official coordinator of lifecycles', () => {
  let agent: TestAgent
  let runs: readonly Run[]
  beforeAll(async () => {
    const python = await pythonEnvironment('python' in found ? found.python : '')
    agent = await startAgent({ demo: true, contracts: loadContracts() })
    const args = ['--mcp', agent.url, '--a2a', new URL(agent.url).origin, '--pins', PINS.join(',')]
    runs = ((await runScript(python, 'lifecycle_buy.py', args, agent.key)) as { runs: Run[] }).runs
  }, PATIENCE)
  afterAll(() => agent?.stop())

  it.each(['mcp', 'a2a'].flatMap((protocol) => PINS.map((pin) => ({ protocol, pin }))))(
    'lists and buys over $protocol with pin $pin',
    ({ protocol, pin }) => {
      const run = runs.find((each) => each.protocol === protocol && each.pin === pin)
      expect(run?.error).toBeUndefined()
      const { listed, bought } = run?.negotiated?.startsWith('3.2') ? COMPACT : ESTABLISHED
      expect(run).toMatchObject({ success: true, listed_by: listed, bought_by: bought })
      if (pin !== 'none') expect(run?.negotiated).toBe(pin)
      expect(run?.products?.length).toBeGreaterThan(2)
      expect(run?.purchase?.media_buy_id).toMatch(/^mb_/)
      if (bought === COMPACT.bought) expect(run?.purchase?.accepted_proposal?.terms_digest).toMatch(/^sha256:/)
    },
  )
})

describe.skipIf('reason' in found)('the official client negotiates', () => {
  let agent: TestAgent
  let negotiated: Negotiated
  beforeAll(async () => {
    const python = await pythonEnvironment('python' in found ? found.python : '')
    agent = await startAgent({ demo: true, contracts: loadContracts() })
    const at = ['--mcp', agent.url, '--a2a', new URL(agent.url).origin, '--pins', 'none,3.2', '--seed', String(SEED)]
    const much = NEGOTIATIONS === undefined ? ['--seconds', '20'] : ['--count', NEGOTIATIONS, '--seconds', '3600']
    negotiated = (await runScript(python, 'negotiate.py', [...at, ...much], agent.key)) as Negotiated
  }, 4_000_000)
  afterAll(() => agent?.stop())

  it('finds nothing wrong with generated negotiations', () => {
    expect(negotiated.issues).toEqual([])
    expect(negotiated.negotiations).toBeGreaterThanOrEqual(Number(NEGOTIATIONS ?? 5))
    if (NEGOTIATIONS === undefined) return
    const { outcomes } = negotiated
    for (const outcome of ['revised', 'partial', 'finalized', 'unable', 'constraint_unsatisfiable'])
      expect(outcomes[outcome], outcome).toBeGreaterThan(0)
  })

  it.each(['mcp', 'a2a'].flatMap((protocol) => ['none', '3.2'].map((pin) => ({ protocol, pin }))))(
    'buys by proposals over $protocol with pin $pin',
    ({ protocol, pin }) => {
      const run = negotiated.purchases.find((each) => each.protocol === protocol && each.pin === pin)
      expect(run?.error).toBeUndefined()
      expect(run?.success).toBe(true)
      expect(run?.purchase?.media_buy_id).toMatch(/^mb_/)
      expect(run?.purchase?.accepted_proposal?.terms_digest).toMatch(/^sha256:/)
      for (const outcome of run?.declined ?? []) expect(outcome).toBe('declined')
    },
  )
})
