import type { Claim } from './ceiling.ts'

/** Delivery and budget follow the session phase, and the runner plays nothing after a phase whose state did not come about. */
const BLOCKED_BY_SESSION =
  'the runner blocks it: every later phase depends on verify_terminated_session; media_buy_seller/delivery_reporting plays the same'

/** Its `response-unwrapper`; `si_initiate_session` has a member of that name, and the answer on the wire is whole. */
const TAKEN_FOR_A_WRAPPER = "the suite's A2A client takes the member `response` of the answer for a wrapper and drops the rest"

/** The storyboards that this project claims: a run fails when one of them does more than its ceiling allows. */
const CLAIMED: readonly Claim[] = [
  { id: 'capability_discovery' },
  { id: 'error_compliance' },
  { id: 'schema_validation' },
  { id: 'v3_envelope_integrity' },
  { id: 'idempotency' },
  { id: 'webhook_emission' },
  { id: 'security_baseline' },
  {
    id: 'signed_requests',
    ceiling: {
      'negative-007-missing-content-digest': 'asks for content-digest to be required, where 018 asks for it to be forbidden',
      'negative-018-digest-covered-when-forbidden':
        'asks for content-digest to be forbidden, where 007 asks for it to be required',
      'negative-025-jwk-alg-crv-mismatch': 'the runner judges a library of its own and sends nothing, then expects HTTP 401',
    },
  },
  { id: 'pagination_integrity' },
  { id: 'pagination_integrity_creative_formats' },
  { id: 'pagination_integrity_list_accounts' },
  { id: 'get_media_buys_pagination_integrity' },
  {
    id: 'deterministic_testing',
    ceiling: {
      verify_terminated_session: 'the runner demands success: false inside an answer that it also demands to be a success',
      create_media_buy_for_delivery: BLOCKED_BY_SESSION,
      simulate_delivery: BLOCKED_BY_SESSION,
      verify_delivery: BLOCKED_BY_SESSION,
      create_media_buy_for_budget: BLOCKED_BY_SESSION,
      simulate_budget_95: BLOCKED_BY_SESSION,
      simulate_budget_100: BLOCKED_BY_SESSION,
    },
  },
  { id: 'brand_baseline' },
  { id: 'brand_rights' },
  { id: 'si_baseline' },
  { id: 'media_buy_seller' },
  { id: 'media_buy_seller/create_media_buy_async' },
  { id: 'media_buy_seller/creative_fate_after_cancellation' },
  { id: 'media_buy_seller/delivery_reporting' },
  { id: 'media_buy_seller/inventory_list_no_match' },
  { id: 'media_buy_seller/inventory_list_targeting' },
  { id: 'media_buy_seller/invalid_transitions' },
  { id: 'media_buy_seller/measurement_terms_rejected' },
  { id: 'media_buy_seller/pending_creatives_to_start' },
  { id: 'media_buy_seller/proposal_finalize' },
  { id: 'media_buy_seller/refine_products' },
  { id: 'media_buy_seller/governance_approved' },
  { id: 'media_buy_seller/governance_conditions' },
  { id: 'media_buy_seller/governance_denied', after: 'media_buy_seller/governance_approved' },
  { id: 'media_buy_seller/governance_denied_recovery' },
  { id: 'governance_aware_seller' },
  { id: 'media_buy_governance_escalation' },
  { id: 'governance_spend_authority' },
  { id: 'governance_spend_authority/denied' },
  { id: 'governance_delivery_monitor', after: 'governance_spend_authority' },
  { id: 'media_buy_state_machine' },
  { id: 'creative_sales_agent' },
  { id: 'sales_guaranteed' },
  { id: 'sales_non_guaranteed' },
  { id: 'sales_proposal_mode' },
  { id: 'sales_broadcast_tv' },
  { id: 'sales_social' },
  { id: 'sales_catalog_driven' },
  { id: 'audience_sync' },
  { id: 'creative_lifecycle' },
  { id: 'creative_template' },
  { id: 'creative_generative' },
  { id: 'creative_generative/seller' },
  { id: 'creative_ad_server' },
  { id: 'pagination_integrity_property_lists' },
  { id: 'pagination_integrity_collection_lists' },
  { id: 'pagination_integrity_content_standards' },
  { id: 'property_lists' },
  { id: 'collection_lists' },
  { id: 'content_standards' },
  { id: 'signals_baseline' },
  { id: 'get_signals_pagination_integrity' },
  { id: 'signal_owned' },
  { id: 'signal_marketplace' },
  { id: 'brand_rights/governance_denied' },
  { id: 'signal_marketplace/governance_denied' },
]

/** Steps that stop over A2A alone, by storyboard; the steps after them lack the session that they would have opened. */
const OVER_A2A: Readonly<Record<string, NonNullable<Claim['ceiling']>>> = {
  si_baseline: {
    si_initiate_session: TAKEN_FOR_A_WRAPPER,
    si_send_message: TAKEN_FOR_A_WRAPPER,
    si_terminate_session: TAKEN_FOR_A_WRAPPER,
  },
  deterministic_testing: { initiate_session: TAKEN_FOR_A_WRAPPER, force_session_terminated: TAKEN_FOR_A_WRAPPER },
}

/** What is claimed over a transport: the same storyboards; over A2A the suite's own client stops a few more steps. */
export function claimedOver(protocol: 'mcp' | 'a2a'): readonly Claim[] {
  if (protocol === 'mcp') return CLAIMED
  return CLAIMED.map((claim) => ({ ...claim, ceiling: { ...claim.ceiling, ...OVER_A2A[claim.id] } }))
}
