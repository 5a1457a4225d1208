import { expect, test } from 'vitest'
import { Schemas } from '../../src/protocol/schemas.ts'

const schemas = new Schemas()

test.each([
  ['get_products', {}, '/buying_mode', 'is required'],
  ['get_products', { buying_mode: 'guess' }, '/buying_mode', 'must be one of: brief, wholesale, refine'],
  ['get_media_buys', { pagination: { pages: 1 } }, '/pagination/pages', 'is not known here'],
  ['update_media_buy', { canceled: false }, '/canceled', 'must be true'],
] as const)('%s with %j says what to do about %s', (task, request, pointer, message) => {
  expect(schemas.request(task)(request)).toContainEqual(expect.objectContaining({ pointer, message }))
})

test('a moment that is none is named before the constant that may stand in its place', () => {
  const found = schemas.request('create_media_buy')({ start_time: '2027-02-30T00:00:00Z' })
  const start = found.filter(({ pointer }) => pointer === '/start_time').map(({ keyword }) => keyword)
  expect(start.slice(0, 2)).toEqual(['format', 'const'])
})
