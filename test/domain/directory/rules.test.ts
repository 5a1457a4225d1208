import { describe, expect, it } from 'vitest'
import type { Claim } from '../../../src/domain/directory/claim.ts'
import { expiresAt, FRESHNESS, isRollback, nextAttemptAt, observePointer } from '../../../src/domain/directory/freshness.ts'
import { type Contender, shownClaim } from '../../../src/domain/directory/provenance.ts'
import { blocks, type HeldClaim, nextClaims, observeRevocations } from '../../../src/domain/directory/revocation.ts'
import { atOnce } from '../../../src/platform/concurrency/steps.ts'
import { AGENT, NOW } from './files.ts'

const DAY = 86_400_000
const claim = (fields: Partial<Claim> = {}): Claim => ({
  agent: AGENT,
  publisher: 'pub.example',
  method: 'adagents_authoritative',
  manager: 'manager.example',
  propertyIds: ['home'],
  total: 3,
  pinned: true,
  ...fields,
})
const held = (fields: Partial<HeldClaim> = {}): HeldClaim => ({
  ...claim(),
  status: 'authorized',
  observedAt: undefined,
  ...fields,
})

describe('provenance', () => {
  const quiet = { hasNoFile: true, selfRevoked: false }
  const own = (method: Contender['method'], status: Contender['status'] = 'authorized'): Contender => ({
    method,
    manager: 'm',
    status,
    own: true,
    file: 'f',
  })
  const foreign = (manager: string, status: Contender['status'] = 'authorized'): Contender => ({
    method: 'adagents_authoritative',
    manager,
    status,
    own: false,
    file: 'f',
  })

  it('follows the strict order of trust', () => {
    expect(shownClaim([own('ads_txt_managerdomain'), foreign('z')], quiet)?.method).toBe('adagents_authoritative')
    expect(shownClaim([foreign('z'), own('authoritative_location')], { hasNoFile: false, selfRevoked: false })?.method).toBe(
      'authoritative_location',
    )
    expect(shownClaim([own('authoritative_location'), own('direct')], quiet)?.method).toBe('direct')
  })

  it('is stable between managers, whatever the order of crawls', () => {
    expect(shownClaim([foreign('b'), foreign('a')], quiet)?.manager).toBe('a')
    expect(shownClaim([foreign('a'), foreign('b')], quiet)?.manager).toBe('a')
    const files = ['e', 'd'].map((file) => ({ ...foreign('a'), file }))
    expect([shownClaim(files, quiet)?.file, shownClaim(files.toReversed(), quiet)?.file]).toEqual(['d', 'd'])
  })

  it('voids managers’ claims for a publisher that serves its own file', () => {
    expect(shownClaim([foreign('a'), foreign('b', 'revoked')], { hasNoFile: false, selfRevoked: false })).toBeUndefined()
  })

  it('shows a grant of one route before the tombstone of another', () => {
    expect(shownClaim([foreign('a', 'revoked'), foreign('b')], quiet)?.manager).toBe('b')
  })

  it('lets a publisher’s own revocation stop every route', () => {
    const word = { hasNoFile: true, selfRevoked: true }
    expect(shownClaim([foreign('a'), own('ads_txt_managerdomain')], word)).toBeUndefined()
    expect(shownClaim([foreign('a'), own('direct', 'revoked')], word)?.status).toBe('revoked')
  })
})

describe('revocation hold', () => {
  const revokedAt = Date.parse('2025-01-01T00:00:00Z')
  const listed = new Map([['pub.example', revokedAt]])

  it('runs seven days from the latest observation, whatever revoked_at says', () => {
    const [hold] = observeRevocations([], listed, NOW)
    expect(hold).toEqual({ publisher: 'pub.example', listed: true, firstObservedAt: NOW, earliestRevokedAt: revokedAt })
    const [gone] = observeRevocations([hold!], new Map(), NOW + DAY)
    expect(gone).toMatchObject({ listed: false, firstObservedAt: NOW })
    expect(blocks(gone!, NOW + 7 * DAY - 1)).toBe(true)
    expect(blocks(gone!, NOW + 7 * DAY)).toBe(false)
    expect(observeRevocations([gone!], new Map(), NOW + 7 * DAY)).toEqual([])
  })

  it('is not restarted by a changed revoked_at, but by a reappearance', () => {
    const first = observeRevocations([], listed, NOW)
    const changed = observeRevocations(first, new Map([['pub.example', NOW]]), NOW + DAY)
    expect(changed[0]).toMatchObject({ firstObservedAt: NOW, earliestRevokedAt: revokedAt })
    const unlisted = observeRevocations(changed, new Map(), NOW + 2 * DAY)
    expect(observeRevocations(unlisted, listed, NOW + 3 * DAY)[0]).toMatchObject({ firstObservedAt: NOW + 3 * DAY, listed: true })
  })

  it('blocks as long as the entry stays listed', () => {
    const [hold] = observeRevocations([], listed, NOW)
    expect(blocks(hold!, NOW + 100 * DAY)).toBe(true)
  })
})

describe('row states', () => {
  // biome-ignore lint/correctness/useYield: of few properties
  const three = function* () {
    return 3
  }
  const hold = { publisher: 'pub.example', listed: true, firstObservedAt: NOW, earliestRevokedAt: NOW }
  const holds = new Map([['pub.example', hold]])
  const at = (now: number, verifiedAt = now) => ({ now, verifiedAt, refreshMs: DAY })

  it('go from authorized to one tombstone of no property, then away', () => {
    const second = atOnce(nextClaims([held()], [], holds, at(NOW), three))
    expect(second).toEqual([held({ status: 'revoked', observedAt: NOW, propertyIds: [], total: 3 })])
    expect(atOnce(nextClaims(second, [], holds, at(NOW + DAY - 1), three))).toEqual(second)
    // Time alone does not end a tombstone: a refresh has to complete after it.
    expect(atOnce(nextClaims(second, [], holds, at(NOW + 2 * DAY, NOW + DAY - 1), three))).toEqual(second)
    expect(atOnce(nextClaims(second, [], holds, at(NOW + DAY), three))).toEqual([])
  })

  it('stay away while the hold runs although the entry is gone and the file grants again', () => {
    const unlisted = new Map([['pub.example', { ...hold, listed: false }]])
    expect(atOnce(nextClaims([], [claim()], unlisted, at(NOW + DAY), three))).toEqual([])
    expect(atOnce(nextClaims([], [claim()], unlisted, at(NOW + 7 * DAY), three))).toEqual([held()])
  })

  it('leave no tombstone when the file merely stops naming the publisher, or never granted', () => {
    expect(atOnce(nextClaims([held()], [], new Map(), at(NOW), three))).toEqual([])
    expect(atOnce(nextClaims([], [], holds, at(NOW), three))).toEqual([])
  })
})

describe('freshness', () => {
  it('serves a failing file for 24 hours and none beyond 7 days', () => {
    expect(expiresAt({ verifiedAt: NOW, failingSince: undefined }, FRESHNESS)).toBe(NOW + 7 * DAY)
    expect(expiresAt({ verifiedAt: NOW, failingSince: NOW + DAY }, FRESHNESS)).toBe(NOW + 2 * DAY)
    expect(expiresAt({ verifiedAt: NOW, failingSince: NOW + 6.5 * DAY }, FRESHNESS)).toBe(NOW + 7 * DAY)
  })

  it('takes an older last_updated for a rollback, with a minute of tolerance', () => {
    expect(isRollback(NOW, NOW - 60_000)).toBe(false)
    expect(isRollback(NOW, NOW - 60_001)).toBe(true)
    expect(isRollback(NOW, undefined)).toBe(false)
  })

  it('spreads refreshes, backs off failures, comes back when an effective window turns', () => {
    const next = (result: 'verified' | 'failed' | 'absent', failures: number, random = 0.5, soonest?: number, holds = true) =>
      nextAttemptAt(NOW, { result, failures, random, soonest, holds }, FRESHNESS) - NOW
    expect(next('verified', 0, 0)).toBe(0.9 * DAY)
    expect(next('verified', 0, 0.5)).toBe(DAY)
    expect(next('verified', 0, 0.5, NOW + 1000)).toBe(1000)
    expect([1, 2, 3].map((failures) => next('failed', failures))).toEqual([300_000, 600_000, 1_200_000])
    expect(next('failed', 40)).toBe(DAY / 4)
    expect(next('failed', 8, 0.5, undefined, false)).toBe(640 * 60_000)
    expect(next('failed', 40, 0.5, undefined, false)).toBe(7 * DAY)
    expect(next('absent', 3)).toBe(3 * DAY)
    expect(next('absent', 300)).toBe(7 * DAY)
  })

  it('adopts a changed pointer only when it has stayed for 24 hours and nothing objects, or is confirmed', () => {
    const [unasked, confirmed] = [
      { confirmed: false, objects: false },
      { confirmed: true, objects: true },
    ]
    const first = observePointer({ adopted: undefined, pending: undefined, pendingSince: undefined }, 'a', NOW, unasked)
    expect(first.adopted).toBe('a')
    const changed = observePointer(first, 'b', NOW, unasked)
    expect(changed).toEqual({ adopted: 'a', pending: 'b', pendingSince: NOW })
    expect(observePointer(changed, 'b', NOW + DAY - 1, unasked)).toEqual(changed)
    expect(observePointer(changed, 'c', NOW + DAY, unasked)).toEqual({ adopted: 'a', pending: 'c', pendingSince: NOW + DAY })
    expect(observePointer(changed, 'a', NOW + DAY, unasked).pending).toBeUndefined()
    expect(observePointer(changed, 'b', NOW + DAY, unasked).adopted).toBe('b')
    expect(observePointer(changed, 'b', NOW + DAY, { confirmed: false, objects: true })).toEqual(changed)
    expect(observePointer(changed, 'b', NOW, confirmed).adopted).toBe('b')
  })
})
