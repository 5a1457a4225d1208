import { describe, expect, it } from 'vitest'
import { readAsk } from '../../src/domain/product/ask.ts'
import { hintsOf } from '../../src/domain/product/brief-hints.ts'
import { budgetOf, kronorOf } from '../../src/domain/product/brief-money.ts'
import { termsOf } from '../../src/domain/product/brief-terms.ts'
import { hardTargetingIn } from '../../src/domain/product/hard-targeting.ts'
import { unreadPlacesIn } from '../../src/domain/product/unread-places.ts'
import { growsTooFast } from '../support/growth.ts'

/** Of the kinds that amounts, dates, places, targeting and negations are read from. */
const UNITS = [
  ...['111 ', "111'", '111.', '1,111 ', '1 ', '1.5k ', '$1 ', '20 kr ', '1 111 kr', '12-', '12/', '1 - ', '5% ', '2026-11-'],
  ...[
    '12 May ',
    'May ',
    'from May to ',
    'between ',
    'Q1 ',
    'week 1 ',
    'within 5 km of ',
    'aged 18-',
    'no ',
    'not only ',
    'in ',
    'a-',
    "a'",
  ],
]

describe('briefs and asks are read in time that grows with them', () => {
  it.each<readonly [string, (text: string) => unknown]>([
    ['the amount', budgetOf],
    ['the amount of crowns', (text) => kronorOf(text, [])],
    ['all of a brief', hintsOf],
    ['all of an ask', readAsk],
  ])(
    '%s',
    (_, read) => {
      for (const unit of UNITS)
        expect(
          growsTooFast((length) => unit.repeat(length / unit.length), read, 20_000),
          unit,
        ).toBe(false)
    },
    60_000,
  )

  it.each(['only Norway, ', 'only ', 'Norway, ', 'NO and ', 'not outside ', 'Norway no ', 'only to be '])(
    'places that are the only ones: %s',
    (unit) => {
      expect(growsTooFast((length) => unit.repeat(length / unit.length), hardTargetingIn, 20_000)).toBe(false)
    },
  )

  it.each(['no Sweden ', 'Sweden, ', 'California nowhere ', 'not in ', 'Norge exklusive; ', 'a ', 'but the ', 'London '])(
    'places that are left out: %s',
    (unit) => {
      expect(growsTooFast((length) => unit.repeat(length / unit.length), unreadPlacesIn, 4_000)).toBe(false)
    },
  )

  it('marks upon a letter', () => {
    expect(growsTooFast((length) => `cafe${'\u0315\u0300'.repeat(length / 2)}`, termsOf, 60_000)).toBe(false)
  })

  it('amounts keep their groups of thousands', () => {
    expect(budgetOf('about 1 250 000 EUR')).toEqual({ amount: 1_250_000, currency: 'EUR' })
    expect(budgetOf('$1,000,000,000.50')).toEqual({ amount: 1_000_000_000.5, currency: 'USD' })
    expect(kronorOf('20 000 000 kronor', [])).toEqual({ amount: 20_000_000, currency: 'SEK' })
  })
})
