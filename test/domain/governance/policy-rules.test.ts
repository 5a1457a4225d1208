import { describe, expect, it } from 'vitest'
import { readPolicy } from '../../../src/domain/governance/policy-rules.ts'

describe('readPolicy', () => {
  it.each([
    [
      'CTV buys require weekly delivery reporting.',
      [{ kind: 'reporting', every: 'week', subject: { channels: ['ctv'], keywords: [] } }],
    ],
    [
      'Weekly reporting required for buys over $10K.',
      [{ kind: 'reporting', every: 'week', subject: { channels: [], keywords: [], above: 10_000 } }],
    ],
    [
      'UGC placements require brand safety review before go-live.',
      [{ kind: 'review', subject: { channels: [], keywords: ['ugc'] } }],
    ],
    ['No single-seller concentration above 60% of total budget.', [{ kind: 'seller-share', maxPercent: 60 }]],
    ['Re-evaluate governance if any line item drifts more than 20% from plan.', [{ kind: 'drift', percent: 20 }]],
    ['No single buy over 25,000 USD.', [{ kind: 'amount', max: 25_000, subject: { channels: [], keywords: [] } }]],
    ['Podcasts are prohibited.', [{ kind: 'forbidden', subject: { channels: ['podcast'], keywords: [] } }]],
    ['Never buy cinema. Daily reporting required.', [{ kind: 'forbidden' }, { kind: 'reporting', every: 'day' }]],
  ])('reads "%s"', (text, rules) => {
    expect(readPolicy(text)).toMatchObject(rules)
  })

  it.each(['Be kind.', 'Ads must feel premium.', ''])('understands nothing of "%s"', (text) => {
    expect(readPolicy(text)).toEqual([])
  })
})
