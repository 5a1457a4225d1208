import { expect, it } from 'vitest'
import { namedAndStored } from '../../src/domain/named-and-stored.ts'
import { counted, type Reads } from '../support/counted.ts'

it('tells repeated ids, what is stored under an id, and what is stored and not named', () => {
  const { isFirst, storedOf, others } = namedAndStored(['a', 'b', 'a'], [{ id: 'b' }, { id: 'c' }], ({ id }) => id)
  expect([0, 1, 2].map(isFirst)).toEqual([true, true, false])
  expect([storedOf('b'), storedOf('a')]).toEqual([{ id: 'b' }, undefined])
  expect(others).toEqual([{ id: 'c' }])
})

it('reads each list a fixed number of times, however many ids are named and stored', () => {
  const reads: Reads = { count: 0 }
  const ids = (from: number) => Array.from({ length: 500 }, (_, index) => `id${from + index}`)
  const { isFirst, storedOf, others } = namedAndStored(counted(ids(0), reads), counted(ids(250), reads), (id) => id)
  expect(ids(0).filter((id, index) => isFirst(index) && storedOf(id) !== undefined)).toHaveLength(250)
  expect(others).toHaveLength(250)
  expect(reads.count).toBeLessThanOrEqual(2_000)
})
