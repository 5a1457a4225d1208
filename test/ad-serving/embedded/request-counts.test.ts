import { expect, it } from 'vitest'
import { createRequestCounts } from '../../../src/ad-serving/embedded/request-counts.ts'

const away = new Error('the store is away')

it('what cannot be counted while the store is away is told, and not forgotten', async () => {
  const [faults, uncounted]: [unknown[], number[]] = [[], []]
  const counts = createRequestCounts({
    store: { transaction: () => Promise.reject(away) },
    onError: (error) => faults.push(error),
    onUncounted: (requests) => uncounted.push(requests),
  })
  const at = new Date('2026-03-01T12:34:56.789Z')
  for (let place = 0; place < 50_000; place++) counts.add('acme', `place-${place}`, at, true)
  // Of a placement that waits, every request is counted; of another none, twice in this hour and once in the next.
  counts.add('acme', 'place-1', at, true)
  counts.add('acme', 'one-more', at, true)
  counts.add('acme', 'one-more', at, false)
  counts.add('acme', 'place-1', new Date('2026-03-01T13:00:00Z'), false)
  await counts.close()
  expect([faults, uncounted]).toEqual([[away], [3]])
})
