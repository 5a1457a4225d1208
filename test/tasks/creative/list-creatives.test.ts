import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { banner, startCreativeAgent } from '../../support/creative-agent.ts'
import type { MediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let buyId: string
let packageId: string

interface Row {
  creative_id: string
}

const list = async (args: object = {}) => (await agent.run('list_creatives', args)).data
const ids = async (filters: object = {}, args: object = {}) =>
  (await list({ filters, ...args })).creatives.map((row: Row) => row.creative_id)

beforeAll(async () => {
  agent = await startCreativeAgent()
  const sync = async (creatives: object[], more: object = {}) => {
    const reply = await agent.run('sync_creatives', { creatives, ...more })
    if (reply.data.creatives?.some((row: { action: string }) => row.action === 'failed'))
      throw new Error(JSON.stringify(reply.data))
  }
  const { data: buy } = await agent.create()
  buyId = buy.media_buy_id
  packageId = buy.packages[0].package_id
  await sync(
    [banner(agent.url, 'c', { name: 'Charlie 100%', tags: ['red', 'wide'], concept_id: 'spring', concept_name: 'Spring' })],
    {
      assignments: [{ creative_id: 'c', package_id: packageId }],
    },
  )
  agent.setClock('2026-03-01T12:00:01Z')
  await sync([banner(agent.url, 'a', { name: 'alpha', tags: ['red'] })])
  agent.setClock('2026-03-01T12:00:02Z')
  await sync([
    {
      creative_id: 'b',
      name: 'Bravo',
      format_id: { agent_url: agent.url, id: 'video_30s' },
      assets: { video: { asset_type: 'video', url: 'https://cdn.example/b.mp4', width: 1280, height: 720, duration_ms: 30000 } },
      tags: ['wide'],
      variables: [{ variable_id: 'v', name: 'City', variable_type: 'text' }],
    },
  ])
})
afterAll(() => agent.stop())

describe('list_creatives', () => {
  const hundred = (make: (index: number) => unknown) => Array.from({ length: 100 }, (_, index) => make(index))
  const many: readonly (readonly [filter: string, make: (index: number) => unknown])[] = [
    [
      'format_ids',
      (index) => ({ agent_url: agent.url, id: index === 0 ? 'display_300x250' : `f${index}`, width: 300, height: 250 }),
    ],
    ['tags', () => 'red'],
    ['tags_any', (index) => (index === 0 ? 'red' : `tag${index}`)],
    ['accounts', (index) => ({ account_id: `acc_${index}` })],
  ]

  it.each(many)('a filter takes a hundred %s, and no more', async (filter, make) => {
    const accepted = await agent.run('list_creatives', { filters: { [filter]: hundred(make) } })
    expect(accepted.isError, JSON.stringify(accepted.data)).toBe(false)
    const refused = await agent.buyer.call('list_creatives', { filters: { [filter]: [...hundred(make), make(0)] } })
    expect(refused.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: `filters.${filter}` })
    expect(refused.data.adcp_error.message).toContain('has 101 items; at most 100 are accepted')
  })

  it('sorts newest first unless told otherwise', async () => {
    expect(await ids()).toEqual(['b', 'a', 'c'])
    expect(await ids({}, { sort: { field: 'name', direction: 'asc' } })).toEqual(['a', 'b', 'c'])
    expect(await ids({}, { sort: { field: 'assignment_count', direction: 'desc' } })).toEqual(['c', 'b', 'a'])
    expect(await ids({}, { sort: { field: 'created_date', direction: 'asc' } })).toEqual(['c', 'a', 'b'])
  })

  it.each([
    ['creative_ids', { creative_ids: ['a', 'c', 'zz'] }, ['a', 'c']],
    ['statuses', { statuses: ['approved'] }, ['b', 'a', 'c']],
    ['statuses', { statuses: ['archived', 'rejected'] }, []],
    ['tags: all of them', { tags: ['red', 'wide'] }, ['c']],
    ['tags_any', { tags_any: ['wide', 'blue'] }, ['b', 'c']],
    ['name_contains, whatever the case', { name_contains: 'ALPH' }, ['a']],
    ['name_contains, literally', { name_contains: '100%' }, ['c']],
    ['name_contains: % is no wildcard', { name_contains: 'a%a' }, []],
    ['created_after', { created_after: '2026-03-01T12:00:01Z' }, ['b']],
    ['created_before, in another notation', { created_before: '2026-03-01T13:00:01.000+01:00' }, ['c']],
    ['updated_before', { updated_before: '2026-03-01T12:00:02Z' }, ['a', 'c']],
    ['updated_after', { updated_after: '2026-03-01T12:00:00Z' }, ['b', 'a']],
    ['concept_ids', { concept_ids: ['spring'] }, ['c']],
    ['has_variables', { has_variables: true }, ['b']],
    ['has_variables: false', { has_variables: false }, ['a', 'c']],
    ['unassigned', { unassigned: true }, ['b', 'a']],
    ['unassigned: false', { unassigned: false }, ['c']],
    ['accounts: an unknown one matches nothing', { accounts: [{ account_id: 'nobody' }] }, []],
  ])('filters by %s', async (_name, filters, expected) => {
    const { creatives, query_summary, pagination } = await list({ filters })
    expect(creatives.map((row: Row) => row.creative_id)).toEqual(expected)
    expect(query_summary).toMatchObject({ total_matching: expected.length, returned: expected.length })
    expect(pagination).toEqual({ has_more: false, total_count: expected.length })
  })

  it('filters by format, package and media buy', async () => {
    expect(await ids({ format_ids: [{ agent_url: `${agent.url}/`, id: 'video_30s' }] })).toEqual(['b'])
    expect(await ids({ format_ids: [{ agent_url: 'https://other.example', id: 'video_30s' }] })).toEqual([])
    expect(await ids({ assigned_to_packages: [packageId, 'x'] })).toEqual(['c'])
    expect(await ids({ media_buy_ids: [buyId] })).toEqual(['c'])
    expect(await ids({ media_buy_ids: ['x'] })).toEqual([])
  })

  it('knows from the ad server what has served', async () => {
    expect(await ids({ has_served: true })).toEqual([])
    agent.setClock('2026-03-04T00:00:00Z')
    expect(await ids({ has_served: true })).toEqual(['c'])
    expect(await ids({ has_served: false })).toEqual(['b', 'a'])
    expect(await ids({ has_served: true, creative_ids: ['a'] })).toEqual([])
    agent.setClock('2026-03-01T12:00:02Z')
  })

  it('walks pages in every order; a cursor belongs to its query', async () => {
    for (const field of ['created_date', 'updated_date', 'name', 'status', 'assignment_count']) {
      for (const direction of ['asc', 'desc']) {
        const sort = { field, direction }
        const whole = await ids({}, { sort })
        const walked: string[] = []
        let cursor: string | undefined
        do {
          const page = await list({ sort, pagination: { max_results: 1, ...(cursor && { cursor }) } })
          expect(page.query_summary).toMatchObject({ total_matching: 3, returned: 1 })
          walked.push(page.creatives[0].creative_id)
          cursor = page.pagination.cursor
          expect(page.pagination.has_more).toBe(cursor !== undefined)
        } while (cursor)
        expect(walked, `${field} ${direction}`).toEqual(whole)
      }
    }
    const { pagination } = await list({ pagination: { max_results: 1 } })
    const other = await list({ filters: { tags: ['red'] }, pagination: { cursor: pagination.cursor } })
    expect(other.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'pagination.cursor' })
  })

  it('shows what was asked for', async () => {
    const [full] = (await list({ filters: { creative_ids: ['c'] } })).creatives
    expect(full).toMatchObject({
      name: 'Charlie 100%',
      format_id: { agent_url: agent.url, id: 'display_300x250' },
      assets: { image: { width: 300 } },
      tags: ['red', 'wide'],
      concept_id: 'spring',
      concept_name: 'Spring',
      assignments: { assignment_count: 1 },
    })
    const [narrow] = (await list({ filters: { creative_ids: ['c'] }, fields: ['creative_id', 'tags'], include_snapshot: true }))
      .creatives
    expect(Object.keys(narrow).sort()).toEqual([
      'created_date',
      'creative_id',
      'format_id',
      'name',
      'status',
      'tags',
      'updated_date',
    ])
    const [extra] = (
      await list({
        filters: { creative_ids: ['b'] },
        include_assignments: false,
        include_items: true,
        include_variables: true,
        include_snapshot: true,
      })
    ).creatives
    expect(extra).toMatchObject({
      items: [{ asset_kind: 'media', asset_id: 'video', content_uri: 'https://cdn.example/b.mp4' }],
      variables: [{ variable_id: 'v' }],
      snapshot: { staleness_seconds: 0, impressions: 0 },
    })
    expect(extra).not.toHaveProperty('assignments')
  })

  it('says of each creative how its review stands, in the text too', async () => {
    const { raw } = await agent.run('list_creatives', { ext: { answer_text: 'summary' } })
    const text = String(raw.result.content[0].text)
    expect(text).toContain('- c: approved; Charlie 100%; display_300x250; in 1 package\n')
    expect(text).toContain('- b: approved; Bravo; video_30s; in 0 packages\n')
  })

  it('sums up', async () => {
    expect(await list()).toMatchObject({
      format_summary: { display_300x250: 2, video_30s: 1 },
      status_summary: { approved: 3 },
      query_summary: { filters_applied: [], sort_applied: { field: 'created_date', direction: 'desc' } },
    })
  })
})
