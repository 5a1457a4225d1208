import { expect, test } from 'vitest'
import { readAsk } from '../../../src/domain/product/ask.ts'
import { buildIndex } from '../../../src/domain/product/product-index.ts'
import { namesAmong } from '../../../src/domain/product/product-names.ts'
import { refinePlan } from '../../../src/domain/product/refine-plan.ts'
import { replaceInIndex } from '../../../src/domain/product/replace-in-index.ts'
import { product } from '../../support/media-buy-fixtures.ts'

const named = (id: string, name: string, channel: 'display' | 'olv', countries = ['SE', 'NO']) => ({
  ...product(id, { name, channels: [channel] }),
  id,
  selling: { ...product(id).selling, coverage: { countries } },
})
const LIST = [
  named('sverige_display', 'Sverige Display', 'display'),
  named('se-wide', 'Sverige Display Wide', 'display'),
  named('norge_video', 'Norge Video', 'olv'),
  named('lagom', 'Lagom, Kaffe and 20% Fika', 'olv'),
  named('uncle', 'Online Video', 'olv'),
]
const products = new Map(LIST.map((each) => [each.id, each]))
const index = buildIndex(LIST)
const names = namesAmong(index, products)
const PLAN = ['sverige_display', 'norge_video', 'lagom']

function refined(text: string, allowed: Pick<typeof products, 'get'> = products) {
  const shares = PLAN.map((id, at) => ({
    productId: id,
    optionId: products.get(id)?.offer.pricing_options[0]?.pricing_option_id ?? '',
    percent: at === 0 ? 40 : 30,
  }))
  const ask = readAsk(text, names)
  const plan = refinePlan(shares, ask, { products, allowed, search: () => [], buyer: 'anybody' })
  const { shares: after, ...said } = plan
  return { ...said, unread: ask.unread, shares: Object.fromEntries(after.map(({ productId, percent }) => [productId, percent])) }
}

test('a place, a figure or a comma in the name or the id of a product is no wish', () => {
  for (const text of ['remove Sverige Display', 'remove sverige_display', 'drop SVERIGE display, please', 'no Sverige Display']) {
    const { shares, failed, unread, ...places } = refined(text)
    expect([Object.keys(shares), failed, unread], text).toEqual([['norge_video', 'lagom'], [], []])
    expect(places, text).toEqual({ done: ['dropped sverige_display'] })
  }
  expect(refined('drop Lagom, Kaffe and 20% Fika')).toMatchObject({ done: ['dropped lagom'], unread: [] })
  expect(refined('more Norge Video').shares['norge_video']).toBeGreaterThan(30)
  expect(refined('Norge Video to 50%').shares).toMatchObject({ norge_video: 50 })
  expect(refined('remove Sverige Display, only in Norway')).toMatchObject({ only: ['NO'], unread: [] })
})

test('a place beside the name of a product stays one, and so do words that are a part of no whole name', () => {
  expect(refined('only in Sverige')).toMatchObject({ only: ['SE'] })
  expect(names('all of Sverige')).toEqual([])
  expect(names('more online video')).toEqual([])
  expect(names('Sverige Display Wide').map(({ id }) => id)).toEqual(['se-wide'])
  expect(names('se-wide and norge_video.').map(({ id }) => id)).toEqual(['se-wide', 'norge_video'])
})

test('only products that are offered are named, and a new name takes the place of an old one', () => {
  expect(namesAmong(index, { get: () => undefined })('Norge Video, norge_video')).toEqual([])
  const renamed = replaceInIndex(index, new Map([[2, named('norge_video', 'Fjord Clips', 'olv')]]))
  const after = namesAmong(renamed, products)
  expect(after('Norge Video')).toEqual([])
  expect(after('Fjord Clips').map(({ id }) => id)).toEqual(['norge_video'])
})

test.each([
  'replace Sverige Display with Sverige Display Wide',
  'swap Sverige Display for Sverige Display Wide',
  'swap sverige_display with se-wide',
  'substitute Sverige Display Wide for Sverige Display',
  'use Sverige Display Wide instead of Sverige Display',
])('%s gives its share to what takes its place', (text) => {
  const { shares, failed, unread, done } = refined(text)
  expect([shares, failed, unread]).toEqual([{ 'se-wide': 40, norge_video: 30, lagom: 30 }, [], []])
  expect(done).toEqual(['se-wide in place of sverige_display, with 40% of the budget'])
})

test('what is in the plan already takes the share beside its own, and "swap" with it exchanges them', () => {
  expect(refined('replace Sverige Display with Norge Video').shares).toEqual({ norge_video: 70, lagom: 30 })
  expect(refined('swap Sverige Display with Norge Video').shares).toEqual({ sverige_display: 30, norge_video: 40, lagom: 30 })
})

test('nothing is replaced by what the filters leave out, or by nothing', () => {
  const allowed = { get: (id: string) => (id === 'se-wide' ? undefined : products.get(id)) }
  const { shares, done, failed } = refined('replace Sverige Display with Sverige Display Wide', allowed)
  expect([Object.keys(shares), done]).toEqual([PLAN, []])
  expect(failed).toEqual(['"Sverige Display Wide" takes the place of nothing: se-wide does not pass the filters of this request'])
  expect(refined('replace Norge Video with unicorns').failed[0]).toContain('none that is offered can join it')
  expect(refined('replace Sweden with Norway')).toMatchObject({ done: [], unread: ['replace Sweden with Norway'] })
})

test('words beside a product that is named are answered', () => {
  expect(refined('remove Sverige Display and paint it blue')).toMatchObject({
    done: ['dropped sverige_display'],
    unread: ['paint blue'],
  })
})
