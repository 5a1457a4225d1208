import { randomUUID } from 'node:crypto'
import { MAX_PACKAGES } from '../../src/domain/media-buy/create.ts'
import type { Contracts } from '../../src/protocol/contracts.ts'
import type { AgentClient, TaskReply } from '../../test/support/client.ts'
import { BRAND, INTENT, PACKAGE } from '../../test/support/isolation/holdings.ts'
import { UNKNOWN_RECEIPT, UNKNOWN_STATEMENT } from '../../test/support/unknown-statement.ts'
import type { Own } from './seed-world.ts'

/** Of the agent that the directory knows, see `index-publishers.ts`. */
export const AGENT_URL = 'https://ads.example/mcp'

/**
 * What tasks of later releases ask for: the version of the feed of products, a draft of a proposal, a committed one with the digest of its terms, a
 * media buy that nothing has changed yet, of as many packages as an order may have, and a plan whose money is committed to the buyer itself, with that outcome.
 */
export const LATER_KINDS = ['feed', 'draft', 'committed', 'digest', 'controlled', 'committed_plan', 'outcome'] as const

/** Empty where the server has no such release. */
export type LaterOwn = Readonly<Record<(typeof LATER_KINDS)[number], string>>

/** How release 3.2 names an account of its buyer. */
const ACCOUNT = { brand: BRAND, operator: 'fuzzer.example' }

/** Makes what {@link LATER_KINDS} names. `agentUrl`: of the buyer; undefined: it has none. Throws when the agent refuses one of the calls. */
export async function acquireLater(client: AgentClient, contracts: Contracts, agentUrl?: string): Promise<LaterOwn> {
  const run = async (task: string, args: object): Promise<TaskReply['data']> => {
    const reply = await client.call(task, { adcp_version: '3.2', ...args })
    if (reply.isError) throw new Error(`${task}: ${JSON.stringify(reply.data)}`)
    return reply.data
  }
  const change = (task: string, args: object) => run(task, { idempotency_key: randomUUID(), ...args })
  const none = { feed: '', draft: '', committed: '', digest: '', controlled: '', committed_plan: '', outcome: '' }
  if (contracts.find('3.2') === undefined) return none
  await change('sync_accounts', { accounts: [{ ...ACCOUNT, billing: 'operator' }] })
  const draft = async () => (await change('request_proposals', { brand: BRAND, brief: 'video' })).proposals[0].proposal_id
  const refinements = [{ proposal_id: await draft(), action: 'finalize' }]
  const { results } = await change('refine_proposals', { refinements })
  const { proposal_id: committed, terms_digest: digest } = results[0].proposal
  const order = { account: ACCOUNT, brand: BRAND, start_time: '2026-03-10T00:00:00Z', end_time: '2026-03-20T00:00:00Z' }
  const bought = await change('create_media_buy', { ...order, packages: Array(MAX_PACKAGES).fill(PACKAGE) })
  const { feed_version: feed } = await run('list_products', {})
  const spent = agentUrl === undefined ? none : await commitTo(agentUrl, run)
  return { ...none, ...spent, feed, draft: await draft(), committed, digest, controlled: bought.media_buy_id }
}

type Run = (task: string, args: object) => Promise<TaskReply['data']>

/** Makes a plan and commits money of it to a seller. */
async function commitTo(seller: string, run: Run): Promise<Pick<LaterOwn, 'committed_plan' | 'outcome'>> {
  const plan_id = `plan-${randomUUID()}`
  const plan = {
    plan_id,
    brand: BRAND,
    objectives: 'Video',
    budget: { total: 1_000, currency: 'USD', reallocation_unlimited: true },
    flight: { start: '2026-03-10T00:00:00Z', end: '2026-03-20T00:00:00Z' },
    approved_sellers: [seller],
    // A plan of plans: purchases that name no plan are not held against it.
    portfolio: { member_plan_ids: ['member'] },
  }
  await run('sync_plans', { idempotency_key: randomUUID(), plans: [plan] })
  const { check_id, governance_context } = await run('check_governance', { ...INTENT, plan_id, target_agent: seller })
  const outcome = { outcome: 'completed', seller_response: { seller_reference: SOLD, committed_budget: 10 } }
  const said = { idempotency_key: randomUUID(), plan_id, check_id, governance_context, ...outcome }
  const { outcome_id } = await run('report_plan_outcome', said)
  return { committed_plan: plan_id, outcome: outcome_id }
}

/** What the seller calls what it sold. */
const SOLD = 'order-1'

/** Valid requests of tasks that came with a later release. */
export function laterExamples(own: Own): Readonly<Record<string, object>> {
  return {
    validate_input: { manifest: { format_kind: 'image', assets: {} }, targets: [{ kind: 'canonical', id: 'image' }] },
    list_transformers: { brief: 'a banner' },
    search_brands: { query: 'hiking gear' },
    verify_brand_claim: { claim_type: 'subsidiary', claim: { subsidiary_domain: 'acmeoutdoor.example' } },
    verify_brand_claims: { claims: [{ claim_type: 'parent', claim: { parent_domain: 'unknown.example' } }] },
    list_products: { criteria: { offer_filters: { channels: ['olv'] } }, max_results: 2 },
    buy_products: {
      account: ACCOUNT,
      feed_version: own.feed,
      purchases: [{ product_id: 'ctv_prime_evening', pricing_option_id: 'cpm_usd_fixed', budget: 50_000 }],
      start_time: 'asap',
      end_time: '2026-06-01T00:00:00Z',
    },
    control_media_buy: { account: ACCOUNT, media_buy_id: own.controlled, revision: 1, paused: true },
    list_account_changes: { account: { account_id: own.account } },
    get_reporting_status: { account: { account_id: own.account }, view: 'periods' },
    sync_reporting_status: { account: { account_id: own.account }, statuses: [UNKNOWN_STATEMENT] },
    sync_reporting_receipts: { account: { account_id: own.account }, receipts: [UNKNOWN_RECEIPT] },
    sync_principal: { configuration: { notification_configs: [] } },
    sync_agent_notification_configs: { notification_configs: [] },
    report_plan_adjustment: {
      action: 'report',
      plan_id: own.committed_plan,
      outcome_id: own.outcome,
      seller_reference: SOLD,
      seller_adjustment_id: 'adjustment-1',
      adjustment_type: 'decommitment',
      amount: { amount: 1, currency: 'USD' },
      reason: 'released',
      effective_at: '2026-03-01T00:00:00Z',
      evidence: {
        evidence_id: 'evidence-1',
        evidence_type: 'decommitment_agreement',
        digest: `sha256:${'a'.repeat(64)}`,
        issued_at: '2026-03-01T00:00:00Z',
      },
    },
    request_proposals: { brand: BRAND, brief: 'Outdoor video, $50,000' },
    refine_proposals: {
      refinements: [{ proposal_id: own.draft, action: 'revise', ask: 'more video', alternatives: { count: 2 } }],
    },
    accept_proposal: { account: ACCOUNT, proposal_id: own.committed, proposal_terms_digest: own.digest },
    decline_proposals: { declines: [{ proposal_id: own.draft, reason: 'other', detail: 'changed' }] },
  }
}

/** Valid requests that a release wants in a form of its own, by release and task. */
export function examplesOf(own: Own): Readonly<Record<string, Readonly<Record<string, object>>>> {
  const controller = { scenario: 'list_scenarios', account: { sandbox: true } }
  return {
    '3.1': { comply_test_controller: controller },
    '3.2': {
      comply_test_controller: { ...controller, account: { ...controller.account, account_id: own.account } },
      check_governance: { ...INTENT, plan_id: own.plan, target_agent: AGENT_URL },
      report_plan_outcome: {
        ...{ plan_id: own.plan, check_id: own.check, governance_context: 'opaque', outcome: 'failed' },
        error: { code: 'SERVICE_UNAVAILABLE', message: 'the seller did not answer' },
      },
    },
  }
}
