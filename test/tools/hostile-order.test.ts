import { expect, it } from 'vitest'
import { ordered, readShard } from '../../bench/hostile/order.ts'
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
