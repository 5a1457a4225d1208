import { expect, test } from 'vitest'
import { isOrderTermAlone, orderTermRefusal, orderTermsIn, orderTermsNotes } from '../../../src/domain/product/order-terms.ts'
import { takesOf } from '../../../src/domain/product/overlay-support.ts'
import { product as productOf } from '../../support/media-buy-fixtures.ts'

test.each([
  ['two weeks before Christmas', ['dates']],
  ['from 2026-12-01 to 2026-12-24', ['dates']],
  ['in May, daily reports', ['reports', 'dates']],
  ['Q3 launch', ['dates']],
  ['a weekly report', ['weekly reports']],
  ['reports every week, two weeks before Christmas', ['weekly reports', 'dates']],
  ['twice per user per week', ['frequency cap']],
  ['a 30-day window, may contain march music', []],
  ['sports video, 20,000 USD, CPM 12', []],
])('"%s" names %j of an order', (text, terms) => expect(orderTermsIn(text)).toEqual(terms))

test.each([
  ['two weeks from 2026-12-10, weekly report', true],
  ['more display in December', false],
  ['more display', false],
])('"%s" is about the order alone: %s', (text, alone) => expect(isOrderTermAlone(text)).toBe(alone))

const product = (id: string, frequencyCap: boolean) =>
  productOf(id, {}, { targeting: { geo: [], keywords: false, frequencyCap, geoProximity: false } })

test.each([
  [
    [product('a', true), product('b', true)],
    /^the frequency cap \(targeting_overlay\.frequency_cap of each package; of a bought proposal by update_media_buy\)/,
  ],
  [[product('a', true), product('b', false)], /update_media_buy; of these products a alone takes one\)/],
  [[product('a', false), product('b', false)], /^the frequency cap \(none of these products takes one\)/],
])('a cap is named as possible for the products that take one: %#', (products, said) => {
  const [note = ''] = orderTermsNotes(['frequency cap'], products, takesOf())
  expect(note.replace('Not part of products and proposals: ', '')).toMatch(said)
  expect(orderTermRefusal('frequency cap', [product('a', false)], takesOf())).toMatch(/: the product takes none$/)
})

test('products that do not take what proposals carry are named', () => {
  const carried = { frequency_cap: { max_impressions: 3, window: { interval: 1, unit: 'days' } } } as const
  const note = (...products: ReturnType<typeof product>[]) => orderTermsNotes([], products, takesOf(), { carried })
  expect(note(product('a', true))).toEqual([
    'Proposals carry into their packages: at most 3 impressions of a device in 1 day; packages of your own have it in targeting_overlay.',
  ])
  expect(note(product('a', true), product('b', false))).toEqual([
    expect.stringMatching(/; packages of your own have it in targeting_overlay \(b takes no frequency_cap\)\.$/),
  ])
})

const reporting = (id: string, rhythms: ('hourly' | 'daily' | 'monthly')[], supports_webhooks = true) => {
  const made = productOf(id)
  const reporting_capabilities = {
    ...made.offer.reporting_capabilities,
    available_reporting_frequencies: rhythms,
    supports_webhooks,
  }
  return { ...made, offer: { ...made.offer, reporting_capabilities } }
}

test.each([
  [[reporting('a', ['daily']), reporting('b', ['daily'])], '; reporting_webhook of the order reports daily)'],
  [
    [reporting('a', ['hourly', 'daily']), reporting('b', ['daily'])],
    '; reporting_webhook of the order reports hourly (a alone), daily)',
  ],
  [
    [reporting('a', ['hourly'], false), reporting('b', ['monthly'])],
    '; reporting_webhook of the order reports monthly (b alone))',
  ],
])('reports are named as these products have them: %#', (products, said) => {
  for (const term of ['reports', 'weekly reports'] as const)
    expect(orderTermsNotes([term], products, takesOf()).join()).toContain(said)
  expect(orderTermsNotes(['reports'], [reporting('a', ['hourly'], false)], takesOf()).join()).not.toContain('reporting_webhook')
})

test('a refusal says of no term that nothing has it, and names the members of the task that was asked', () => {
  const products = [product('a', true)]
  for (const by of ['get_products', 'refine_proposals'] as const)
    for (const term of ['dates', 'frequency cap', 'reports', 'weekly reports', 'days of the week', 'hours of the day'] as const)
      expect(orderTermRefusal(term, products, takesOf(), by)).not.toContain('no product or proposal has')
  expect(orderTermRefusal('dates', products, takesOf())).toMatch(/^the dates, which an ask does not change: filters\.start_date /)
  const later = orderTermRefusal('dates', products, takesOf(), 'refine_proposals')
  expect(later).toMatch(/: constraints\.flight .*criteria\.offer_filters\.start_date/)
  expect(later).not.toMatch(/[^_]filters\.|to order/)
})

test.each([
  ['höchstens drei am Tag, wöchentlicher Bericht', ['frequency cap', 'weekly reports']],
  ['max tre visningar per dag, veckorapport', ['frequency cap', 'weekly reports']],
  ['trois fois par jour', ['frequency cap']],
  ['drop display and only on Saturdays', ['days of the week']],
  ['the Sunday paper, 5 euro per dag', []],
  ['sports, weekends only', ['days of the week']],
  ['Saturdays and Sundays', ['days of the week']],
  ['weekend only', ['days of the week']],
  ['Mondays, Tuesdays and Fridays', ['days of the week']],
  ['evenings', ['hours of the day']],
  ['only in the morning', ['hours of the day']],
  ['from 6 to 10 pm', ['hours of the day']],
  ['nur abends', ['hours of the day']],
  ['på kvällen', ['hours of the day']],
  ['weekend magazine readers, evening news, 10-20 banners', []],
])('%s', (text, terms) => expect(orderTermsIn(text)).toEqual(terms))

test('a long text is read in time that grows with its length', () => {
  const started = performance.now()
  for (const part of [
    'three per user ',
    'report every ',
    '10 ',
    'daily reports ',
    '2026-12-',
    'tre visningar per ',
    'saturdays and ',
    'from 6 to ',
    'only on the ',
  ])
    orderTermsIn(part.repeat(20_000))
  expect(performance.now() - started).toBeLessThan(2_000)
})

test('terms that are had in the same way are named together', () => {
  const [note] = orderTermsNotes(['days of the week', 'hours of the day'], [product('a', true)], takesOf())
  expect(note).toMatch(/: the days of the week and the hours of the day \(/)
})
