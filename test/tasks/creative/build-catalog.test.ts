import { expect, it } from 'vitest'
import { chosenItems } from '../../../src/tasks/creative/build-catalog.ts'
import { counted, type Reads } from '../../support/counted.ts'

it.each(['tags', 'gtins'] as const)(
  'chooses items by %s and reads what is wanted once, however many items there are',
  (member) => {
    const reads: Reads = { count: 0 }
    const wanted = counted(
      Array.from({ length: 300 }, (_, index) => `w${index}`),
      reads,
    )
    const items = Array.from({ length: 300 }, (_, index) => ({ gtin: `w${index + 299}`, tags: ['none', `w${index + 299}`] }))
    expect(chosenItems({ [member]: wanted }, items)).toEqual([items[0]])
    expect(reads.count).toBeLessThanOrEqual(600)
  },
)
