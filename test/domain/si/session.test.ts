import { describe, expect, it } from 'vitest'
import {
  ended,
  endReason,
  requireOpen,
  type Session,
  type SessionStatus,
  sessionStatus,
  TRANSITIONS,
} from '../../../src/domain/si/session.ts'

const session = (more: Partial<Session> = {}): Session => ({
  sessionId: 's',
  offeringId: undefined,
  state: 'active',
  endedReason: undefined,
  endedAt: undefined,
  lastActiveAt: '2026-03-01T12:00:00.000Z',
  ttlSeconds: 60,
  facts: { capabilities: {}, shown: [], consent: { granted: false } },
  turns: 1,
  createdAt: '2026-03-01T12:00:00.000Z',
  ...more,
})
const at = (seconds: number) => new Date(Date.parse('2026-03-01T12:00:00Z') + seconds * 1000)

describe('sessions', () => {
  it('time out at the end of their time, unless they ended before', () => {
    expect(sessionStatus(session(), at(59.999))).toBe('active')
    expect(sessionStatus(session({ state: 'pending_handoff' }), at(60))).toBe('terminated')
    expect(endReason(session(), at(60))).toBe('session_timeout')
    expect(sessionStatus(session({ state: 'complete', endedReason: 'handoff_complete' }), at(1000))).toBe('complete')
  })

  it('take messages only while they are open', () => {
    expect(() => requireOpen(session(), at(0))).not.toThrow()
    expect(() => requireOpen(session({ state: 'pending_handoff' }), at(0))).not.toThrow()
    for (const state of ['complete', 'terminated'] as const) expect(() => requireOpen(session({ state }), at(0))).toThrow(/over/)
    expect(() => requireOpen(session(), at(60))).toThrow(/session_timeout/)
  })

  it('end once, for the first reason', () => {
    const first = ended(session(), 'handoff_complete', at(10))
    expect([first.state, first.endedReason, first.endedAt]).toEqual(['complete', 'handoff_complete', at(10).toISOString()])
    expect(ended(first, 'user_exit', at(20))).toBe(first)
    expect(ended(session(), 'handoff_transaction', at(61))).toMatchObject({ state: 'terminated', endedReason: 'session_timeout' })
  })

  it('go nowhere from an end', () => {
    const ends = (Object.keys(TRANSITIONS) as SessionStatus[]).filter((status) => TRANSITIONS[status].length === 0)
    expect(ends).toEqual(['complete', 'terminated'])
  })
})
