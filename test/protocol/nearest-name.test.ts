import { describe, expect, it } from 'vitest'
import { instead, NameSearch, nearestName } from '../../src/protocol/nearest-name.ts'

const packages = Array.from({ length: 1_000 }, (_, index) => `mb_0123456789abcdef-${index + 1}`)

describe('the name that was meant', () => {
  it.each([
    ['colour_id', 'color_id'],
    ['startTime', 'start_time'],
    ['start-times', 'start_time'],
    ['strat_time', 'start_time'],
    ['srart_time', 'start_time'],
    ['start_timex', 'start_time'],
    ['tart_time', 'start_time'],
    ['budgte', 'budget'],
    ['age', undefined],
    ['unlike_all', undefined],
  ])('%s: %s', (name, meant) => {
    expect(nearestName(name, ['x', 'ago', 'color_id', 'start_time', 'budget', 'b'.repeat(600)])).toBe(meant)
  })

  it.each(['mb_0123456789abcde', 'zzz', 'aB'.repeat(25)])(
    '%s…: a call looks up so many names, and the next one again',
    (start) => {
      const candidates = start.startsWith('aB') ? packages.map((_, index) => `${index % 10}${start}${index % 7}`) : packages
      const search = new NameSearch()
      const hints = Array.from({ length: 10_000 }, (_, index) => instead(`${start}${index}`, candidates, 'elsewhere', search))
      expect(hints.slice(1_000).filter((hint) => hint !== '; elsewhere')).toEqual([])
      expect(nearestName('mb_0123456789abcdef-10001', packages, new NameSearch())).toBe('mb_0123456789abcdef-1000')
    },
  )

  it('candidates that have to be listed first are not listed once the budget is used up', () => {
    let listed = 0
    const list = () => {
      listed += 1
      return packages
    }
    const search = new NameSearch()
    const hints = Array.from({ length: 1_000 }, (_, index) => instead(`mb_0123456789abcdeg-${index}`, list, 'elsewhere', search))
    expect(hints.at(-1)).toBe('; elsewhere')
    expect(listed).toBeLessThan(50)
  })
})
