import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent
const fill = <Item>(count: number, item: (index: number) => Item) => Array.from({ length: count }, (_, index) => item(index))
const KEPT = 3
const BUY = fill(20, (index) => ({
  product_id: 'news',
  pricing_option_id: 'cpm',
  budget: 1000,
  context: { note: `${index} ${'é word. '.repeat(7_000)}` },
}))

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  const format_id = { agent_url: agent.url, id: 'display_300x250' }
  const image = { asset_type: 'image', url: 'https://cdn.brand.example/a.png', width: 300, height: 250 }
  const click_url = { asset_type: 'url', url: 'https://brand.example/', url_type: 'clickthrough' }
  for (const each of fill(KEPT, (index) => index)) {
    const large = fill(10, (part) => `${part} ${'Nothing violent. '.repeat(5_000)}`)
    const made = [
      await agent.run('create_content_standards', {
        scope: { languages_any: ['en'] },
        policies: fill(200, (at) => ({ policy_id: `p${at}`, enforcement: 'must', policy: 'Nothing violent. '.repeat(290) })),
      }),
      await agent.run('create_property_list', {
        name: `list ${each}`,
        base_properties: [
          {
            selection_type: 'identifiers',
            identifiers: fill(6_000, (at) => ({ type: 'domain', value: `${'a.'.repeat(90)}h${at}.example` })),
          },
        ],
      }),
      await agent.run('sync_creatives', {
        creatives: [
          {
            ...{ creative_id: `c${each}`, name: `creative ${each}`, format_id },
            assets: {
              image,
              click_url,
              ...Object.fromEntries(large.map((content, at) => [`text${at}`, { asset_type: 'text', content }])),
            },
          },
        ],
      }),
      await agent.create({ packages: BUY }),
    ]
    for (const { isError, data } of made) if (isError) throw new Error(JSON.stringify(data).slice(0, 2_000))
  }
})
afterAll(() => agent?.stop())

it.each([
  ['list_content_standards', 'standards', 'standards_id', {}],
  ['list_property_lists', 'lists', 'list_id', {}],
  ['list_creatives', 'creatives', 'creative_id', {}],
  ['get_media_buys', 'media_buys', 'media_buy_id', { status_filter: ['pending_creatives', 'pending_start', 'active'] }],
])('%s shows large ones on several pages, each of them once', async (task, member, id, args) => {
  const seen: string[] = []
  let pages = 0
  for (let cursor: string | undefined, more = true; more; pages++) {
    const { data, isError } = await agent.run(task, { ...args, pagination: { max_results: 50, ...(cursor && { cursor }) } })
    expect(isError, JSON.stringify(data).slice(0, 500)).toBe(false)
    seen.push(...data[member].map((each: Record<string, string>) => each[id]))
    cursor = data.pagination.cursor
    more = data.pagination.has_more
    expect(data[member].length).toBeGreaterThan(0)
  }
  expect(new Set(seen).size).toBe(KEPT)
  expect(seen).toHaveLength(KEPT)
  expect(pages).toBeGreaterThan(1)
})

it('media buys that are asked for by their ids are shown on several pages too, and those that there are not once', async () => {
  const { data: all } = await agent.run('get_media_buys', { media_buy_ids: ['none'] })
  expect(all.errors).toMatchObject([{ code: 'MEDIA_BUY_NOT_FOUND', field: 'media_buy_ids[0]' }])
  const ids = (await agent.server.store.read.selectFrom('media_buys').select('media_buy_id').execute()).map(
    ({ media_buy_id: mediaBuyId }) => mediaBuyId,
  )
  const first = await agent.run('get_media_buys', { media_buy_ids: ids })
  expect(first.data.pagination.has_more).toBe(true)
  const second = await agent.run('get_media_buys', {
    media_buy_ids: ids,
    pagination: { cursor: first.data.pagination.cursor },
  })
  const shown = [...first.data.media_buys, ...second.data.media_buys].map(({ media_buy_id: id }) => id)
  expect(shown.toSorted()).toEqual(ids.toSorted())
})
