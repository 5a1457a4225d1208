import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { summarizeProposed } from '../../../src/tasks/media-buy/proposal-summaries.ts'
import { account } from '../../support/compact-buyer.ts'
import { BRIEF, DAYS, digestOf, type Json, PRODUCT, proposalBuyer, startProposalAgent } from '../../support/proposal-buyer.ts'
import { LINES, type ReleaseAgent } from '../../support/release-agent.ts'

describe.skipIf(!LINES.includes('3.2'))('proposals are drafted', () => {
  let agent: ReleaseAgent
  beforeAll(async () => {
    agent = await startProposalAgent()
  }, 120_000)
  afterAll(() => agent?.stop())
  const { ask, refused } = proposalBuyer(() => agent)

  test('a brief is answered with drafts, whose terms have dates, a budget and a digest', async () => {
    const { outcome, proposals, products } = await ask('request_proposals', { ...BRIEF, criteria: DAYS })
    expect(outcome).toBe('proposed')
    for (const { proposal_status, commercial_terms: terms, terms_digest } of proposals) {
      expect(proposal_status).toBe('draft')
      expect(terms_digest).toBe(digestOf(terms))
      expect(terms).toMatchObject({
        brand: { domain: account.brand.domain },
        start_time: '2026-05-01T00:00:00.000Z',
        end_time: '2026-05-31T00:00:00.000Z',
        total_budget: { amount: 40_000, currency: 'USD' },
      })
      const ids = products.map(({ product_id }: Json) => product_id)
      for (const { product_id } of terms.purchases) expect(ids).toContain(product_id)
    }
    const none = await ask('request_proposals', { ...BRIEF, criteria: { offer_filters: { channels: ['cinema'] } } })
    expect(none).toMatchObject({ outcome: 'rejected', reason: expect.any(String) })
    const over = { offer_filters: { start_date: '2020-01-01', end_date: '2020-02-01' }, product_ids: [PRODUCT] }
    expect(await ask('request_proposals', { ...BRIEF, criteria: over })).toMatchObject({ outcome: 'rejected' })
    expect(
      await refused('request_proposals', {
        ...BRIEF,
        criteria: { outcome_target: { goal: { kind: 'metric', metric: 'clicks' }, volume: 5 } },
      }),
    ).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      field: 'criteria.outcome_target',
    })
  })

  test.each([
    [', three a day', {}, 'a frequency cap: '],
    ['. Deliver only in Canada.', {}, 'CA: '],
    ['', { countries: ['CA'] }, 'CA: '],
    ['', { regions: ['US-NY'] }, 'places within a country'],
  ])('a forecast is left out for "%s" %j as get_products leaves it out, and the answer says so', async (words, filters, what) => {
    const brief = 'Outdoor video and display, $40,000'
    const whole = await ask('request_proposals', { brief, criteria: DAYS })
    for (const { forecast } of whole.proposals) expect(forecast.points[0].label).toBe('30 days, untargeted')
    expect(whole.ext.notes.join(' ')).not.toContain('not estimated')
    const criteria = { offer_filters: { ...DAYS.offer_filters, ...filters } }
    const { proposals, ext } = await ask('request_proposals', { brief: `${brief}${words}`, criteria })
    expect(proposals.length).toBeGreaterThan(0)
    for (const { forecast } of proposals) expect(forecast).toBeUndefined()
    expect(ext.notes.join(' ')).toContain(`Forecasts are not estimated for ${what}`)
    expect(ext.notes.join(' ')).toContain('refine_proposals with action "finalize" checks what is available.')
  })

  test('the days of a brief count as in get_products: what is sold by the day has to fit the budget with all of them', async () => {
    const brief = 'News homepage takeover and display, 50,000 USD, 2026-05-01 to 2026-05-28'
    const { proposals } = await ask('request_proposals', { brief })
    const drafted = proposals.map(({ commercial_terms: { purchases } }: Json) =>
      purchases.map(({ product_id }: Json) => product_id),
    )
    const search = await agent.ask('3.2', 'get_products', { buying_mode: 'brief', brief, account })
    const planned = search.data.proposals.map(({ allocations }: Json) => allocations.map(({ product_id }: Json) => product_id))
    expect(drafted).toEqual(planned)
    expect(drafted.flat()).not.toContain('news_homepage_takeover')
  })

  test('what a brief demands is confirmed, and is in the terms', async () => {
    const { targeting_resolution, proposals, ext } = await ask('request_proposals', {
      brief: `${BRIEF.brief}. Deliver only in the US.`,
      criteria: DAYS,
    })
    expect(targeting_resolution).toEqual({ brief_targeting: { geo_countries: ['US'] } })
    expect(ext.notes[0]).toContain('delivery in US alone')
    for (const { commercial_terms: terms } of proposals)
      for (const { targeting_overlay } of terms.purchases) expect(targeting_overlay).toEqual({ geo_countries: ['US'] })
    for (const line of summarizeProposed({ proposals })
      .split('\n')
      .filter((each) => each.includes('terms_digest')))
      expect(line).toContain('; only US; ')
    const nowhere = await ask('request_proposals', { brief: `${BRIEF.brief}. Deliver only in Japan.`, criteria: DAYS })
    // Inventory of the sandbox has no country: it can be limited to any.
    for (const { commercial_terms: terms } of nowhere.proposals ?? [])
      for (const { product_id, targeting_overlay } of terms.purchases)
        expect([product_id, targeting_overlay]).toEqual(['test-product', { geo_countries: ['JP'] }])
    const aged = await ask('request_proposals', { brief: `${BRIEF.brief}. Only adults aged 25 to 54.`, criteria: DAYS })
    expect(aged).toMatchObject({ outcome: 'rejected', reason: expect.stringContaining('25 to 54') })
  })

  test('days in words are those of the terms; days that nobody gave are said to be assumed, in the text too', async () => {
    const words = 'Outdoor video and display in the US, $40,000, from 1 to 30 June'
    const read = await ask('request_proposals', { brief: words })
    for (const { commercial_terms: terms } of read.proposals)
      expect(terms).toMatchObject({ start_time: '2026-06-01T00:00:00.000Z', end_time: '2026-07-01T00:00:00.000Z' })
    expect(read.ext.notes[0]).toMatch(/^Days read from the brief: 2026-06-01/)
    const open = await ask('request_proposals', BRIEF)
    const [{ proposal_id, terms_digest, commercial_terms: terms }] = open.proposals
    expect(open.ext.notes[0]).toBe(
      `No days were given: the flight from ${terms.start_time} to ${terms.end_time} is assumed; criteria.offer_filters.start_date and end_date set others.`,
    )
    const text = summarizeProposed(open)
    for (const part of [proposal_id, terms_digest, terms.start_time, terms.end_time, '40000 USD', open.ext.notes[0]])
      expect(text).toContain(part)
    for (const { product_id, budget } of terms.purchases) expect(text).toMatch(new RegExp(`${product_id} \\S+ ${budget}`))
  })
})
