import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { buildIndex } from '../../../src/domain/product/product-index.ts'
import { demoProducts } from '../../support/demo-products.ts'
import { type JudgedBriefs, judge, mean } from '../../support/judged-briefs.ts'

const briefs: JudgedBriefs = JSON.parse(readFileSync(new URL('../../fixtures/judged-briefs.json', import.meta.url), 'utf8'))
const index = buildIndex(demoProducts())

/** Slightly below what was reached (bench/ranking.ts), so that a change that costs a brief or two is seen. */
const FLOORS = {
  open: { precision: 0.7, relevant: 0.66, good: 0.82 },
  heldOut: { precision: 0.61, relevant: 0.6, good: 0.69 },
} as const

describe('briefs that a reader judged', () => {
  it.each(['open', 'heldOut'] as const)('of the %s half find what fits them', (half) => {
    const verdicts = briefs[half].map((brief) => judge(index, brief))
    expect(verdicts).toHaveLength(20)
    for (const member of ['precision', 'relevant', 'good'] as const)
      expect([member, mean(verdicts, member) >= FLOORS[half][member], mean(verdicts, member)]).toEqual([
        member,
        true,
        expect.any(Number),
      ])
  })

  it('name products that there are', () => {
    const named = Object.values(briefs).flatMap((half: JudgedBriefs['open']) =>
      half.flatMap(({ good, acceptable }) => [...good, ...acceptable]),
    )
    expect(named.filter((id) => !index.positions.has(id))).toEqual([])
  })
})
