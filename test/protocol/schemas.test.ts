import { expect, test } from 'vitest'
import { Schemas } from '../../src/protocol/schemas.ts'

const schemas = new Schemas()

test.each([
  ['get_products', {}, '/buying_mode', 'is required: one of: brief, wholesale, refine'],
  ['get_products', { buying_mode: 'guess' }, '/buying_mode', 'must be one of: brief, wholesale, refine, not "guess"'],
  ['get_media_buys', { pagination: { pages: 1 } }, '/pagination/pages', 'is not known here; known: max_results, cursor'],
  ['update_media_buy', { canceled: false }, '/canceled', 'must be true, not false; else leave it out'],
] as const)('%s with %j says what to do about %s', (task, request, pointer, message) => {
  expect(schemas.request(task)(request)).toContainEqual(expect.objectContaining({ pointer, message }))
})

test('of a union, only what concerns the form that was meant is said', () => {
  const found = schemas.request('create_media_buy')({ start_time: '2027-02-30T00:00:00Z' })
  expect(found.filter(({ pointer }) => pointer === '/start_time')).toEqual([
    {
      wanted: 'moment',
      pointer: '/start_time',
      keyword: 'format',
      message: 'must be "asap" or a date and time with its zone such as "2027-03-01T00:00:00Z", not "2027-02-30T00:00:00Z"',
    },
  ])
})

test('findings about answers and configuration quote no value', () => {
  const found = schemas.response('get_products')({ products: 'a-secret' })
  expect(JSON.stringify(found)).not.toContain('a-secret')
})
