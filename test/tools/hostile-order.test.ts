import { expect, it } from 'vitest'
import { casesOf, type Door } from '../../bench/hostile/cases.ts'
import { ordered, readShard, triedOf } from '../../bench/hostile/order.ts'
import { partsOf } from '../../bench/hostile/workers.ts'

const ids = Array.from({ length: 1_000 }, (_, index) => `case ${index}`)

it('parts of one seed are together all cases, each once, in the order of the whole', () => {
  const whole = ordered(ids, 7)
  const parts = [1, 2, 3].map((part) => ordered(ids, 7, { part, of: 3 }))
  expect(parts.flat().toSorted()).toEqual(ids.toSorted())
  expect(parts.every((part) => part.length > 250)).toBe(true)
  for (const part of parts) expect(whole.filter((id) => part.includes(id))).toEqual(part)
})

it('a seed gives the same order and parts again, a new case moves no other, and another seed differs', () => {
  const shard = { part: 2, of: 3 }
  const part = ordered(ids, 7, shard)
  expect(ordered(ids.toReversed(), 7, shard)).toEqual(part)
  expect(ordered([...ids, 'another'], 7, shard).filter((id) => id !== 'another')).toEqual(part)
  expect(ordered(ids, 8, shard)).not.toEqual(part)
})

it('each place is tried once before any is tried again, and all its cases are in one part', () => {
  const cases = ['a', 'b', 'c'].flatMap((place) => ['x', 'y', 'z'].map((pattern) => `door · ${place} · ${pattern} · 10`))
  const whole = ordered(cases, 3)
  expect(new Set(whole.slice(0, 3).map((id) => id.split(' · ')[1]))).toEqual(new Set(['a', 'b', 'c']))
  for (const part of [1, 2]) expect(ordered(cases, 3, { part, of: 2 }).length % 3).toBe(0)
})

function doorOf(title: string, schema: object, at: string): Door {
  const put = (_request: unknown, value: unknown) => value
  const place = {
    path: 'query.done',
    at,
    kind: 'text',
    schema: { ...schema },
    name: 'done',
    item: (index: number) => index,
    put,
  } as const
  const limits = { bytes: 1_000, items: 10, values: 10, text: () => 1_000 }
  return { title, limits, places: [place], ask: () => ({ method: 'GET', path: '/', headers: {} }) }
}

it.each([
  ['whose values are a closed list', doorOf('3.0 task', { enum: ['a', 'b'] }, 'schema#'), 4, 28],
  ['with a limit of its own, beyond it', doorOf('3.0 task', { maxLength: 100 }, 'schema#'), 28 + 4, 56],
  ['of a schema', doorOf('3.0 task', {}, 'schema#'), 28, 28],
  ['of a page', doorOf('console GET /', {}, ''), 28, 28],
])('of a place %s', (_what, door, tried, derived) => {
  const cases = casesOf([door])
  expect([triedOf(cases, 7).length, cases.length]).toEqual([tried, derived])
  expect(triedOf(cases, 7).toSorted()).toEqual(triedOf(cases.toReversed(), 7).toSorted())
})

it('a name that many pages read alike is tried with a few patterns in each, others with each seed, and together with all', () => {
  const pages = Array.from({ length: 40 }, (_, index) => doorOf(`console GET /${index}`, {}, ''))
  const cases = casesOf(pages)
  const tried = triedOf(cases, 7)
  expect(tried).toHaveLength(40 * 4)
  expect(tried).not.toEqual(triedOf(cases, 8))
  expect(new Set(tried.map((id) => id.split(' · ')[2])).size).toBeGreaterThan(25)
})

it.each([
  ['1/1', { part: 1, of: 1 }],
  ['8/8', { part: 8, of: 8 }],
  ['0/8', undefined],
  ['9/8', undefined],
  ['1/0', undefined],
  ['1', undefined],
  ['1/8/2', undefined],
  ['', undefined],
])('reads %s', (text, shard) => {
  expect(readShard(text)).toEqual(shard)
})

it('what several processes are given is the part that they share, each case once', () => {
  const shard = { part: 2, of: 3 }
  const given = partsOf(shard, 4).flatMap((part) => ordered(ids, 7, part))
  expect(given.toSorted()).toEqual([...ordered(ids, 7, shard)].toSorted())
})
