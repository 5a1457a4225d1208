import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../../src/domain/governance/audit-chain.ts'
import type { ActionRecord } from '../../src/domain/governance/governed-action.ts'
import type { Store } from '../../src/store/database.ts'
import {
  clearActions,
  committedUnder,
  eachAction,
  findAction,
  findEscalated,
  findNewestAction,
  listActionsOfContexts,
  listCommitments,
  listEscalated,
  saveAction,
} from '../../src/store/governance/governance-actions.ts'
import { appendToLog, eachEntry, findEntry, listRevokedTokens, walkLog } from '../../src/store/governance/governance-log.ts'
import { findPlans, findPortfolios, getPlan, savePlan } from '../../src/store/governance/governance-plans.ts'

const owner = { tenantId: 'acme', principalId: 'buyer' }
const stranger = { tenantId: 'other', principalId: 'buyer' }
const now = new Date('2026-03-01T12:00:00Z')

const document = (plan_id: string, more: object = {}) => ({
  plan_id,
  brand: { domain: 'planned.example' },
  objectives: 'Grüße',
  budget: { total: 9_000_000_000, currency: 'USD', reallocation_unlimited: true as const },
  flight: { start: '2026-01-01T00:00:00Z', end: '2026-12-31T00:00:00Z' },
  ...more,
})

async function actionsOf(store: Store, planId: string): Promise<ActionRecord[]> {
  const actions: ActionRecord[] = []
  await eachAction(store.read, owner, planId, (action) => actions.push(action))
  return actions
}

/** What holds of campaign plans, their actions and their log on either engine. */
export function campaignPlansContract(open: () => Store): void {
  describe('campaign plans', () => {
    it('keep every revision, answer with the last, and are of one agent alone', async () => {
      const store = open()
      const id = randomUUID()
      const first = await store.transaction((tx) => savePlan(tx, owner, document(id), now))
      const second = await store.transaction((tx) => savePlan(tx, owner, document(id, { objectives: 'Other' }), now))
      expect([first.version, second.version]).toEqual([1, 2])
      expect(await getPlan(store.read, owner, id)).toEqual(second)
      expect(second.planHash).not.toBe(first.planHash)
      const kept = await store.read.selectFrom('governance_plan_versions').select('plan_hash').where('plan_id', '=', id).execute()
      expect(kept).toHaveLength(2)
      await expect(getPlan(store.read, stranger, id)).rejects.toMatchObject({ code: 'PLAN_NOT_FOUND' })
      expect(await findPlans(store.read, owner, [])).toEqual([])
    })

    it('know the portfolios above them', async () => {
      const store = open()
      const [member, portfolio] = [randomUUID(), randomUUID()]
      await store.transaction((tx) => savePlan(tx, owner, document(portfolio, { portfolio: { member_plan_ids: [member] } }), now))
      expect((await findPortfolios(store.read, owner, member)).map(({ planId }) => planId)).toEqual([portfolio])
      await store.transaction((tx) => savePlan(tx, owner, document(portfolio), now))
      expect(await findPortfolios(store.read, owner, member)).toEqual([])
    })

    it('have actions with exact amounts, found by token and by what waits', async () => {
      const store = open()
      const planId = randomUUID()
      await store.transaction((tx) => savePlan(tx, owner, document(planId), now))
      const action: ActionRecord = {
        planId,
        principalId: 'buyer',
        actionId: `act_${planId}`,
        actionKey: 'key',
        purchaseType: 'media_buy',
        caller: 'https://buyer.example',
        seller: 'https://seller.example',
        status: 'active',
        committedMicros: 8_999_999_999_000_001,
        sellerReference: undefined,
        governanceContext: `token-${planId}`,
        approved: { amountMicros: 1, channels: [{ channel: 'ctv', micros: 1 }] },
        channels: [{ channel: 'ctv', micros: 1 }],
        escalation: {
          planId,
          principalId: 'buyer',
          actionId: `act_${planId}`,
          checkId: `chk_${planId}`,
          planHash: 'hash',
          caller: 'https://buyer.example',
          tool: 'create_media_buy',
          amountMicros: 1,
          currency: 'USD',
          why: 'much',
          review: undefined,
          createdAt: now.toISOString(),
        },
        counterproposals: 1,
        nextCheckAt: '2027-01-08T12:00:00.000Z',
        checkCount: 2,
        createdAt: now.toISOString(),
      }
      await store.transaction((tx) => saveAction(tx, 'acme', action, now))
      expect(await actionsOf(store, planId)).toEqual([action])
      const ofContext = (who: typeof owner) => listActionsOfContexts(store.read, who, [action.governanceContext])
      expect(await ofContext(owner)).toEqual([{ planId, actionId: action.actionId }])
      expect(await ofContext(stranger)).toEqual([])
      expect(await findAction(store.read, owner, planId, action.actionId)).toEqual(action)
      expect(await findAction(store.read, stranger, planId, action.actionId)).toBeUndefined()
      const newest = (wanted: object) => findNewestAction(store.read, owner, planId, { purchaseType: 'media_buy', ...wanted })
      expect(await newest({ approved: true, governanceContext: action.governanceContext })).toEqual(action)
      expect(await newest({ openKey: 'key' }), 'it is bought').toBeUndefined()
      expect(await listCommitments(store.read, owner, [planId])).toMatchObject([
        { actionId: action.actionId, committedMicros: action.committedMicros },
      ])
      const committed = (except: string) => committedUnder(store.read, owner, [randomUUID(), planId], except)
      expect([await committed('none'), await committed(action.actionId)]).toEqual([action.committedMicros, 0])
      expect(await committedUnder(store.read, stranger, [planId], 'none')).toBe(0)
      expect(await findEscalated(store.read, 'acme', `chk_${planId}`)).toEqual(action)
      expect(await findEscalated(store.read, 'other', `chk_${planId}`)).toBeUndefined()
      expect((await listEscalated(store.read, 'acme', { decided: false, limit: 100 })).actions).toContainEqual(action)
      await store.transaction((tx) => clearActions(tx, owner, planId))
      expect(await actionsOf(store, planId)).toEqual([])
    })

    it('have a log whose chain holds after a round trip, one place for each entry', async () => {
      const store = open()
      const planId = randomUUID()
      await store.transaction((tx) => savePlan(tx, owner, document(planId), now))
      const entry = (n: number, more: object = {}) => ({
        entryId: `e${n}-${planId}`,
        kind: 'check' as const,
        actionId: '',
        document: { at: now.toISOString(), actor: 'Grüße', ...more },
      })
      await store.transaction((tx) => appendToLog(tx, owner, planId, [entry(1), entry(2)]))
      await Promise.all([3, 4, 5].map((n) => store.transaction((tx) => appendToLog(tx, owner, planId, [entry(n)]))))
      const revoked = { ...entry(6, { jti: `jti-${planId}` }), kind: 'revocation' as const }
      await store.transaction((tx) => appendToLog(tx, owner, planId, [revoked]))
      const log: AuditEntry[] = []
      await eachEntry(store.read, owner, planId, (each) => log.push(each))
      expect(log.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
      expect(await walkLog(store.read, owner, planId)).toMatchObject({ brokenAt: undefined, length: 6, head: log.at(-1)?.hash })
      expect(await findEntry(store.read, 'acme', `e1-${planId}`)).toMatchObject({ planId, principalId: 'buyer' })
      expect(await findEntry(store.read, 'other', `e1-${planId}`)).toBeUndefined()
      expect(await listRevokedTokens(store.read, now)).toContain(`jti-${planId}`)
      expect(await listRevokedTokens(store.read, new Date(now.getTime() + 1))).not.toContain(`jti-${planId}`)
      await expect(store.transaction((tx) => appendToLog(tx, owner, planId, [entry(1)]))).rejects.toThrow()
    })
  })
}
