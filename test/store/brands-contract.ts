import { describe, expect, it } from 'vitest'
import type { GrantAgreement, RightsGrant } from '../../src/domain/rights/grant.ts'
import type { SubmittedCreative } from '../../src/domain/rights/review-creative.ts'
import type { Session } from '../../src/domain/si/session.ts'
import { insertUsage, reportedImpressions } from '../../src/store/account/usage.ts'
import { brandsRevision, loadBrands, saveBrands } from '../../src/store/brand/brands.ts'
import type { Store } from '../../src/store/database.ts'
import {
  decideSubmission,
  insertSubmission,
  listSubmissionsInReview,
  standingSubmission,
} from '../../src/store/rights/rights-creatives.ts'
import {
  findGrant,
  getGrant,
  insertGrant,
  listGrants,
  saveGrant,
  standingAgreements,
} from '../../src/store/rights/rights-grants.ts'
import {
  eraseSessions,
  findOfferingToken,
  getSession,
  insertOfferingToken,
  insertSession,
  saveSession,
  sweepSessions,
} from '../../src/store/si/si-sessions.ts'
import { BRANDS } from '../support/brand-agent.ts'

const owner = { tenantId: 'acme', principalId: 'buyer' }
const now = new Date('2026-03-01T12:00:00Z')
const at = now.toISOString()

const agreement = (rightsId: string, endDate?: string): GrantAgreement => ({
  offering: { rights_id: rightsId, brand_id: 'heron', name: 'Heron' },
  price: { pricing_option_id: 'p', model: 'flat_rate', price: 1, currency: 'USD', uses: ['likeness'] },
  buyerDomain: 'brand.example',
  description: 'x',
  uses: ['likeness'],
  startDate: '2026-01-01',
  ...(endDate !== undefined && { endDate }),
})
const grant = (grantId: string, more: Partial<RightsGrant> = {}): RightsGrant => ({
  grantId,
  principalId: owner.principalId,
  accountId: 'acc',
  sandbox: false,
  agreement: agreement('heron', '2026-06-30'),
  paused: false,
  revokedAt: undefined,
  credentialVersion: 1,
  pending: undefined,
  pendingTaskId: undefined,
  revision: 1,
  createdAt: at,
  ...more,
})

/** What every storage engine must do with brands, rights and sponsored sessions. */
export function brandsContract(open: () => Store): void {
  describe('brands and rights', () => {
    it('an import replaces what was there', async () => {
      await open().transaction((tx) => saveBrands(tx, 'acme', BRANDS, now))
      await open().transaction((tx) => saveBrands(tx, 'acme', { ...BRANDS, offerings: [] }, now))
      expect(await loadBrands(open().read, 'acme')).toEqual({ ...BRANDS, version: undefined, offerings: [], revision: 2 })
      expect([await brandsRevision(open().read, 'acme'), await brandsRevision(open().read, 'other')]).toEqual([2, 0])
    })

    it('grants are found by their agent, saved once a revision, and stand until they end', async () => {
      const insert = (one: RightsGrant) => open().transaction((tx) => insertGrant(tx, 'acme', one))
      for (const one of [
        grant('rgt_a'),
        grant('rgt_endless', { agreement: agreement('heron') }),
        grant('rgt_over', { agreement: agreement('heron', '2026-02-28') }),
        grant('rgt_other', { agreement: agreement('fox') }),
        grant('rgt_revoked', { revokedAt: at }),
        grant('rgt_play', { sandbox: true }),
      ])
        await insert(one)
      expect(await getGrant(open().read, owner, 'rgt_a')).toEqual(grant('rgt_a'))
      await expect(getGrant(open().read, { ...owner, principalId: 'else' }, 'rgt_a')).rejects.toMatchObject({
        code: 'REFERENCE_NOT_FOUND',
      })
      const save = (one: RightsGrant) => open().transaction((tx) => saveGrant(tx, 'acme', one, now))
      const paused = await save({ ...grant('rgt_a'), paused: true, pending: agreement('heron') })
      await expect(save(grant('rgt_a'))).rejects.toMatchObject({ code: 'CONFLICT' })
      expect(await findGrant(open().read, 'acme', 'rgt_a')).toEqual(paused)
      const standing = async (sandbox: boolean, filter: object) =>
        (await standingAgreements(open().read, { ...owner, sandbox }, { today: '2026-03-01', ...filter })).length
      expect(await standing(false, { rightsId: 'heron' })).toBe(2)
      expect(await standing(false, { rightsId: 'heron', except: 'rgt_a' })).toBe(1)
      expect([await standing(false, {}), await standing(true, {})]).toEqual([3, 1])
      expect((await listGrants(open().read, 'acme', 2)).map(({ grantId }) => grantId)).toEqual(['rgt_a', 'rgt_endless'])
    })

    it('a submission is decided once', async () => {
      const creative: SubmittedCreative = {
        submissionId: 'rcs_1',
        grantId: 'rgt_a',
        creativeKey: 'spring',
        creativeId: 'spring',
        url: 'https://cdn.example/1.png',
        description: undefined,
        status: 'pending_review',
        reason: undefined,
        suggestions: [],
        conditions: [],
        submittedAt: at,
        decidedAt: undefined,
      }
      await open().transaction((tx) => insertSubmission(tx, 'acme', creative))
      expect(await listSubmissionsInReview(open().read, 'acme', 5)).toEqual([creative])
      expect(await standingSubmission(open().read, 'acme', 'rgt_a', creative)).toEqual(creative)
      const no = { status: 'rejected', reason: 'loud', suggestions: ['softer'], conditions: [] } as const
      const decide = () => open().transaction((tx) => decideSubmission(tx, 'acme', 'rcs_1', no, now))
      expect(await decide()).toEqual({ ...creative, ...no, decidedAt: at })
      await expect(decide()).rejects.toMatchObject({ code: 'INVALID_STATE' })
      expect(await standingSubmission(open().read, 'acme', 'rgt_a', creative)).toBeUndefined()
    })

    it('reported impressions add up by grant', async () => {
      const account = { ...owner, accountId: 'acc' }
      const record = (fingerprint: string, impressions: number, rightsId: string | undefined) => {
        const usage = { fingerprint, document: { impressions }, costMicros: 0, currency: 'USD', billedOn: '2026-03-01', rightsId }
        return open().transaction((tx) => insertUsage(tx, account, usage, now))
      }
      await record('rights-1', 100, 'rgt_a')
      await record('rights-2', 23, 'rgt_a')
      await record('rights-3', 1000, undefined)
      expect(await reportedImpressions(open().read, owner, { rightsId: 'rgt_a' })).toBe(123)
    })
  })

  describe('sponsored sessions', () => {
    const session = (more: Partial<Session> = {}): Session => ({
      sessionId: 'sis_1',
      offeringId: 'kits',
      state: 'active',
      endedReason: undefined,
      endedAt: undefined,
      lastActiveAt: at,
      ttlSeconds: 1800,
      facts: { capabilities: {}, shown: ['small'], consent: { granted: true } },
      turns: 1,
      createdAt: at,
      ...more,
    })
    const sealed = { identity: 'sealed who', transcript: 'sealed words' }

    it('go on from the turn they are at, and keep nothing personal once they are over', async () => {
      await open().transaction((tx) => insertSession(tx, owner, { session: session(), sealed }))
      expect(await getSession(open().read, owner, 'sis_1')).toEqual({ session: session(), sealed })
      await expect(getSession(open().read, { ...owner, principalId: 'else' }, 'sis_1')).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
      })
      const save = (before: Session, after: Session) =>
        open().transaction((tx) => saveSession(tx, owner, before, { session: after, sealed }))
      const second = session({ turns: 2, state: 'pending_handoff' })
      await save(session(), second)
      await expect(save(session(), second)).rejects.toMatchObject({ code: 'CONFLICT' })
      const over = { ...second, state: 'complete', endedReason: 'handoff_complete', endedAt: at } as const
      await save(second, over)
      expect(await getSession(open().read, owner, 'sis_1')).toEqual({
        session: over,
        sealed: { identity: undefined, transcript: undefined },
      })
    })

    it('are forgotten by the clock and on demand; tokens end', async () => {
      for (const sessionId of ['sis_2', 'sis_3'])
        await open().transaction((tx) => insertSession(tx, owner, { session: session({ sessionId }), sealed }))
      const held = async (id: string) => (await getSession(open().read, owner, id)).sealed.identity !== undefined
      expect(await open().transaction((tx) => eraseSessions(tx, 'acme', { sessionId: 'sis_2' }))).toBe(1)
      expect([await held('sis_2'), await held('sis_3')]).toEqual([false, true])
      const offer = { offeringId: 'kits', shown: ['small', 'large'], expiresAt: new Date(now.getTime() + 1000) }
      await open().transaction((tx) => insertOfferingToken(tx, owner, 'sit_x', offer))
      const found = (when: Date) => findOfferingToken(open().read, owner, 'sit_x', when)
      expect([await found(now), await found(offer.expiresAt)]).toEqual([
        { offeringId: 'kits', shown: ['small', 'large'] },
        undefined,
      ])
      await open().transaction((tx) => sweepSessions(tx, new Date(now.getTime() + 1_800_000), 1800))
      expect([await held('sis_3'), await found(now)]).toEqual([false, undefined])
    })
  })
}
