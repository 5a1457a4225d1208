import { describe, expect, test } from 'vitest'
import { stepsAround } from '../../src/protocol/contracts.ts'
import { earlierRequest, laterAnswer, laterCode } from '../../src/protocol/converters/line-converter.ts'
import { RELEASE_3_1 } from '../../src/protocol/converters/release-3-1.ts'
import { RELEASE_3_2 } from '../../src/protocol/converters/release-3-2.ts'

const OWN = { agent_url: 'https://ads.example/mcp', id: 'display_300x250' }
const DATA_SIGNAL = { scope: 'data_provider', data_provider_domain: 'data.example', signal_id: 's' }
const OFFICIAL = { agent_url: 'https://creative.adcontextprotocol.org/', id: 'display_300x250_image' }
const OPTION = { format_option_id: OWN.id, format_kind: 'image' }
const OPTIONS = [
  { ...OPTION, v1_format_ref: [OFFICIAL] },
  { format_option_id: 'daast_30s', v1_format_ref: [{ ...OWN, id: 'daast_30s' }] },
]

describe('from 3.0 to 3.1', () => {
  test.each([
    ['create_media_buy', { media_buy_id: 'm', status: 'active' }, { media_buy_id: 'm', media_buy_status: 'active' }],
    ['create_media_buy', { status: 'submitted', task_id: 't' }, { status: 'submitted', task_id: 't' }],
    ['create_media_buy', { errors: [{ code: 'X' }] }, { errors: [{ code: 'X' }] }],
    ['update_media_buy', { media_buy_id: 'm', status: 'paused' }, { media_buy_id: 'm', media_buy_status: 'paused' }],
    ['get_products', { products: [] }, { products: [], cache_scope: 'account' }],
    [
      'get_products',
      { products: [{ format_ids: [OWN], format_options: [{ v1_format_ref: [OFFICIAL] }, { v1_format_ref: [OWN] }] }] },
      {
        products: [{ format_ids: [OWN, OFFICIAL], format_options: [{ v1_format_ref: [OFFICIAL] }, { v1_format_ref: [OWN] }] }],
        cache_scope: 'account',
      },
    ],
    [
      'get_products',
      { products: [{ format_ids: [OWN], format_options: OPTIONS }] },
      { products: [{ format_ids: [OWN, OFFICIAL], format_options: [OPTION, OPTIONS[1]] }], cache_scope: 'account' },
    ],
    [
      'get_task_status',
      { task_type: 'get_products', status: 'completed', result: { products: [{ format_ids: [OWN], format_options: OPTIONS }] } },
      {
        task_type: 'get_products',
        status: 'completed',
        result: {
          products: [{ format_ids: [OWN, OFFICIAL], format_options: [OPTION, OPTIONS[1]] }],
          cache_scope: 'account',
        },
      },
    ],
    ['get_signals', { signals: [], cache_scope: 'public' }, { signals: [], cache_scope: 'public' }],
    ['check_governance', { check_id: 'c', status: 'denied' }, { check_id: 'c', verdict: 'denied' }],
    ['report_plan_outcome', { outcome_id: 'o', status: 'accepted' }, { outcome_id: 'o', outcome_state: 'accepted' }],
    ['acquire_rights', { rights_id: 'r', status: 'acquired' }, { rights_id: 'r', rights_status: 'acquired' }],
    ['creative_approval', { rights_id: 'r', status: 'approved' }, { rights_id: 'r', approval_status: 'approved' }],
    [
      'get_plan_audit_logs',
      { plans: [{ plan_id: 'p', entries: [{ id: 'e', status: 'approved' }, { id: 'f' }] }] },
      { plans: [{ plan_id: 'p', entries: [{ id: 'e', verdict: 'approved' }, { id: 'f' }] }] },
    ],
    [
      'get_task_status',
      { task_type: 'create_media_buy', status: 'completed', result: { media_buy_id: 'm', status: 'active' } },
      { task_type: 'create_media_buy', status: 'completed', result: { media_buy_id: 'm', media_buy_status: 'active' } },
    ],
    ['list_creatives', { creatives: [{ format_id: 'f', format_kind: 'image' }] }, { creatives: [{ format_kind: 'image' }] }],
    ['list_creatives', { creatives: [{ format_id: 'f' }] }, { creatives: [{ format_id: 'f' }] }],
    ['list_accounts', { accounts: [] }, { accounts: [] }],
  ])('%s %j', (task, answer, expected) => {
    const before = structuredClone(answer)
    expect(laterAnswer([RELEASE_3_1], task, answer)).toEqual(expected)
    expect(answer, 'a conversion changes nothing in place').toEqual(before)
  })
})

describe('error codes from 3.0 to 3.1', () => {
  test.each([
    ['get_brand_identity', 'BRAND_NOT_FOUND', 'REFERENCE_NOT_FOUND'],
    ['create_media_buy', 'AUTH_REQUIRED', 'AUTH_MISSING'],
    ['create_media_buy', 'GOVERNANCE_DENIED', 'GOVERNANCE_DENIED'],
    ['activate_signal', 'GOVERNANCE_DENIED', 'PERMISSION_DENIED'],
    ['constructor', 'toString', 'toString'],
  ])('%s %s', (task, code, expected) => {
    expect(laterCode([], task, code)).toBe(code)
    expect(laterCode([RELEASE_3_1, RELEASE_3_2], task, code)).toBe(expected)
  })
})

describe('requests of 3.1 to 3.0', () => {
  const option = (id: string) => ({ scope: 'product', format_option_id: id })
  const format = (id: string) => ({ agent_url: 'https://ads.example/mcp', id })
  const CONTEXT = {
    formats: { ofKind: (kind: unknown) => (kind === 'image' ? format('chosen') : undefined), ofOption: format },
  }
  const creative = { creative_id: 'c', format_kind: 'image', format_option_ref: option('display_300x250') }
  const named = { ...creative, format_id: format('display_300x250') }
  test.each([
    ['sync_creatives', { creatives: [creative] }, { creatives: [named] }],
    [
      'sync_creatives',
      {
        creatives: [
          { creative_id: 'c', format_kind: 'image' },
          { creative_id: 'd', format_kind: 'custom' },
        ],
      },
      {
        creatives: [
          { creative_id: 'c', format_kind: 'image', format_id: format('chosen') },
          { creative_id: 'd', format_kind: 'custom' },
        ],
      },
    ],
    [
      'create_media_buy',
      { packages: [{ product_id: 'p', format_option_refs: [option('a'), option('b')], creatives: [creative] }] },
      { packages: [{ product_id: 'p', format_option_refs: [option('a'), option('b')], creatives: [named] }] },
    ],
    ['update_media_buy', { new_packages: [{ creatives: [creative] }] }, { new_packages: [{ creatives: [named] }] }],
    ['preview_creative', { creative_manifest: creative }, { creative_manifest: named }],
    ['preview_creative', { requests: [{ creative_manifest: creative }] }, { requests: [{ creative_manifest: named }] }],
    [
      'get_products',
      { filters: { signal_targeting: [{ signal_ref: DATA_SIGNAL, value_type: 'binary', value: true }, { signal_id: 'own' }] } },
      {
        filters: {
          signal_targeting: [
            {
              signal_id: { source: 'catalog', data_provider_domain: 'data.example', id: 's' },
              value_type: 'binary',
              value: true,
            },
            { signal_id: 'own' },
          ],
        },
      },
    ],
    ['list_accounts', { sandbox: true }, { sandbox: true }],
  ])('%s %j', (task, request, expected) => {
    expect(earlierRequest([RELEASE_3_1], task, request, CONTEXT)).toEqual(expected)
  })
})

describe('from 3.1 to 3.2', () => {
  const preview = (sandbox: string) => ({
    previews: [
      { renders: [{ render_id: 'r', embedding: { recommended_sandbox: sandbox, csp_policy: 'x' } }, { render_id: 's' }] },
    ],
  })
  test.each([
    ['preview_creative', preview('allow-scripts'), preview('')],
    [
      'preview_creative',
      { response_type: 'single', ...preview('') },
      { response_type: 'single', ...preview(''), quality_used: 'production' },
    ],
    [
      'preview_creative',
      { results: [{ response: preview('allow-scripts') }, { success: false }] },
      { results: [{ response: preview(''), quality_used: 'production' }, { success: false }] },
    ],
    ['build_creative', { preview: preview('allow-scripts') }, { preview: preview('') }],
    ['create_media_buy', { media_buy_status: 'active' }, { media_buy_status: 'active' }],
    [
      'get_media_buys',
      { media_buys: [{ packages: [{ bid_price: 4, bidding: { max_bid: 4 } }, { bid_price: 5 }] }] },
      { media_buys: [{ packages: [{ bidding: { max_bid: 4 } }, { bid_price: 5 }] }] },
    ],
    ['create_media_buy', { bidding: { max_bid: 4 }, packages: [{ bid_price: 4 }] }, { bidding: { max_bid: 4 }, packages: [{}] }],
  ])('%s %j', (task, answer, expected) => {
    expect(laterAnswer([RELEASE_3_2], task, answer)).toEqual(expected)
  })

  test('what 3.2 brought is not in answers of the releases before', () => {
    const bought = { bidding: { max_bid: 4 }, packages: [{ bid_price: 4, bidding: { max_bid: 4 } }] }
    for (const steps of [[], [RELEASE_3_1]])
      expect(laterAnswer(steps, 'create_media_buy', bought, [RELEASE_3_2])).toEqual({ packages: [{ bid_price: 4 }] })
  })
})

test('products name official formats among their ids under 3.1 alone', () => {
  const answer = { products: [{ format_ids: [OWN], format_options: OPTIONS }], cache_scope: 'public' }
  expect(laterAnswer([], 'get_products', answer)).toEqual(answer)
  expect(laterAnswer([RELEASE_3_1, RELEASE_3_2], 'get_products', answer)).toEqual(answer)
})

test('the way to a release goes through those before it', () => {
  expect(stepsAround('3.0')).toEqual({ steps: [], after: [RELEASE_3_1, RELEASE_3_2] })
  expect(stepsAround('3.1')).toEqual({ steps: [RELEASE_3_1], after: [RELEASE_3_2] })
  expect(stepsAround('3.2')).toEqual({ steps: [RELEASE_3_1, RELEASE_3_2], after: [] })
})
