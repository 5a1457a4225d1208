import { EXAMPLES } from './differential-corpus.ts'
import { UNKNOWN_RECEIPT, UNKNOWN_STATEMENT } from './unknown-statement.ts'

/** Requests of tasks that the corpus of the transports asks nothing rightly, or that make something which has to be made once. */
const MORE: Readonly<Record<string, readonly object[]>> = {
  get_task_status: [{ task_id: '@task@', include_result: true }],
  list_agent_publishers: [{ agent_url: '@agent@' }],
  create_property_list: [{ idempotency_key: 'release-properties', name: 'Once' }],
  create_collection_list: [{ idempotency_key: 'release-collections', name: 'Once' }],
  create_content_standards: [
    {
      idempotency_key: 'release-standards',
      scope: { languages_any: ['en'] },
      policies: [{ policy_id: 'calm', enforcement: 'must', policy: 'No violence' }],
    },
  ],
  report_plan_outcome: [
    {
      idempotency_key: 'release-outcome-1',
      plan_id: 'spring',
      check_id: '@check@',
      governance_context: '@governance@',
      outcome: 'completed',
      seller_response: { seller_reference: 'mb_1' },
    },
  ],
  delete_property_list: [{ idempotency_key: 'release-delete-1', list_id: '@spare_property_list@' }],
  delete_collection_list: [{ idempotency_key: 'release-delete-2', list_id: '@spare_collection_list@' }],
  si_get_offering: [{ offering_id: '@offering@' }],
  sync_governance: [{ idempotency_key: 'release-governance', accounts: [] }],
  validate_input: [
    { manifest: { format_kind: 'image', assets: {} }, targets: [{ kind: 'canonical', id: 'image' }], context: { trace: 'a' } },
    { manifest: { format_kind: 'video_hosted', assets: {} } },
  ],
  list_transformers: [{}, { brief: 'a banner', expand_params: ['catalog'], context: { trace: 'a' } }],
  search_brands: [{ query: 'hiking gear' }, { query: 'brands', countries: ['US'], pagination: { max_results: 1 } }],
  verify_brand_claim: [
    { claim_type: 'subsidiary', claim: { subsidiary_domain: 'acmeoutdoor.example' }, context: { trace: 'a' } },
    { claim_type: 'property', claim: { property: { type: 'website', identifier: 'harborline.example' } } },
    { claim_type: 'trademark', claim: { mark: 'Harborline', registry: 'USPTO' } },
  ],
  verify_brand_claims: [{ claims: [{ claim_type: 'parent', claim: { parent_domain: 'unknown.example' } }] }],
}

/** Requests that a release wants in another form than 3.0. */
const OF_RELEASE: Readonly<Record<string, Readonly<Record<string, readonly object[]>>>> = {
  '3.1': { comply_test_controller: [{ scenario: 'list_scenarios', account: { sandbox: true } }] },
  '3.2': {
    list_products: [{}, { criteria: { offer_filters: { channels: ['olv'] } }, max_results: 2, context: { trace: 'a' } }],
    buy_products: [
      {
        idempotency_key: 'release-buy-products',
        account: { brand: { domain: 'acmeoutdoor.example' }, operator: 'pinnacle-agency.example', sandbox: true },
        feed_version: '@feed@',
        purchases: [{ product_id: 'outdoor_lifestyle_video', pricing_option_id: 'cpm_usd_fixed', budget: 5_000 }],
        start_time: 'asap',
        end_time: '2027-06-01T00:00:00Z',
      },
    ],
    list_account_changes: [
      { account: { brand: { domain: 'acmeoutdoor.example' }, operator: 'pinnacle-agency.example', sandbox: true } },
    ],
    get_reporting_status: [
      {
        account: { brand: { domain: 'acmeoutdoor.example' }, operator: 'pinnacle-agency.example', sandbox: true },
        view: 'summary',
      },
    ],
    sync_reporting_status: [
      {
        idempotency_key: 'release-reporting-status',
        account: { brand: { domain: 'acmeoutdoor.example' }, operator: 'pinnacle-agency.example', sandbox: true },
        statuses: [UNKNOWN_STATEMENT],
      },
    ],
    sync_reporting_receipts: [
      {
        idempotency_key: 'release-reporting-receipts',
        account: { brand: { domain: 'acmeoutdoor.example' }, operator: 'pinnacle-agency.example', sandbox: true },
        receipts: [UNKNOWN_RECEIPT],
      },
    ],
    get_principal: [{}, { context: { trace: 'a' } }],
    sync_principal: [
      { idempotency_key: 'release-sync-principal', configuration: { notification_configs: [] }, context: { trace: 'a' } },
    ],
    sync_agent_notification_configs: [
      { idempotency_key: 'release-sync-agent-configs', notification_configs: [], context: { trace: 'a' } },
    ],
    report_plan_adjustment: [
      {
        idempotency_key: 'release-plan-adjustment',
        action: 'report',
        plan_id: 'spring',
        outcome_id: 'out_unknown',
        seller_reference: 'mb_1',
        seller_adjustment_id: 'sa_1',
        adjustment_type: 'credit',
        amount: { amount: 10, currency: 'USD' },
        reason: 'shown less often than agreed',
        effective_at: '2026-05-01T00:00:00Z',
        evidence: {
          evidence_id: 'ev_1',
          evidence_type: 'credit_note',
          digest: `sha256:${'a'.repeat(64)}`,
          issued_at: '2026-05-01T00:00:00Z',
        },
      },
      {
        idempotency_key: 'release-plan-review',
        action: 'review',
        plan_id: 'spring',
        adjustment_id: 'adj_unknown',
        decision: 'accept',
      },
    ],
    request_proposals: [
      { idempotency_key: 'release-request-1', brand: { domain: 'acmeoutdoor.example' }, brief: 'Outdoor video, $50,000' },
      {
        idempotency_key: 'release-request-2',
        brand: { domain: 'acmeoutdoor.example' },
        brief: 'Outdoor video',
        criteria: { offer_filters: { channels: ['cinema'] } },
        context: { trace: 'a' },
      },
    ],
    refine_proposals: [
      {
        idempotency_key: 'release-refine-proposals',
        refinements: [
          {
            proposal_id: '@draft@',
            action: 'revise',
            constraints: { total_budget: { max: 90_000, currency: 'USD' }, cpm: { max: 30, currency: 'USD' } },
            product_changes: { outdoor_lifestyle_video: 'include' },
            alternatives: { count: 3 },
            ask: 'more video',
          },
          { proposal_id: 'unknown', action: 'revise', ask: 'more video' },
        ],
      },
      {
        idempotency_key: 'release-refine-finalize',
        refinements: [
          { proposal_id: '@draft@', action: 'finalize' },
          { proposal_id: 'unknown', action: 'finalize' },
        ],
      },
    ],
    accept_proposal: [
      {
        idempotency_key: 'release-accept-proposal',
        account: { brand: { domain: 'acmeoutdoor.example' }, operator: 'pinnacle-agency.example', sandbox: true },
        proposal_id: '@committed@',
        proposal_terms_digest: '@digest@',
      },
    ],
    decline_proposals: [
      {
        idempotency_key: 'release-decline-proposals',
        declines: [
          { proposal_id: 'unknown', reason: 'price' },
          { proposal_id: '@draft@', reason: 'other', detail: 'changed' },
        ],
      },
    ],
    comply_test_controller: [{ scenario: 'list_scenarios', account: { sandbox: true, account_id: 'acc_test' } }],
    check_governance: [
      {
        plan_id: 'spring',
        caller: 'https://buyer.example/agent',
        tool: 'create_media_buy',
        payload: { total_budget: 10 },
        target_agent: 'https://ads.example/mcp',
      },
    ],
  },
}

/** Requests of a task in a release, of which at least one is answered. Keys are its own, so that nothing is a repetition of another release. */
export function requestsOf(line: string, task: string): readonly object[] {
  const requests = OF_RELEASE[line]?.[task] ?? [...(EXAMPLES[task] ?? []), ...(MORE[task] ?? [])]
  const own = JSON.stringify(requests).replaceAll('differential-', `differential-${line}-`)
  return JSON.parse(own)
}
