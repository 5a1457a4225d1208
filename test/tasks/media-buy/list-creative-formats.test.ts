import { afterAll, beforeAll, expect, it } from 'vitest'
import { seedFormat } from '../../../src/store/product/seeded-products.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent({ demo: true, conformance: true })
})
afterAll(() => agent.stop())

const formatIds = (data: { formats: { format_id: { id: string } }[] }) => data.formats.map((format) => format.format_id.id)

it('answers anybody, with every format that products name', async () => {
  const { data, isError } = await agent.client(undefined).call('list_creative_formats')
  expect(isError).toBe(false)
  const { data: answer } = await agent.buyer.call('get_products', { buying_mode: 'wholesale' })
  const used = new Set(
    answer.products.flatMap((product: { format_ids: { id: string }[] }) => product.format_ids.map(({ id }) => id)),
  )
  for (const id of used) expect(formatIds(data)).toContain(id)
  expect(data.formats.every((format: { format_id: { agent_url: string } }) => format.format_id.agent_url === agent.url)).toBe(
    true,
  )
})

it('finds the exact format of a product', async () => {
  const { data: answer } = await agent.buyer.call('get_products', { buying_mode: 'brief', brief: 'premium video' })
  const wanted = answer.products[0].format_ids[0]
  const { data } = await agent.buyer.call('list_creative_formats', { format_ids: [wanted] })
  expect(data.formats.map((format: { format_id: object }) => format.format_id)).toEqual([wanted])
})

it('refuses formats that do not exist; beside some that do, they are errors of the answer', async () => {
  const known = { agent_url: agent.url, id: 'display_300x250' }
  const unknown = { agent_url: agent.url, id: 'no_such_format' }
  const official = { agent_url: 'https://creative.adcontextprotocol.org', id: 'display_300x250_image' }
  const none = await agent.buyer.call('list_creative_formats', { format_ids: [unknown] })
  expect(none.data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'format_ids[0]' })
  const near = await agent.buyer.call('list_creative_formats', { format_ids: [{ ...known, id: 'display_300x25' }] })
  expect(near.data.adcp_error.message).toBe(
    'format_ids[0] "display_300x25" is no format of this seller; did you mean "display_300x250"?',
  )
  const some = await agent.buyer.call('list_creative_formats', { format_ids: [known, unknown, official], asset_types: ['vast'] })
  expect(some.data).toMatchObject({ formats: [], errors: [{ code: 'REFERENCE_NOT_FOUND', field: 'format_ids[1]' }] })
  expect(some.data.errors).toHaveLength(1)
  const everybody = await agent.client().call('list_creative_formats', { format_ids: [unknown] })
  expect(everybody.data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
})

it('lists what a creative must bring; formats that are named show every asset and its requirements', async () => {
  const { data } = await agent.buyer.call('list_creative_formats')
  const row = data.formats.find(({ format_id }: { format_id: { id: string } }) => format_id.id === 'display_300x250')
  const image = { item_type: 'individual', asset_id: 'image', asset_type: 'image', required: true }
  expect(row).toEqual({ format_id: row.format_id, name: row.name, renders: row.renders, assets: [image] })
  const named = await agent.buyer.call('list_creative_formats', { format_ids: [row.format_id] })
  const [whole] = named.data.formats
  expect(whole.assets.length).toBeGreaterThan(1)
  expect(whole.assets[0]).toMatchObject({ ...image, requirements: { min_width: 300 } })
})

it('filters and pages', async () => {
  const { data: all } = await agent.buyer.call('list_creative_formats', { asset_types: ['vast'] })
  const { data: first } = await agent.buyer.call('list_creative_formats', {
    asset_types: ['vast'],
    pagination: { max_results: 3 },
  })
  expect(first.pagination).toMatchObject({ has_more: true, total_count: 5 })
  const { data: second } = await agent.buyer.call('list_creative_formats', {
    asset_types: ['vast'],
    pagination: { max_results: 3, cursor: first.pagination.cursor },
  })
  expect([...formatIds(first), ...formatIds(second)]).toEqual(formatIds(all))
  expect(second.pagination.has_more).toBe(false)
  expect(second.pagination.cursor).toBeUndefined()
})

it('shows a blank sandbox account only what was seeded, and other callers nothing of it', async () => {
  await agent.server.store.transaction(async (tx) => {
    await seedFormat(tx, agent.tenant, 'demo-buyer', { id: 'seeded_1', name: 'Seeded A', type: 'display' })
    await seedFormat(tx, agent.tenant, 'demo-buyer', { id: 'seeded_2', name: 'Seeded B', type: 'display' })
  })
  const blank = { account: { account_id: 'acct_never_issued' }, pagination: { max_results: 1 } }
  const { data: first } = await agent.buyer.call('list_creative_formats', blank)
  expect(formatIds(first)).toEqual(['seeded_1'])
  const { data: last } = await agent.buyer.call('list_creative_formats', {
    ...blank,
    pagination: { max_results: 1, cursor: first.pagination.cursor },
  })
  expect(formatIds(last)).toEqual(['seeded_2'])
  expect(last.pagination.has_more).toBe(false)
  expect(formatIds((await agent.buyer.call('list_creative_formats', { name_search: 'seeded' })).data)).toEqual([
    'seeded_1',
    'seeded_2',
  ])
  expect(formatIds((await agent.client(undefined).call('list_creative_formats', { name_search: 'seeded' })).data)).toEqual([])
})
