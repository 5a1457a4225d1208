import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/store/database.ts'
import { listGovernanceAgents, replaceGovernanceAgents } from '../../src/store/governance/governance-agents.ts'
import { savePlan } from '../../src/store/governance/governance-plans.ts'
import { findNewestPlanFor, mayBeGoverned } from '../../src/store/governance/governing-plan.ts'
import {
  insertPresentedToken,
  insertSpendApproval,
  isTokenUsed,
  listPresentedTokens,
  listSpendApprovals,
  type SpendApproval,
  useToken,
} from '../../src/store/governance/spend-approvals.ts'
import { addPrincipal } from '../../src/store/identity/principals.ts'

const owner = { tenantId: 'acme', principalId: 'buyer' }
const now = new Date('2026-03-01T12:00:00Z')
const seconds = now.getTime() / 1000

const agent = (url: string) => ({ url, scheme: 'Bearer' as const, credentials: `sealed ${url}`, categories: undefined })
const approval = (checkId: string): SpendApproval => ({
  resourceId: 'mb_1',
  agentUrl: 'https://g.example/mcp',
  checkId,
  accountId: 'acc',
  planId: 'plan',
  tool: 'create_media_buy',
  phase: 'purchase',
  expiresAt: '2026-03-01T13:00:00.000Z',
  token: `token ${checkId}`,
  conditions: [{ field: 'x', reason: 'Grüße' }],
  findings: [],
})

/** What holds of governance agents and approvals of spend on either engine. */
export function governanceContract(open: () => Store): void {
  describe('governance agents of an account', () => {
    it('are replaced together, in their order, and are of one account alone', async () => {
      const store = open()
      const replace = (tenantId: string, accountId: string, urls: readonly string[]) =>
        store.transaction((tx) => replaceGovernanceAgents(tx, { ...owner, tenantId }, accountId, urls.map(agent), now))
      await replace('acme', 'acc', ['https://b.example/', 'https://a.example/'])
      await replace('acme', 'acc', ['https://c.example/', 'https://b.example/'])
      await replace('other', 'acc', ['https://d.example/'])
      const listed = await listGovernanceAgents(store.read, 'acme', 'acc')
      expect(listed.map(({ url }) => url)).toEqual(['https://c.example/', 'https://b.example/'])
      await replace('acme', 'acc', [])
      expect(await listGovernanceAgents(store.read, 'acme', 'acc')).toEqual([])
      expect(await listGovernanceAgents(store.read, 'other', 'acc')).toHaveLength(1)
    })

    it('are one reason why a purchase may be governed; plans of the buyer are the other', async () => {
      const store = open()
      const theirs = { tenantId: 'acme', principalId: 'planner' }
      expect(await mayBeGoverned(store.read, theirs, 'acc_planner')).toBe(false)
      await store.transaction((tx) => replaceGovernanceAgents(tx, theirs, 'acc_planner', [agent('https://a.example/')], now))
      expect(await mayBeGoverned(store.read, theirs, 'acc_planner')).toBe(true)
      expect(await mayBeGoverned(store.read, theirs, 'acc_other')).toBe(false)
      expect(await mayBeGoverned(store.read, theirs, undefined)).toBe(false)
    })
  })

  describe('approvals of spend', () => {
    it('are kept once a check, newest first, with what they hold', async () => {
      const store = open()
      const insert = (checkId: string, at: Date) =>
        store.transaction((tx) => insertSpendApproval(tx, owner, approval(checkId), at))
      await insert('chk_1', now)
      await insert('chk_1', now)
      await insert('chk_2', new Date(now.getTime() + 1))
      expect(await listSpendApprovals(store.read, 'acme', 'mb_1')).toEqual([approval('chk_2'), approval('chk_1')])
      expect(await listSpendApprovals(store.read, 'other', 'mb_1')).toEqual([])
    })

    it('keep the tokens of requests', async () => {
      const store = open()
      const presented = { resourceId: 'mb_1', tool: 'create_media_buy', token: 'a.b.c' }
      for (const _again of [1, 2]) await store.transaction((tx) => insertPresentedToken(tx, owner, presented, now))
      expect(await listPresentedTokens(store.read, 'acme', 'mb_1')).toEqual(['a.b.c'])
    })
  })

  describe('governance tokens', () => {
    const token = { iss: 'https://g.example/mcp', aud: 'https://s.example/mcp', jti: 'jti-1' }

    it('are used by one of two at the same moment, and are forgotten when they are dead', async () => {
      const store = open()
      const use = (at = seconds) => store.transaction((tx) => useToken(tx, token, seconds + 600, at))
      expect((await Promise.all([use(), use()])).sort()).toEqual([false, true])
      expect(await isTokenUsed(store.read, token)).toBe(true)
      expect(await isTokenUsed(store.read, { ...token, aud: 'https://t.example/mcp' })).toBe(false)
      expect(await use(seconds + 600)).toBe(false)
      expect(await use(seconds + 601)).toBe(true)
    })
  })

  describe('the plan that governs a brand', () => {
    it('is the one that the buyer synced last for it, no portfolio', async () => {
      const store = open()
      const other = { tenantId: 'acme', principalId: 'plans-of-another', name: 'Another', sandbox: false, scopes: [] }
      await store.transaction((tx) => addPrincipal(tx, other, now))
      const plan = (planId: string, domain: string, more: object = {}) => ({
        plan_id: planId,
        brand: { domain },
        objectives: 'x',
        budget: { total: 1, currency: 'USD', reallocation_threshold: 1 },
        flight: { start: now.toISOString(), end: now.toISOString() },
        ...more,
      })
      const save = (document: ReturnType<typeof plan>, minutes: number, principalId = 'buyer') =>
        store.transaction((tx) => savePlan(tx, { ...owner, principalId }, document, new Date(now.getTime() + minutes * 60_000)))
      await save(plan('first', 'Brand.example'), 0)
      await save(plan('second', 'brand.example'), 1)
      await save(plan('all', 'brand.example', { portfolio: { member_plan_ids: ['first'] } }), 2)
      await save(plan('theirs', 'brand.example'), 3, other.principalId)
      expect(await findNewestPlanFor(store.read, owner, 'BRAND.example')).toBe('second')
      await save(plan('first', 'brand.example'), 4)
      expect(await findNewestPlanFor(store.read, owner, 'brand.example')).toBe('first')
      expect(await findNewestPlanFor(store.read, owner, 'nobody.example')).toBeUndefined()
      expect(await mayBeGoverned(store.read, owner, 'acc_other')).toBe(true)
      const later = { start: '2031-04-01T00:00:00Z', end: '2031-06-30T00:00:00Z' }
      await save(plan('spring', 'brand.example', { flight: later }), 5)
      await save(plan('autumn', 'brand.example', { flight: { start: '2031-09-01T00:00:00Z', end: '2031-10-31T00:00:00Z' } }), 6)
      const governing = (start: string, end?: string) => findNewestPlanFor(store.read, owner, 'brand.example', { start, end })
      expect(await governing('2031-06-30T00:00:00Z', '2031-07-31T00:00:00Z'), 'the one whose flight it touches').toBe('spring')
      expect(await governing('2031-05-01T00:00:00Z'), 'without an end: the newest that is not over').toBe('autumn')
      expect(await governing('2040-01-01T00:00:00Z'), 'none touched: the newest').toBe('autumn')
    })
  })
}
