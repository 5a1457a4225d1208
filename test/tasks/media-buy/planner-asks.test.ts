import { afterAll, beforeAll, expect, test } from 'vitest'
import { PLANNER_ASKS, type PlannerAsk } from '../../fixtures/planner-asks.ts'
import type { MediaBuyAgent } from '../../support/media-buy-agent.ts'
import { startPlannerAgent } from '../../support/planner-publisher.ts'
import { LINES } from '../../support/release-agent.ts'

let agent: MediaBuyAgent
const before = new Map<string, Plan>()
beforeAll(async () => {
  agent = await startPlannerAgent()
  for (const plan of new Set(PLANNER_ASKS.map((each) => each.plan))) before.set(plan, planOf((await include(plan)).proposals[0]))
}, 120_000)
afterAll(() => agent?.stop())

/** A plan in what an ask may change of it. */
interface Plan {
  readonly shares: string
  readonly prices: string
  readonly total: number
  readonly targeting: object
}

const include = async (proposal_id: string, ask?: string, adcp_version = '3.1') => {
  const entry = { scope: 'proposal', proposal_id, action: 'include', ...(ask !== undefined && { ask }) }
  const { data } = await agent.buyer.call('get_products', { adcp_version, buying_mode: 'refine', refine: [entry] })
  expect(data.adcp_error, JSON.stringify(data)).toBeUndefined()
  return data
}

function planOf({ allocations, total_budget_guidance: guidance, ext }: Proposal): Plan {
  return {
    shares: allocations.map(({ product_id, allocation_percentage: share }) => `${product_id} ${share}`).join(', '),
    prices: allocations.map(({ product_id, pricing_option_id: option }) => `${product_id} ${option}`).join(', '),
    total: guidance.recommended,
    targeting: ext?.targeting_overlay ?? {},
  }
}

/** The plan that an ask leads to: what its row does not name is as it was. */
function expected({ plan, shares, total, targeting = {}, priced }: PlannerAsk): Omit<Plan, 'prices'> & { prices: unknown } {
  const was = before.get(plan)
  if (!was) throw new Error(`no plan ${plan}`)
  const after = shares ?? was.shares
  const currency = plan === 'swedish_plan' ? 'sek' : 'eur'
  const ids = after.split(', ').map((share) => share.split(' ')[0] ?? '')
  const prices = ids.map((id) => (priced?.split(' ')[0] === id ? priced : `${id} ${currency}`)).join(', ')
  return { shares: after, prices, total: total ?? was.total, targeting }
}

const rows = PLANNER_ASKS.map((row) => [row.plan, row.ask, row] as const)

test('each ask is another one', () => {
  expect(rows.length).toBeGreaterThanOrEqual(60)
  expect(new Set(rows.map(([plan, ask]) => `${plan} ${ask}`)).size).toBe(rows.length)
})

test.each(rows)('%s: "%s" changes what it names, and says what it did', async (plan, ask, row) => {
  const { status, says = /./ } = row
  for (const release of ['3.0', '3.1'].filter((line) => LINES.includes(line))) {
    const { refinement_applied: applied, proposals } = await include(plan, ask, release)
    const [{ status: told, notes }] = applied
    expect({ status: told, ...planOf(proposals[0]) }, notes).toEqual({ status, ...expected(row) })
    expect(notes).toMatch(says)
    // Each status stands for what its notes have.
    expect([notes.includes('applied: '), notes.includes('not possible: ')], notes).toEqual([
      status !== 'unable',
      status !== 'applied',
    ])
  }
})

test.skipIf(!LINES.includes('3.2')).each(rows)('%s: "%s" under AdCP 3.2', async (plan, ask, row) => {
  const refinements = [{ proposal_id: plan, action: 'revise', ask }]
  const { data } = await agent.run('refine_proposals', { adcp_version: '3.2', account: undefined, refinements })
  expect(data.adcp_error, JSON.stringify(data)).toBeUndefined()
  const [{ outcome, reason, proposals }] = data.results
  expect(outcome, reason).toBe({ applied: 'revised', partial: 'partial', unable: 'unable' }[row.status])
  const applied: { applied: string[] } | undefined = data.ext?.applied?.[0]
  expect(applied === undefined, JSON.stringify(data.ext)).toBe(row.status === 'unable')
  expect(reason === undefined).toBe(row.status === 'applied')
  if (row.status === 'unable') return expect(proposals).toBeUndefined()
  const { purchases, total_budget: total } = proposals[0].commercial_terms
  const wanted = expected(row)
  expect(total.amount).toBe(wanted.total)
  const shares = purchases.map(({ product_id, budget }: Purchase) => `${product_id} ${(budget * 100) / total.amount}`)
  expect(shares.join(', ')).toBe(wanted.shares)
  expect(purchases.map(({ product_id, pricing_option_id: id }: Purchase) => `${product_id} ${id}`).join(', ')).toBe(wanted.prices)
  if (Object.keys(wanted.targeting).length > 0) expect(JSON.stringify(purchases)).toContain(Object.keys(wanted.targeting)[0])
  else expect(purchases.some(({ targeting_overlay: overlay }: Purchase) => overlay)).toBe(false)
})

interface Purchase {
  readonly product_id: string
  readonly pricing_option_id: string
  readonly budget: number
  readonly targeting_overlay?: object
}

interface Proposal {
  readonly allocations: readonly {
    readonly product_id: string
    readonly pricing_option_id: string
    readonly allocation_percentage: number
  }[]
  readonly total_budget_guidance: { readonly recommended: number }
  readonly ext?: { readonly targeting_overlay?: object }
}
