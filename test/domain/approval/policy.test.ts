import { describe, expect, it } from 'vitest'
import { approvalReason, approvalTerm, conditionsText, type PolicySource } from '../../../src/domain/approval/policy.ts'

const task = 'create_media_buy'
const facts = { totalMicros: 5_000_000_000, productIds: ['news', 'takeover'], manualProductIds: [] }

/** A rule with a limit of 1 EUR cent, and one for orders in SEK. */
const inSek = (micros: number): PolicySource => ({
  currency: 'EUR',
  approvals: { tasks: { [task]: { when: 'rules', aboveMicros: 10_000, aboveIn: { SEK: micros } } } },
})

describe('approval policy', () => {
  it.each<[string, PolicySource, object, RegExp | undefined]>([
    ['nothing is said', {}, facts, undefined],
    ['a product is marked as sold by hand', {}, { ...facts, manualProductIds: ['takeover'] }, /^takeover has to be confirmed/],
    ['the general limit is passed', { approvalAboveMicros: 4_999_999_999 }, facts, /this size/],
    ['the general limit is met', { approvalAboveMicros: 5_000_000_000 }, facts, undefined],
    [
      'the limit of the task is the closer one',
      { approvalAboveMicros: 1, approvals: { tasks: { [task]: { when: 'rules', aboveMicros: 6_000_000_000 } } } },
      facts,
      undefined,
    ],
    [
      'the total is in another currency',
      { approvalAboveMicros: 1, currency: 'EUR' },
      { ...facts, currency: 'SEK' },
      /^orders in SEK .* its limit is in EUR$/,
    ],
    ['that currency has a limit, which is met', inSek(5_000_000_000), { ...facts, currency: 'SEK' }, undefined],
    ['that currency has a limit, which is passed', inSek(4_999_999_999), { ...facts, currency: 'SEK' }, /this size/],
    ['there is no limit, and the total is in any currency', { currency: 'EUR' }, { ...facts, currency: 'SEK' }, undefined],
    ['a product is named', { approvals: { tasks: { [task]: { when: 'rules', products: ['news'] } } } }, facts, /^news/],
    ['another task is always held', { approvals: { tasks: { update_media_buy: { when: 'always' } } } }, facts, undefined],
    ['always', { approvals: { tasks: { [task]: { when: 'always' } } } }, {}, /every such request/],
    [
      'never wins over products and limit',
      { approvalAboveMicros: 1, approvals: { tasks: { [task]: { when: 'never' } } } },
      { ...facts, manualProductIds: ['takeover'] },
      undefined,
    ],
  ])('%s', (_name, source, known, expected) => {
    const reason = approvalReason(source, task, known)
    if (expected) expect(reason).toMatch(expected)
    else expect(reason).toBeUndefined()
  })

  it('a change that makes an order larger is held to what such an order would be', () => {
    const limited = { approvals: { tasks: { [task]: { when: 'rules', aboveMicros: 4_000_000_000 } } } } as const
    expect(approvalReason(limited, 'update_media_buy', facts)).toMatch(/this size/)
    expect(approvalReason(limited, 'update_media_buy', { ...facts, totalMicros: 3_000_000_000 })).toBeUndefined()
    // Nothing grows: the facts have no total.
    expect(approvalReason(limited, 'update_media_buy', { productIds: [] })).toBeUndefined()
    const free = { approvals: { tasks: { ...limited.approvals.tasks, update_media_buy: { when: 'never' } } } } as const
    expect(approvalReason(free, 'update_media_buy', facts)).toBeUndefined()
  })

  it('announces the last quarter of the time', () => {
    const now = new Date('2026-03-01T00:00:00Z')
    const term = approvalTerm({ approvals: { expiresAfterHours: 4 } }, now)
    expect([term.remindAt.toISOString(), term.expiresAt.toISOString()]).toEqual([
      '2026-03-01T03:00:00.000Z',
      '2026-03-01T04:00:00.000Z',
    ])
  })

  it('puts conditions into words', () => {
    expect(conditionsText([])).toBe('')
    expect(conditionsText(['no alcohol'])).toBe('Approved on this condition: no alcohol')
    expect(conditionsText(['a', 'b'])).toBe('Approved on these conditions: 1) a 2) b')
  })
})
