import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findUnfitValue } from '../../src/pipeline/find-unfit-value.ts'
import { MAX_ITEMS, MAX_TEXT, taskLimits } from '../../src/pipeline/value-bounds.ts'
import { officialDocuments } from '../../src/protocol/official-documents.ts'
import { Schemas } from '../../src/protocol/schemas.ts'
import { BASE_TASKS } from '../support/base-tasks.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent

beforeAll(async () => {
  agent = await startAgent()
})
afterAll(() => agent.stop())

const account = { brand: { domain: 'acme.example' }, operator: 'acme.example', billing: 'operator' }

/** A call whose schema leaves `ext` open, with JSON text as it is sent. */
async function refusalOf(extText: string) {
  const accounts = JSON.stringify([account])
  const args = `{"idempotency_key":"${randomUUID()}","accounts":${accounts},"ext":${extText}}`
  const response = await agent.buyer.send(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sync_accounts","arguments":${args}}}`,
  )
  const { result } = JSON.parse(await response.text())
  return result.structuredContent.adcp_error
}

const many = (count: number, item: string) => `[${Array(count).fill(item).join(',')}]`
const long = (length: number) => JSON.stringify('x'.repeat(length))

describe('the bounds that hold for every task', () => {
  it.each([
    ['NUL in a text', '{"a":[{"note":"x\\u0000y"}]}', 'ext.a[0].note', 'NUL'],
    ['NUL in a name', '{"a":{"x\\u0000y":1}}', 'ext.a', 'NUL'],
    ['the first half of a surrogate pair', '{"note":"\\ud83d"}', 'ext.note', 'surrogate'],
    ['the second half in a list', '{"notes":["fine","\\ude00 x"]}', 'ext.notes[1]', 'surrogate'],
    ['a number beyond a double', '{"n":[1,1e400]}', 'ext.n[1]', 'range'],
    ['a long text', `{"note":${long(200_001)}}`, 'ext.note', 'at most 200000'],
    ['a long id', `{"click_id":${long(513)}}`, 'ext.click_id', 'at most 512'],
    ['a long id in a list', `{"item_ids":["a",${long(513)}]}`, 'ext.item_ids[1]', 'at most 512'],
    ['a long brief', `{"brief":${long(10_001)}}`, 'ext.brief', 'at most 10000'],
    ['a long URL', `{"page_url":${long(8_193)}}`, 'ext.page_url', 'at most 8192'],
    ['many items', `{"list":${many(10_001, '1')}}`, 'ext.list', 'has 10001 items; at most 10000'],
    [
      'many providers',
      `{"trusted_match":{"providers":${many(1_001, '{}')}}}`,
      'ext.trusted_match.providers',
      'has 1001 items; at most 1000',
    ],
    ['many exchanges', `{"required_axe_integrations":${many(1_001, '"a"')}}`, 'ext.required_axe_integrations', 'has 1001 items'],
    ['many formats', `{"format_ids":${many(1_001, '{"id":"a"}')}}`, 'ext.format_ids', 'has 1001 items; at most 1000'],
    ['many members', `{"map":{${Array.from({ length: 2_001 }, (_, i) => `"m${i}":1`).join(',')}}}`, 'ext.map', '2001 members'],
  ])('%s is INVALID_REQUEST naming the field', async (_, ext, field, text) => {
    const error = await refusalOf(ext)
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', field })
    expect(error.message).toContain(text)
    expect(error.message.length).toBeLessThan(1_000)
  })

  it.each(['audience_id', 'catalog_id', 'creative_id', 'event_source_id'])(
    '%s, by which changes are told, is 1 to 255 long',
    (name) => {
      const problemOf = (id: string, list = 'things') => findUnfitValue({ [list]: [{ [name]: id }] }, {})
      expect(problemOf('')).toEqual({ field: `things[0].${name}`, problem: 'is empty; send 1 to 255 characters' })
      expect(problemOf('x'.repeat(256))?.problem).toContain('at most 255')
      expect(problemOf('x'.repeat(255))).toBeUndefined()
      expect(problemOf('', 'context')).toBeUndefined()
    },
  )

  it('a long name of a member is refused while the body is parsed', async () => {
    const send = (length: number) =>
      agent.buyer.send(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_products","arguments":{"ext":{${long(length)}:1}}}}`,
      )
    const refused = await send(513)
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('longer than 512 characters')])
    expect((await send(512)).status).toBe(200)
  })

  it('what is just within them is accepted', async () => {
    const ext = `{"note":${long(200_000)},"click_id":${long(512)},"page_url":${long(8_192)},"list":${many(10_000, '1')},"pair":"\\ud83d\\ude00","n":1e308}`
    expect(await refusalOf(ext)).toBeUndefined()
  })

  it('a list without repetitions may be as long as any other', async () => {
    const industry_identifiers = Array.from({ length: 101 }, (_, index) => ({ type: 'ad_id', value: `ABCD${index % 100}` }))
    const { data } = await agent.buyer.call('build_creative', { creative_manifest: { industry_identifiers } })
    expect(data.adcp_error.code).toBe('INVALID_REQUEST')
    const message = 'names the same value twice, as entries 0 and 100'
    const issue = expect.objectContaining({
      pointer: '/creative_manifest/industry_identifiers',
      message: expect.stringContaining(message),
    })
    expect(data.adcp_error.issues).toContainEqual(issue)
  })

  it('an order of more than 200 packages is INVALID_REQUEST, as is a change with more', async () => {
    const packages = Array(201).fill({})
    const orders = await agent.buyer.call('create_media_buy', { packages })
    expect(orders.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'packages' })
    expect(orders.data.adcp_error.message).toBe('packages has 201 items; at most 200 are accepted')
    const creative_assignments = Array.from({ length: 101 }, (_, index) => ({ creative_id: `c${index}` }))
    const assigned = await agent.buyer.call('create_media_buy', { packages: [{ creative_assignments }] })
    expect(assigned.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'packages[0].creative_assignments' })
    const changes = await agent.buyer.call('update_media_buy', { new_packages: packages })
    expect(changes.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'new_packages' })
  })
})

it.each([
  ['list_property_lists', { name_contains: 'a'.repeat(1_001) }, 'name_contains'],
  ['list_creative_formats', { name_search: 'İ'.repeat(1_001) }, 'name_search'],
  ['sync_audiences', { audiences: Array(201).fill({}) }, 'audiences'],
  ['sync_creatives', { assignments: Array(501).fill({}) }, 'assignments'],
  ['sync_event_sources', { event_sources: Array(201).fill({}) }, 'event_sources'],
  ['update_property_list', { base_properties: Array(1_001).fill({}) }, 'base_properties'],
  ['update_collection_list', { base_collections: Array(1_001).fill({}) }, 'base_collections'],
  ['create_content_standards', { scope: { channels_any: Array(301).fill('ctv') } }, 'scope.channels_any'],
  ['update_content_standards', { scope: { countries_all: Array(301).fill('DE') } }, 'scope.countries_all'],
])('what one call cannot do is refused by name: %s', async (task, args, field) => {
  const { data } = await agent.buyer.call(task, args)
  expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field })
})

describe('findUnfitValue', () => {
  it.each(['valueOf', 'toString'])('a member named %s breaks no comparison of items', async (name) => {
    const industry_identifiers = [{ a: { [name]: 1 } }, { [name]: null }, { a: { [name]: 1 } }]
    const creative_manifest = { format_id: { agent_url: agent.url, id: 'x' }, assets: {}, industry_identifiers }
    const refused = await agent.buyer.call('get_creative_features', { creative_manifest })
    expect(refused.data.adcp_error.code).toBe('INVALID_REQUEST')
  })

  it('compares narrower limits by path, whatever the positions', () => {
    const limits = { 'a[].b': 60 }
    const b = Array(61).fill(0)
    expect(findUnfitValue({ a: [{}, { b }] }, limits)?.field).toBe('a[1].b')
    expect(findUnfitValue({ b, a: [{ c: { b } }] }, limits)).toBeUndefined()
  })
})

describe('the numbers', () => {
  it('are not lower than any official schema allows', () => {
    const most = { maxItems: 0, maxLength: 0, maxProperties: 0 }
    for (const document of officialDocuments()) visit(document)
    expect(most.maxItems).toBe(MAX_ITEMS)
    expect(most.maxProperties).toBeLessThanOrEqual(MAX_ITEMS)
    expect(most.maxLength).toBe(MAX_TEXT)

    function visit(value: unknown): void {
      if (typeof value !== 'object' || value === null) return
      for (const [name, member] of Object.entries(value)) {
        if ((name === 'maxItems' || name === 'maxLength' || name === 'maxProperties') && typeof member === 'number')
          most[name] = Math.max(most[name], member)
        visit(member)
      }
    }
  })

  it('of a task belong to arrays of its request', () => {
    const schemas = new Schemas()
    for (const { name } of BASE_TASKS) {
      const properties = schemas.document(schemas.pathsOf(name)?.request ?? '').properties
      for (const path of Object.keys(taskLimits(name))) expect(properties).toHaveProperty(path.split(/[.[]/)[0] ?? '')
    }
  })

  it.each([
    ['create_media_buy', 'packages'],
    ['update_media_buy', 'packages'],
    ['update_media_buy', 'new_packages'],
    ['buy_products', 'purchases'],
    ['control_media_buy', 'packages'],
  ])('is the same for the packages of an order in both lifecycles: %s, %s', (task, name) => {
    const problemOf = (count: number) => findUnfitValue({ [name]: Array(count).fill({}) }, taskLimits(task))?.problem
    expect(problemOf(200)).toBeUndefined()
    expect(problemOf(201)).toBe('has 201 items; at most 200 are accepted')
  })
})
