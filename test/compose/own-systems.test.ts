import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConnections } from '../../src/compose/load-connections.ts'
import { type ConnectionName, redactedConnections } from '../../src/config/connection-settings.ts'
import { createLog } from '../../src/platform/log.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const folder = mkdtempSync(join(tmpdir(), 'own-systems-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const hashed = (text: string) => createHash('sha256').update(text).digest('hex')
const context = { knowsCode: (code: string) => code === 'RATE_LIMITED', log: createLog('silent') }

/** Two hundred people, of whom the file has the first 120. */
const people = Array.from({ length: 200 }, (_, index) => ({
  external_id: `crm-${index}`,
  hashed_email: hashed(`person${index}@mail.example`),
}))

let count = 0
/** A module whose default export makes what an expression says. */
function moduleOf(expression: string): string {
  const file = join(folder, `module-${count++}.mjs`)
  writeFileSync(file, `export default ({ options }) => (${expression})\n`)
  return file
}
const load = (name: ConnectionName, expression: string) => loadConnections({ [name]: { module: moduleOf(expression) } }, context)
const named = `name: 'own', description: 'Own.'`

describe('the identity graph of the documentation', () => {
  let agent: TestAgent
  const lines: string[] = []
  beforeAll(async () => {
    const [, code = ''] =
      /<!-- identity-graph:start -->\n```js\n([\s\S]+?)```\n<!-- identity-graph:end -->/.exec(
        readFileSync('docs/own-systems.md', 'utf8'),
      ) ?? []
    const [module, file] = [join(folder, 'graph.mjs'), join(folder, 'people.txt')]
    writeFileSync(module, code)
    writeFileSync(
      file,
      people
        .slice(0, 120)
        .map(({ hashed_email }) => `${hashed_email}\n`)
        .join(''),
    )
    const flags = { 'connect.identityGraph.module': module, 'connect.identityGraph.options': { file } }
    agent = await startAgent({ demo: true, flags, onLog: (line) => lines.push(line) })
  })
  afterAll(() => agent?.stop())

  const account = (sandbox: boolean) => ({ brand: { domain: 'b.example' }, operator: 'o.example', ...(sandbox && { sandbox }) })
  async function sync(sandbox: boolean) {
    const buyer = await agent.buyerOn(account(sandbox), { principal: sandbox ? 'trial' : 'live', sandbox })
    const audiences = [{ audience_id: 'out', name: 'Out', audience_type: 'suppression', add: people }]
    const request = { idempotency_key: crypto.randomUUID(), account: account(sandbox), audiences }
    return (await buyer.call('sync_audiences', request)).data
  }

  it('answers live buyers, whose answers are not simulated any more', async () => {
    const data = await sync(false)
    expect(data.audiences[0].match_breakdown).toEqual([
      { id_type: 'hashed_email', submitted: 200, matched: 120, match_rate: 0.6 },
    ])
    expect([data.sandbox, data.ext]).toEqual([undefined, undefined])
    const { data: capabilities } = await agent.buyer.call('get_adcp_capabilities', {})
    const simulated = capabilities.ext?.simulated_backends?.map(({ name }: { name: string }) => name) ?? []
    expect(simulated).not.toContain('simulated identity graph')
    expect(lines.join('\n')).toContain('identity graph loaded')
  })

  it('is never asked about people of sandbox buyers', async () => {
    const data = await sync(true)
    expect(data.sandbox).toBe(true)
    expect(data.audiences[0].match_breakdown[0].matched).not.toBe(120)
  })
})

describe('a module that cannot be used ends the start with its reason', () => {
  it.each([
    ['identityGraph', `{ ${named}, simulated: false }`, 'makes no identity graph: missing methods: match'],
    ['identityGraph', `{ ${named}, match() {} }`, 'simulated must be true or false'],
    ['artifacts', `null`, 'makes no store of artifacts: it is null'],
    ['siHost', `{ reply() {}, simulated: true }`, 'name must be a text; description must be a text'],
    ['contentClassifier', `(() => { throw new Error('no key') })()`, 'could not make its content classifier: no key'],
    ['creativeBuilder', `{ ${named}, build() {}, transformers: [{ id: 'x' }] }`, 'name of transformer 0 must be a text'],
    ['creativeEvaluator', `{ ${named}, evaluate() {}, features: [] }`, 'version must be a text'],
    [
      'creativeEvaluator',
      `{ ${named}, version: '2', evaluate() {}, features: [{ id: 'a', type: 'tertiary' }] }`,
      'type of feature 0 must be one of binary, quantitative, categorical',
    ],
  ] as const)('%s %s', async (name, expression, message) => {
    await expect(load(name, expression)).rejects.toThrow(message)
    await expect(load(name, expression)).rejects.toThrow(`connect.${name}.module`)
  })

  it('options are shown by their names alone', () => {
    const shown = redactedConnections({ siHost: { module: '/a.mjs', options: { key: 'secret' } } })
    expect(shown).toEqual({ siHost: { module: '/a.mjs', options: { key: '…' } } })
  })
})

describe('what a module answers', () => {
  const artifact = { artifact_id: 'a', property_rid: 'p', assets: [] }
  const policy = { policy_id: 'calm', enforcement: 'must', policy: 'No violence' } as const
  const product = { product_id: 'boots', name: 'Boots' }
  const offering = { offering_id: 'o', brand_id: 'b', summary: 'Boots', products: [product] }
  const turn = { brandName: 'B', offering, text: 'hi', action: undefined, isOpening: true, shown: [], wanted: undefined }
  const line = { packageId: 'p1', channel: undefined, countries: [], properties: [], days: [] }

  it('is taken where it has the documented shape', async () => {
    const { contentClassifier } = await load(
      'contentClassifier',
      `{ ${named}, assess: async (artifacts) => artifacts.map(() => ({ policies: [] })) }`,
    )
    expect(await contentClassifier.assess([artifact], [policy], {})).toEqual([
      { policies: [expect.objectContaining({ policyId: 'calm', outcome: 'unjudged' })], likeExemplar: undefined },
    ])
    const { siHost } = await load(
      'siHost',
      `{ ${named}, simulated: false, reply: () => ({ message: 'Hello', products: [{ product_id: 'boots', name: 'Free boots' }] }) }`,
    )
    expect((await siHost.live.reply(turn)).products).toEqual([product])
    const { artifacts } = await load(
      'artifacts',
      `{ ${named}, simulated: false, collect: async () => [{ recordId: 'r', packageId: 'p1', deliveredAt: '2026-01-31T12:00:00Z', read: async () => (${JSON.stringify(artifact)}) }] }`,
    )
    const [first] = await artifacts.live.collect([line])
    expect([first?.deliveredAt, await first?.read()]).toEqual(['2026-01-31T12:00:00.000Z', artifact])
    const { creativeEvaluator } = await load(
      'creativeEvaluator',
      `{ ${named}, version: '2', features: [{ id: 'calm', type: 'binary', description: 'Is calm.' }], evaluate: () => [{ featureId: 'calm', value: true, confidence: 1 }] }`,
    )
    const job = { formatId: { agent_url: 'a', id: 'i' }, assets: {}, sourceType: undefined, disclosed: false, findings: [] }
    expect(await creativeEvaluator.evaluate(job, new Set(['calm']))).toEqual([{ featureId: 'calm', value: true, confidence: 1 }])
  })

  it.each([
    ['[true]', '2 items'],
    ['[true, 1]', 'true or false'],
    ['undefined', 'a list'],
  ])('is SERVICE_UNAVAILABLE in another shape: %s', async (answer, reason) => {
    const { identityGraph } = await load('identityGraph', `{ ${named}, simulated: false, match: () => (${answer}) }`)
    const ids = [1, 2].map((value) => ({ kind: 'uid2', value: `${value}` }))
    const error: unknown = await identityGraph.live.match(ids).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      cause: { cause: { message: expect.stringContaining(reason) } },
    })
  })

  it('an error with a code of AdCP keeps it, and a product that is not offered is not shown', async () => {
    const { creativeBuilder } = await load(
      'creativeBuilder',
      `{ ${named}, build: () => { throw Object.assign(new Error('too many today'), { code: 'RATE_LIMITED' }) } }`,
    )
    const job: Parameters<typeof creativeBuilder.build>[0] = Object.create(null)
    await expect(creativeBuilder.build(job)).rejects.toMatchObject({ code: 'RATE_LIMITED', message: 'too many today' })
    expect(creativeBuilder.transformers).toEqual([])
    const { siHost } = await load(
      'siHost',
      `{ ${named}, simulated: false, reply: () => ({ message: 'Hello', products: [{ product_id: 'gold' }] }) }`,
    )
    await expect(siHost.live.reply(turn)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })
})
