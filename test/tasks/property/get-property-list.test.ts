import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACCOUNT, type ListsAgent, startListsAgent } from '../../support/lists-agent.ts'

let agent: ListsAgent

beforeAll(async () => {
  agent = await startListsAgent()
})
afterAll(() => agent.stop())

const create = async (base_properties: object[], filters?: object) => {
  const { data } = await agent.run('create_property_list', {
    account: ACCOUNT,
    name: 'L',
    base_properties,
    ...(filters && { filters }),
  })
  return data as { list: { list_id: string }; auth_token: string }
}
const get = async (list_id: string, more: object = {}) => (await agent.buyer.call('get_property_list', { list_id, ...more })).data

describe('get_property_list', () => {
  it('resolves ids and tags of the own inventory, and says what led nowhere', async () => {
    const { list } = await create([
      { selection_type: 'publisher_ids', publisher_domain: 'acme.example', property_ids: ['news', 'gone'] },
      { selection_type: 'publisher_tags', publisher_domain: 'acme.example', tags: ['premium'] },
      { selection_type: 'publisher_tags', publisher_domain: 'elsewhere.example', tags: ['premium'] },
    ])
    const data = await get(list.list_id)
    expect(data.identifiers).toEqual([
      { type: 'fire_tv_asin', value: 'B0ACME' },
      { type: 'domain', value: 'news.acme.example' },
      { type: 'roku_store_id', value: '990001' },
    ])
    expect(data).toMatchObject({ resolved_at: '2026-03-01T12:00:00.000Z', cache_valid_until: '2026-03-02T12:00:00.000Z' })
    expect(data.ext.sales_agent.unresolved).toEqual([
      {
        field: 'base_properties[0]',
        reason: 'no_such_property',
        publisher_domain: 'acme.example',
        property_ids: ['gone'],
      },
      { field: 'base_properties[2]', reason: 'publisher_not_indexed', publisher_domain: 'elsewhere.example' },
    ])
  })

  it('pages identifiers; a change of the list ends the walk', async () => {
    const domains = Array.from({ length: 5 }, (_, index) => ({ type: 'domain', value: `site${index}.example` }))
    const { list } = await create([{ selection_type: 'identifiers', identifiers: domains }])
    const first = await get(list.list_id, { pagination: { max_results: 2 } })
    const second = await get(list.list_id, { pagination: { max_results: 10, cursor: first.pagination.cursor } })
    expect([...first.identifiers, ...second.identifiers]).toEqual(domains)
    expect(second.pagination).toEqual({ has_more: false, total_count: 5 })
    await agent.run('update_property_list', { list_id: list.list_id, name: 'renamed' })
    const late = await get(list.list_id, { pagination: { cursor: first.pagination.cursor } })
    expect(late.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'pagination.cursor' })
  })

  it('resolve: false gives the list alone', async () => {
    const { list } = await create([{ selection_type: 'identifiers', identifiers: [{ type: 'domain', value: 'a.example' }] }])
    const data = await get(list.list_id, { resolve: false })
    expect(data.list).toEqual(list)
    expect(data).not.toHaveProperty('identifiers')
  })

  it('keeps what is not covered only where the requirement says so', async () => {
    const identifiers = [{ type: 'domain', value: 'a.example' }]
    const base = [{ selection_type: 'identifiers', identifiers }]
    const open = await create(base, {
      feature_requirements: [{ feature_id: 'mfa_score', max_value: 3, if_not_covered: 'include' }],
    })
    expect(await get(open.list.list_id)).toMatchObject({ identifiers, coverage_gaps: { mfa_score: identifiers } })
    const closed = await create(base, { feature_requirements: [{ feature_id: 'mfa_score', max_value: 3 }] })
    const data = await get(closed.list.list_id)
    expect(data).toMatchObject({ identifiers: [], ext: { sales_agent: { dropped_for_missing_data: { count: 1 } } } })
    expect(data).not.toHaveProperty('coverage_gaps')
  })

  it('is the same as absent for another agent, another tenant and another account', async () => {
    const { list } = await create([{ selection_type: 'identifiers', identifiers: [{ type: 'domain', value: 'a.example' }] }])
    const absent = await get('pl_none')
    const other = { brand: { domain: 'second.example' }, operator: 'agency.example' }
    await agent.run('sync_accounts', { accounts: [{ ...other, billing: 'operator' }] })
    expect(await get(list.list_id, { account: other })).toEqual(absent)
    for (const tenant of ['acme', 'far']) {
      const stranger = agent.client(await agent.addBuyer({ principal: `stranger-${tenant}`, tenant }))
      const { data } = await stranger.call('get_property_list', { list_id: list.list_id })
      expect(data).toEqual(absent)
    }
    expect(absent.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'list_id' })
  })

  it('answers to the token of the list, for that list and that task only, until it is deleted', async () => {
    const base = [{ selection_type: 'identifiers', identifiers: [{ type: 'domain', value: 'a.example' }] }]
    const [one, two] = [await create(base), await create(base)]
    const seller = agent.client(one.auth_token)
    expect((await seller.call('get_property_list', { list_id: one.list.list_id })).data.identifiers).toHaveLength(1)
    const others = await seller.call('get_property_list', { list_id: two.list.list_id })
    expect(others.data.adcp_error.code).toBe('REFERENCE_NOT_FOUND')
    for (const task of ['list_property_lists', 'get_products', 'list_accounts']) {
      const refused = await seller.call(task, task === 'get_products' ? { buying_mode: 'brief', brief: 'news' } : {})
      expect(refused.data.adcp_error.code, task).toBe('INSUFFICIENT_PERMISSIONS')
    }
    const deletion = await agent.run('delete_property_list', { list_id: one.list.list_id }, seller)
    expect(deletion.data.adcp_error.code).toBe('INSUFFICIENT_PERMISSIONS')
    await agent.run('delete_property_list', { list_id: one.list.list_id })
    expect((await seller.call('get_property_list', { list_id: one.list.list_id })).status).toBe(401)
  })
})

describe('a property list in get_products', () => {
  const products = async (list_id: string, more: object = {}, client = agent.buyer, agent_url = agent.url) =>
    (
      await client.call('get_products', {
        buying_mode: 'wholesale',
        property_list: { agent_url, list_id, ...more },
      })
    ).data
  const on = (value: string) => [{ selection_type: 'identifiers', identifiers: [{ type: 'domain', value }] }]

  it('leaves the products that run on it, for its owner and for whoever holds its token', async () => {
    const [with_, without] = [await create(on('*.acme.example')), await create(on('elsewhere.example'))]
    const matching = await products(with_.list.list_id)
    expect(matching).toMatchObject({ property_list_applied: true, products: [{ product_id: 'news' }] })
    expect(await products(without.list.list_id)).toMatchObject({ property_list_applied: true, products: [] })
    const stranger = agent.client(await agent.addBuyer({ principal: 'shopper' }))
    const refused = await products(with_.list.list_id, {}, stranger)
    expect(refused.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'property_list.list_id' })
    const { auth_token } = with_
    expect(await products(with_.list.list_id, { auth_token }, stranger)).toMatchObject({ property_list_applied: true })
    const another = await products(without.list.list_id, { auth_token }, stranger)
    expect(another.adcp_error.code).toBe('REFERENCE_NOT_FOUND')
  })

  it('of another agent is not applied, and the answer says so', async () => {
    const data = await products('pl_x', {}, agent.buyer, 'https://lists.example/mcp')
    expect(data).toMatchObject({ property_list_applied: false, products: [{ product_id: 'news' }] })
  })
})
