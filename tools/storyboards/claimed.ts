import type { Claim } from './ceiling.ts'

/** Delivery and budget follow the session phase, and the runner plays nothing after a phase whose state did not come about. */
const BLOCKED_BY_SESSION =
  'the runner blocks it: every later phase depends on verify_terminated_session; media_buy_seller/delivery_reporting plays the same'

/** The storyboards that this project claims: a run fails when one of them does more than its ceiling allows. */
export const CLAIMED: readonly Claim[] = [
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
  {
    id: 'brand_rights/governance_denied',
    ceiling: { sync_governance: 'registers an agent at an address that the runner never fills in (governance_agent_url)' },
  },
  {
    id: 'signal_marketplace/governance_denied',
    ceiling: { sync_governance: 'registers an agent at an address that the runner never fills in (governance_agent_url)' },
  },
]
