import { describe, expect, it } from 'vitest'
import { searchedText } from '../../../src/domain/task/searched-text.ts'

describe('what a task is found by', () => {
  it('is each text and number once, the outer ones first', () => {
    const document = { packages: [{ id: 'p1', budget: 5 }, { id: 'p1' }], media_buy_id: 'mb_1', sandbox: true, po: null }
    expect(searchedText(document)).toBe('mb_1\np1\n5')
  })

  it('has a bound, whatever a buyer sends', () => {
    expect(searchedText({ creatives: [{ alt: 'w'.repeat(9_000) }], media_buy_id: 'mb_1' })).toBe('mb_1')
    const many = { ids: Array.from({ length: 100_000 }, (_, index) => `creative-${index}`) }
    expect(searchedText(many).length).toBeLessThanOrEqual(4_000)
    expect(searchedText({ nested: Array.from({ length: 1_000_000 }, () => []) })).toBe('')
  })
})
