import { expect, test } from 'vitest'
import { readAsk } from '../../../src/domain/product/ask.ts'
import { isOrderTermAlone } from '../../../src/domain/product/order-terms.ts'

test.each([
  ...['cap at 3 per user per day', 'cap three a day per device', 'max 3 impressions per person per day', 'limit to twice a week'],
  ...[
    'cap it at 3 views per day per viewer',
    'frequency cap 3 per user per day',
    'capped at three a day',
    'at most 3 a day, please',
  ],
  ...['Show it 3 times a day at most', 'three per household per day'],
  ...['höchstens drei am Tag pro Nutzer', 'max tre visningar per dag', 'trois fois par jour par utilisateur'],
])('"%s" is a cap and nothing else', (text) => {
  for (const ask of [text, `drop display, ${text}`, `${text}; more video`]) {
    const { unread, ordered } = readAsk(ask)
    expect(unread).toEqual([])
    expect(ordered).toEqual(['frequency cap'])
  }
})

test.each([
  'lower the frequency to 2 a day',
  'reduce the cap to 2 per day',
  'raise frequency to 4 a day',
  'fewer: 2 a day per user',
])('"%s" changes the cap, and no share of a product', (text) => {
  const { unread, changes, carried } = readAsk(text)
  expect({ unread, changes }).toEqual({ unread: [], changes: [] })
  expect(carried.frequency_cap).toBeDefined()
  expect(readAsk(`${text}; less video`).changes).toHaveLength(1)
})

test('what stands beside a cap is said not to be read, and the cap is not', () => {
  const { unread, carried } = readAsk('three a day for our loyal fans')
  expect(carried.frequency_cap).toMatchObject({ max_impressions: 3 })
  expect(unread).toHaveLength(1)
  expect(unread[0]).toMatch(/loyal/)
  expect(unread[0]).not.toMatch(/three|day/)
  expect(isOrderTermAlone('three a day for loyal fans')).toBe(false)
})
