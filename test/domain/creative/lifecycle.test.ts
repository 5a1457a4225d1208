import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Creative, CreativeStatus } from '../../../src/domain/creative/creative.ts'
import { approvalOf, canTransition, reviewed, TRANSITIONS, transition } from '../../../src/domain/creative/lifecycle.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'
import { refusal } from '../../support/media-buy-fixtures.ts'

const statuses = Object.keys(TRANSITIONS) as CreativeStatus[]
const NOW = new Date('2026-03-01T12:00:00.000Z')

function creative(status: CreativeStatus): Creative {
  return {
    creativeId: 'c',
    accountId: 'a',
    content: { name: 'c', formatId: { agent_url: 'https://ads.example/mcp', id: 'f' }, assets: {}, tags: [] },
    status,
    ...(status === 'approved' && { approvedAt: NOW.toISOString() }),
    createdAt: NOW.toISOString(),
    updatedAt: NOW.toISOString(),
    revision: 1,
  }
}

test('every status of the official enum is tabled', () => {
  // A suspension is of 3.1.
  const official = new Schemas().document('enums/creative-status.json').enum as string[]
  expect(new Set(statuses)).toEqual(new Set([...official, 'suspended']))
})

test('processing never goes straight to approved: review comes between', () => {
  expect(TRANSITIONS.processing).not.toContain('approved')
})

describe('transition', () => {
  test('allows what the table allows and staying put, and nothing else', () => {
    for (const from of statuses) {
      for (const to of statuses) {
        const legal = from === to || TRANSITIONS[from].includes(to)
        expect(canTransition(from, to)).toBe(legal)
        const { code } = refusal(() => transition(creative(from), to, NOW))
        expect(code, `${from} → ${to}`).toBe(legal ? undefined : 'INVALID_STATE')
      }
    }
  })

  test('on any walk: a date of approval exactly while approved, a reason only for the present status', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...statuses), fc.boolean()), { maxLength: 20 }), (steps) => {
        let current = creative('processing')
        let minute = 0
        for (const [to, explained] of steps) {
          const at = new Date(NOW.getTime() + ++minute * 60_000)
          const before = current
          if (!canTransition(before.status, to)) {
            expect(refusal(() => transition(before, to, at)).code).toBe('INVALID_STATE')
            continue
          }
          current = transition(before, to, at, explained ? `because ${minute}` : undefined)
          expect(current.status).toBe(to)
          expect(current.approvedAt !== undefined).toBe(to === 'approved')
          if (explained) expect(current.statusReason).toBe(`because ${minute}`)
          else expect(current.statusReason).toBeUndefined()
          if (before.status === 'approved' && to === 'approved') expect(current.approvedAt).toBe(before.approvedAt)
          expect(current.updatedAt >= before.updatedAt).toBe(true)
        }
      }),
    )
  })
})

describe('reviewed', () => {
  test('a confirmed approval keeps its date; a lost one takes it away', () => {
    const later = new Date('2026-03-09T00:00:00.000Z')
    const approved = creative('approved')
    expect(reviewed(approved, { status: 'approved' }, later).approvedAt).toBe(approved.approvedAt)
    expect(reviewed(approved, { status: 'rejected', reason: 'no' }, later)).toMatchObject({
      status: 'rejected',
      statusReason: 'no',
    })
    expect(reviewed(approved, { status: 'rejected', reason: 'no' }, later)).not.toHaveProperty('approvedAt')
    expect(reviewed(creative('rejected'), { status: 'approved' }, later).approvedAt).toBe(later.toISOString())
  })
})

test('only an approved creative is approved on a package', () => {
  const approvals = new Set(new Schemas().document('enums/creative-approval-status.json').enum as string[])
  for (const status of statuses) {
    expect(approvals).toContain(approvalOf(status))
    expect(approvalOf(status) === 'approved').toBe(status === 'approved')
  }
})
