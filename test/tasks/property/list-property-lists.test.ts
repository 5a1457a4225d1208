import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ListsAgent, startListsAgent } from '../../support/lists-agent.ts'

let agent: ListsAgent
const names = ['Alpha 100%', 'beta_1', 'Gamma', 'delta']

beforeAll(async () => {
  agent = await startListsAgent()
  for (const name of names) await agent.propertyList(['a.example'], { name })
})
afterAll(() => agent.stop())

const list = async (args: object, client = agent.buyer) => (await client.call('list_property_lists', args)).data

describe('list_property_lists', () => {
  it('pages through all without gaps or repeats, with a stable total', async () => {
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await list({ pagination: { max_results: 3, ...(cursor && { cursor }) } })
      expect(page.pagination.total_count).toBe(4)
      seen.push(...page.lists.map(({ name }: { name: string }) => name))
      cursor = page.pagination.cursor
      expect(page.pagination.has_more).toBe(cursor !== undefined)
    } while (cursor)
    expect(seen.toSorted()).toEqual(names.toSorted())
  })

  it.each([
    ['ALPHA', 1],
    ['0%', 1],
    ['%', 1],
    ['_', 1],
    ['a', 4],
    ['nothing', 0],
  ])('name_contains %s finds %d: wildcards are letters like any other', async (name_contains, count) => {
    const page = await list({ name_contains })
    expect(page.lists).toHaveLength(count)
    expect(page.pagination.total_count).toBe(count)
  })

  it('refuses a cursor of another query', async () => {
    const { pagination } = await list({ pagination: { max_results: 1 } })
    const other = await list({ name_contains: 'a', pagination: { cursor: pagination.cursor } })
    expect(other.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'pagination.cursor' })
  })

  it('shows nobody the lists of another agent or tenant', async () => {
    const neighbour = agent.client(await agent.addBuyer({ principal: 'neighbour' }))
    const abroad = agent.client(await agent.addBuyer({ principal: 'buyer', tenant: 'other' }))
    for (const client of [neighbour, abroad]) {
      expect(await list({}, client)).toMatchObject({ lists: [], pagination: { total_count: 0, has_more: false } })
    }
  })
})
