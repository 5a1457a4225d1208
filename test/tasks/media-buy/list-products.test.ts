import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compactBuyer, idsOf } from '../../support/compact-buyer.ts'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'

describe.skipIf(!LINES.includes('3.2'))('offers are listed', () => {
  let agent: ReleaseAgent
  beforeAll(async () => {
    agent = await startReleaseAgent()
  }, 120_000)
  afterAll(() => agent?.stop())
  const { answer, ask, refused } = compactBuyer(() => agent)

  test('a list walks every offer once, in the order and by the filters of get_products, and says when it is unchanged', async () => {
    const established = await ask('get_products', { buying_mode: 'wholesale', pagination: { max_results: 100 } })
    const walked: string[] = []
    let cursor: string | undefined
    do {
      const page = await ask('list_products', { max_results: 7, ...(cursor && { cursor }) })
      expect(page).toMatchObject({ outcome: 'listed', cache_scope: 'public', feed_version: expect.stringMatching(/^fv_/) })
      expect(page.status).toBeUndefined()
      for (const product of page.products) {
        expect(product.format_ids).toBeUndefined()
        expect(product.format_options.length).toBeGreaterThan(0)
      }
      walked.push(...idsOf(page.products))
      cursor = page.next_cursor
    } while (cursor)
    expect(walked).toEqual(idsOf(established.products))

    const offer_filters = { channels: ['olv'], countries: ['US'] }
    const filtered = await ask('list_products', { criteria: { offer_filters }, max_results: 100 })
    const same = await ask('get_products', { buying_mode: 'wholesale', filters: offer_filters, pagination: { max_results: 100 } })
    expect(idsOf(filtered.products)).toEqual(idsOf(same.products))
    expect(filtered.products.length).toBeGreaterThan(0)

    const again = await ask('list_products', { criteria: { offer_filters }, if_feed_version: filtered.feed_version })
    expect(again).toEqual({
      outcome: 'unchanged',
      feed_version: filtered.feed_version,
      cache_scope: 'public',
      ...contextOf(again),
    })
    expect((await ask('list_products', { if_feed_version: filtered.feed_version })).outcome).toBe('listed')
    expect(
      Object.keys((await ask('list_products', { fields: ['product_id', 'name'], max_results: 1 })).products[0]).sort(),
    ).toEqual(expect.arrayContaining(['name', 'product_id']))
  })

  test('a filter beside its criteria leads to the whole path, and that is taken', async () => {
    for (const [member, meant] of [
      [
        { pagination: { max_results: 3 } },
        'pagination is not known here; did you mean max_results, and cursor for the next page?',
      ],
      [{ filters: { countries: ['US'] } }, 'filters is not known here; did you mean criteria.offer_filters?'],
      [{ brief: 'video' }, 'brief is not known here; did you mean get_products or request_proposals, which take a brief?'],
    ] as const)
      expect((await refused('3.2', 'list_products', member)).message).toBe(meant)
    const wrong = await refused('3.2', 'list_products', { criteria: { countries: ['US'] } })
    expect(wrong.message).toContain('did you mean criteria.offer_filters.countries?')
    const right = await ask('list_products', { criteria: { offer_filters: { countries: ['US'] } }, max_results: 1 })
    expect(right.products).toHaveLength(1)
  })

  test('the tasks are declared where they are served, and an earlier release names what does it there', async () => {
    const { media_buy } = await ask('get_adcp_capabilities')
    expect(media_buy.lifecycle_tools).toEqual([
      ...['list_products', 'request_proposals', 'refine_proposals', 'decline_proposals'],
      ...['buy_products', 'accept_proposal', 'control_media_buy'],
    ])
    expect(media_buy.proposal_refinement).toMatchObject({ max_alternatives: 5 })
    for (const line of ['3.0', '3.1']) {
      const { media_buy: earlier } = await answer(line, 'get_adcp_capabilities', {})
      expect(earlier.lifecycle_tools).toBeUndefined()
      expect((await refused(line, 'buy_products', {})).message).toContain(
        'where create_media_buy does it; send adcp_version "3.2"',
      )
    }
  })
})

function contextOf({ context }: { readonly context?: unknown }) {
  return context === undefined ? {} : { context }
}
