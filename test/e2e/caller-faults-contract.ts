import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASE_SOURCE } from '../../src/protocol/contract-source.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { saveBrands } from '../../src/store/brand/brands.ts'
import { saveProducts } from '../../src/store/product/save-products.ts'
import { saveSignals } from '../../src/store/signal/signals.ts'
import { HOSTILE_VALUES, jsonOf, LARGE_VALUES } from '../../tools/fuzz/hostile-values.ts'
import { judgeCall } from '../../tools/fuzz/judge-call.ts'
import { changedAt, placesOf } from '../../tools/fuzz/mutations.ts'
import { type SeededWorld, seedWorld } from '../../tools/fuzz/seed-world.ts'
import { BASE_TASKS } from '../support/base-tasks.ts'
import { demoBrands, demoProductsFile, demoSignals } from '../support/demo-products.ts'
import { NOW } from '../support/isolation/holdings.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

/** Under names that the schema's pattern leaves out. */
const BAD_ASSETS: readonly object[] = [
  { Banner: 'x' },
  { Banner: 1 },
  { Banner: null },
  { Banner: { asset_type: 'image' } },
  { '': 'x' },
  { 'X Y': { asset_type: 'html', content: [] } },
]

/**
 * No request of a caller is answered as a fault of the server, and whatever is accepted is answered as its schema says: each member of a valid request
 * of each task is replaced by hostile values in turn.
 * @param flagsFor settings that choose the engine
 * @param valuesAtAPlace values at each place of a request; the next place gets the next ones, so that each value comes to several places.
 *   `npm run fuzz:calls` sends the rest.
 */
export function callerFaultsContract(
  engine: string,
  flagsFor: () => Promise<Readonly<Record<string, unknown>>>,
  valuesAtAPlace = 1,
): void {
  let agent: TestAgent
  const contracts = loadContracts([BASE_SOURCE])
  let key: string
  let world: SeededWorld
  const logged: string[] = []

  beforeAll(async () => {
    const onLog = (line: string) => {
      const entry: { level: number } = JSON.parse(line)
      if (entry.level >= 50) logged.push(line)
    }
    agent = await startAgent({ sandbox: true, clock: () => NOW, onLog, flags: await flagsFor() })
    key = await agent.addBuyer({ principal: 'careless', sandbox: true })
    await agent.server.store.transaction(async (tx) => {
      await saveProducts(tx, agent.tenant, demoProductsFile(), { merge: false }, NOW)
      await saveSignals(tx, agent.tenant, demoSignals(), { merge: false }, NOW)
      await saveBrands(tx, agent.tenant, demoBrands(), NOW)
    })
    world = await seedWorld(agent.url, key, contracts)
  })
  afterAll(() => agent.stop())

  async function send(task: string, request: object): Promise<string | undefined> {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: task, arguments: request } }
    const text = jsonOf(message)
    const response = await agent.client(key).send(text)
    const verdict = judgeCall(contracts.base, task, { status: response.status, body: await response.text() })
    const faults = ['fault' in verdict ? verdict.fault : undefined, ...logged.splice(0)].filter((fault) => fault !== undefined)
    return faults.length === 0 ? undefined : `${text.slice(0, 800)}: ${faults.join('; ').slice(0, 800)}`
  }

  describe(`faults of callers, on ${engine}`, () => {
    let turn = 0
    it.each(BASE_TASKS.map(({ name }) => name))('%s', async (task) => {
      const example = { ...world.examples[task], context: { trace: 'a' }, ext: { note: 'b' } }
      const faults: string[] = []
      for (const path of placesOf(example)) {
        for (let each = 0; each < valuesAtAPlace; each++) {
          const value = HOSTILE_VALUES[turn++ % HOSTILE_VALUES.length]
          const fault = await send(task, { ...changedAt(example, path, value), ...keyFor(path) })
          if (fault !== undefined) faults.push(fault)
        }
      }
      const large = LARGE_VALUES[turn++ % LARGE_VALUES.length]
      const fault = await send(task, { ...example, ...keyFor([]), ext: { large } })
      expect(fault === undefined ? faults : [...faults, fault]).toEqual([])
    })

    it('each hostile value came to some place', () => {
      expect(turn).toBeGreaterThan(HOSTILE_VALUES.length + LARGE_VALUES.length)
    })

    const assets = (value: object) => ({
      ...world.examples.sync_creatives,
      idempotency_key: randomUUID(),
      creatives: [{ creative_id: 'c', name: 'c', format_id: { agent_url: agent.url, id: 'display_300x250' }, assets: value }],
    })
    it.each<[string, () => [task: string, request: object]]>([
      [
        'asset keys with capitals',
        () => ['sync_creatives', assets({ Banner_Image: { asset_type: 'image', url: 'https://a.example/x' } })],
      ],
      ['assets that are texts', () => ['sync_creatives', assets({ image: 'https://a.example/x' })]],
      ['assets that are numbers', () => ['sync_creatives', assets({ image: 1, click_url: null })]],
      ['a text of NUL', () => ['get_products', { buying_mode: 'brief', brief: 'a\u0000b' }]],
      ['40,000 ids', () => ['list_creatives', { filters: { creative_ids: LARGE_VALUES[1] } }]],
      ['40,000 media buys', () => ['get_media_buys', { media_buy_ids: LARGE_VALUES[1] }]],
      [
        'a long name',
        () => [
          'sync_accounts',
          {
            idempotency_key: randomUUID(),
            accounts: [{ brand: { domain: `${'a'.repeat(5000)}.example` }, operator: 'a.example', billing: 'operator' }],
          },
        ],
      ],
      [
        'a long offering token',
        () => ['si_initiate_session', { intent: 'x', identity: { consent_granted: false }, offering_token: 'x'.repeat(100_000) }],
      ],
      ...BAD_ASSETS.flatMap((assets): [string, () => [task: string, request: object]][] => {
        const manifest = () => ({ format_id: { agent_url: agent.url, id: 'display_300x250' }, assets })
        const text = JSON.stringify(assets)
        return [
          [`features of ${text}`, () => ['get_creative_features', { creative_manifest: manifest() }]],
          [`preview of ${text}`, () => ['preview_creative', { request_type: 'single', creative_manifest: manifest() }]],
          [
            `build from ${text}`,
            () => [
              'build_creative',
              {
                idempotency_key: randomUUID(),
                creative_manifest: manifest(),
                target_format_id: manifest().format_id,
                message: 'x',
              },
            ],
          ],
        ]
      }),
      [
        'a name that every object inherits, as a tool',
        () => ['check_governance', { ...world.examples.check_governance, idempotency_key: randomUUID(), tool: 'constructor' }],
      ],
      [
        'such a name as a use case',
        () => ['get_brand_identity', { ...world.examples.get_brand_identity, brand_id: 'acme', use_case: 'constructor' }],
      ],
      [
        'such a name as a colour',
        () => [
          'build_creative',
          {
            ...world.examples.build_creative,
            idempotency_key: randomUUID(),
            message: 'constructor button, __proto__ background',
          },
        ],
      ],
      [
        'such a name as a word of a brief',
        () => ['get_products', { buying_mode: 'brief', brief: 'constructor __proto__ toString' }],
      ],
      ['a long cursor', () => ['list_creatives', { pagination: { cursor: 'x'.repeat(100_000) } }]],
    ])('%s', async (_what, make) => {
      const [task, request] = make()
      expect(await send(task, request)).toBeUndefined()
    })
  })
}

/** A new key, unless the key is what is under test. */
function keyFor(path: readonly string[]): object {
  return path[0] === 'idempotency_key' ? {} : { idempotency_key: randomUUID() }
}
