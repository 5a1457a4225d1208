import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { reviewItems } from '../../../src/domain/catalog/review-items.ts'
import { tallied } from '../../../src/domain/catalog/sync-catalog.ts'
import { atOnce, type Steps } from '../../../src/platform/concurrency/steps.ts'

const documents = Array.from({ length: 500 }, (_, at) => ({ item_id: `i${at}`, title: 'x', price: 'none' }))

function stepsOf(work: Steps<unknown>): number {
  let steps = 0
  while (!work.next().done) steps += 1
  return steps
}

it('the items of a catalog are reviewed and summed one a step, and their digest is that of their list as JSON', () => {
  expect(stepsOf(reviewItems({ type: 'product' }, documents))).toBe(500)
  const { items } = atOnce(reviewItems({ type: 'product' }, documents))
  const digest = () => createHash('sha256')
  expect(stepsOf(tallied(items, { digest }))).toBe(500)
  expect(atOnce(tallied(items, { digest })).itemsDigest).toBe(createHash('sha256').update(JSON.stringify(items)).digest('hex'))
  expect(atOnce(tallied([], { digest })).itemsDigest).toBe(createHash('sha256').update('[]').digest('hex'))
})
