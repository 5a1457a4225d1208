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
