import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isTerminal,
  type LifecycleFacts,
  statusOf,
  TRANSITIONS,
  transition,
  validActions,
} from '../../../src/domain/media-buy/lifecycle.ts'
import type { MediaBuyStatus } from '../../../src/domain/product/media-buy-status.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { refusal } from '../../support/media-buy-fixtures.ts'

const statuses = Object.keys(TRANSITIONS) as MediaBuyStatus[]

test.each(loadContracts().all.map((contract) => [contract.line, contract] as const))(
  'every status of %s is tabled',
  (_line, { schemas }) => {
    expect(new Set(statuses)).toEqual(new Set(schemas.document('enums/media-buy-status.json').enum as string[]))
  },
)

describe('transition', () => {
  test('allows what the table allows, and nothing else', () => {
    for (const from of statuses) {
      for (const to of statuses) {
        const legal = TRANSITIONS[from].includes(to) || (from === to && !isTerminal(from))
        const { code } = refusal(() => transition(from, to))
        expect(code, `${from} → ${to}`).toBe(legal ? undefined : to === 'canceled' ? 'NOT_CANCELLABLE' : 'INVALID_STATE')
      }
    }
  })

  test('terminal stays terminal and offers no action', () => {
    for (const status of ['completed', 'rejected', 'canceled'] as const) {
      expect(isTerminal(status)).toBe(true)
      expect(validActions(status, false)).toEqual([])
    }
    expect(validActions('active', false)).toContain('pause')
    expect(validActions('paused', true)).toContain('resume')
  })
})

describe('status', () => {
  const start = Date.UTC(2026, 2, 1)
  const end = Date.UTC(2026, 3, 1)
  const instant = fc.integer({ min: start - 1e9, max: end + 1e9 })
  const base: LifecycleFacts = {
    startsAt: new Date(start).toISOString(),
    endsAt: new Date(end).toISOString(),
    paused: false,
    canceled: false,
    confirmed: true,
    rejected: false,
    supplied: false,
  }

  /** Things that happen to a buy, each only ever possible while it is not terminal. */
  const events = ['supply', 'pause', 'resume', 'cancel', 'reject'] as const

  test('whatever happens in whatever order, each step from one status to the next is a legal transition', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(instant, fc.constantFrom(...events)), { maxLength: 12 }), (timeline) => {
        let facts = base
        let status = statusOf(facts, new Date(start - 2e9))
        for (const [at, event] of timeline.toSorted((a, b) => a[0] - b[0])) {
          const elapsed = statusOf(facts, new Date(at))
          if (elapsed !== status) expect(TRANSITIONS[status]).toContain(elapsed)
          status = elapsed
          facts = happen(facts, status, event)
          const next = statusOf(facts, new Date(at))
          if (next !== status) expect(TRANSITIONS[status]).toContain(next)
          status = next
        }
      }),
    )
  })

  test('time and facts imply it', () => {
    const at = (facts: Partial<LifecycleFacts>, time: number) => statusOf({ ...base, ...facts }, new Date(time))
    expect(at({}, start)).toBe('pending_creatives')
    expect(at({ supplied: true }, start - 1)).toBe('pending_start')
    expect(at({ supplied: true }, start)).toBe('active')
    expect(at({ supplied: true, paused: true }, start)).toBe('paused')
    expect(at({ supplied: true, paused: true }, start - 1)).toBe('pending_start')
    expect(at({ supplied: true }, end)).toBe('completed')
    expect(at({ canceled: true }, end)).toBe('canceled')
    expect(at({ rejected: true, canceled: true }, end)).toBe('rejected')
  })

  function happen(facts: LifecycleFacts, status: MediaBuyStatus, event: (typeof events)[number]): LifecycleFacts {
    if (isTerminal(status)) return facts
    if (event === 'supply') return { ...facts, supplied: true }
    if (event === 'pause') return { ...facts, paused: true }
    if (event === 'resume') return { ...facts, paused: false }
    if (event === 'cancel') return { ...facts, canceled: true }
    return TRANSITIONS[status].includes('rejected') ? { ...facts, rejected: true } : facts
  }
})
