import { expect, test } from 'vitest'
import { orderIsolation } from '../../../src/tasks/media-buy/order-isolation.ts'

const governed = { planId: undefined, approvals: [], presented: undefined }
const plain = { kind: 'booked', assignments: [], governed } as const
const pkg = { product_id: 'news', pricing_option_id: 'cpm', budget: 1 }
const creative = { creative_id: 'c', name: 'C', format_id: { agent_url: 'https://a.example/', id: 'f' }, assets: {} }

test('an order that only inserts what is its own runs beside others', () => {
  expect(orderIsolation({ packages: [pkg] }, plain)).toBe('read-committed')
  expect(orderIsolation({}, plain)).toBe('read-committed')
})

test('one that goes by what is there already is kept apart', () => {
  expect(orderIsolation({ packages: [{ ...pkg, creatives: [creative] }] }, plain)).toBe('serializable')
  expect(orderIsolation({ packages: [pkg] }, { ...plain, assignments: [['p', []]] })).toBe('serializable')
  expect(orderIsolation({ packages: [pkg] }, { ...plain, kind: 'held' })).toBe('serializable')
  const presented = { token: 'a.b.c', use: undefined }
  expect(orderIsolation({ packages: [pkg] }, { ...plain, governed: { ...governed, presented } })).toBe('serializable')
})
