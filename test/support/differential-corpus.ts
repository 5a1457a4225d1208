import type { Words } from './arbitrary-request.ts'

/** Where the clock of the compared agents begins. */
export const START = Date.parse('2026-03-16T12:00:00Z')

const day = (offset: number) => new Date(START + offset * 86_400_000).toISOString()
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
const PACKAGE = { product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }
const PRODUCTS = ['ros_display', 'news_homepage_display', 'ctv_prime_evening']
const key = (name: string) => ({ idempotency_key: `differential-${name}` })

const BUY = {
  ...key('media-buy'),
  account: ACCOUNT,
  brand: ACCOUNT.brand,
  start_time: day(30),
  end_time: day(44),
  packages: [PACKAGE],
  context: { trace: 'first' },
}
const PROPERTY_LIST = {
  ...key('property-list'),
  account: ACCOUNT,
  name: 'Approved',
  base_properties: [{ selection_type: 'identifiers', identifiers: [{ type: 'domain', value: 'outdoor.example' }] }],
}
const COLLECTION_LIST = { ...key('collection-list'), account: ACCOUNT, name: 'Shows' }
const STANDARDS = {
  ...key('standards'),
  scope: { languages_any: ['en'] },
  policies: [{ policy_id: 'calm', enforcement: 'must', policy: 'No violence' }],
}
const ARTIFACT = {
  property_rid: 'pub.example/news',
  artifact_id: 'a1',
  assets: [{ type: 'text', role: 'paragraph', content: 'A shooting downtown.' }],
}
const CREATIVE = {
  creative_id: 'banner',
  name: 'Banner',
  format_id: { agent_url: '@agent@', id: 'display_300x250' },
  assets: {
    image: { asset_type: 'image', url: 'https://cdn.example/banner.png', width: 300, height: 250, format: 'png' },
    click_url: { asset_type: 'url', url: 'https://brand.example/' },
  },
}

/** A plan of plans: purchases that name no plan are not held against it. */
const PLAN = {
  plan_id: 'spring',
  brand: ACCOUNT.brand,
  objectives: 'Sales',
  budget: { total: 1000, currency: 'USD', reallocation_unlimited: true },
  flight: { start: day(1), end: day(60) },
  portfolio: { member_plan_ids: ['member'] },
}
const INTENT = {
  plan_id: 'spring',
  caller: 'https://buyer.example/agent',
  tool: 'create_media_buy',
  payload: { total_budget: 10 },
}
const RIGHTS = {
  ...key('rights'),
  rights_id: 'acme_trail_fox',
  pricing_option_id: 'fox_quarter',
  account: ACCOUNT,
  buyer: ACCOUNT.brand,
  campaign: { description: 'Spring', uses: ['likeness'], start_date: '2026-04-10', end_date: '2026-04-20' },
  revocation_webhook: { url: 'https://93.184.215.14/revoked' },
}
const CONVERSATION = { ...key('session'), intent: 'a tent', identity: { consent_granted: false } }
const ITEMS = [{ item_id: 'a', title: 'A tent' }]
const PERSON = { external_id: 'p1', hashed_email: 'ab'.repeat(32) }

/** What is made first, and where its answer names what later requests ask for. */
export const SETUP: readonly { task: string; request: object; names: Readonly<Record<string, RegExp>> }[] = [
  {
    task: 'create_media_buy',
    request: BUY,
    names: { '@media_buy@': /"media_buy_id":"([^"]+)"/, '@package@': /"package_id":"([^"]+)"/ },
  },
  { task: 'create_property_list', request: PROPERTY_LIST, names: { '@property_list@': /"list_id":"([^"]+)"/ } },
  { task: 'create_collection_list', request: COLLECTION_LIST, names: { '@collection_list@': /"list_id":"([^"]+)"/ } },
  { task: 'create_content_standards', request: STANDARDS, names: { '@standards@': /"standards_id":"([^"]+)"/ } },
  { task: 'sync_creatives', request: { ...key('first-creative'), account: ACCOUNT, creatives: [CREATIVE] }, names: {} },
  { task: 'sync_plans', request: { ...key('plan'), plans: [PLAN] }, names: {} },
  { task: 'check_governance', request: INTENT, names: { '@check@': /"check_id":"([^"]+)"/ } },
  {
    task: 'sync_event_sources',
    request: { ...key('source'), account: ACCOUNT, event_sources: [{ event_source_id: 'shop' }] },
    names: {},
  },
  { task: 'acquire_rights', request: RIGHTS, names: { '@grant@': /"rights_id":"([^"]+)"/ } },
  { task: 'si_initiate_session', request: CONVERSATION, names: { '@session@': /"session_id":"([^"]+)"/ } },
]

/** Values that mean something to the agents, by the name of the field that may hold them. */
export const WORDS: Words = {
  account: [ACCOUNT],
  brand: [ACCOUNT.brand],
  domain: ['brand.example'],
  operator: ['agency.example'],
  product_id: PRODUCTS,
  'product_ids[]': PRODUCTS,
  'packages[]': [PACKAGE],
  pricing_option_id: ['cpm_usd_auction', 'cpm_usd_fixed'],
  media_buy_id: ['@media_buy@'],
  'media_buy_ids[]': ['@media_buy@'],
  package_id: ['@package@'],
  standards_id: ['@standards@'],
  plan_id: ['spring'],
  check_id: ['@check@'],
  event_source_id: ['shop'],
  session_id: ['@session@'],
  rights_id: ['@grant@', 'acme_trail_fox'],
  creative_id: ['banner'],
  signal_agent_segment_id: ['harborline_outdoor_readers'],
  list_id: ['@property_list@', '@collection_list@'],
  agent_url: ['@agent@', 'https://ads.example/mcp'],
  currency: ['USD', 'EUR'],
  start_time: [day(30), 'asap'],
  end_time: [day(44)],
  context: [{ trace: 'abc' }],
  since: [day(-1)],
  limit: [10],
  // Nothing outside is asked for anything: a private address is refused before it is looked up.
  url: ['https://10.0.0.1/hook', 'https://cdn.example/image.png'],
}

/** Requests of which at least one succeeds, so that answers are compared and not only refusals. */
export const EXAMPLES: Readonly<Record<string, readonly object[]>> = {
  get_adcp_capabilities: [{}, { context: { trace: 1 } }],
  list_tasks: [{}, { filters: { status: 'submitted' }, include_history: true }],
  get_products: [
    { buying_mode: 'brief', brief: 'video for coffee drinkers', account: ACCOUNT, brand: ACCOUNT.brand },
    { buying_mode: 'wholesale', context: { trace: [1, 'ü', null] } },
    { buying_mode: 'wholesale', adcp_major_version: 99, context: { trace: 2 } },
    { buying_mode: 'wholesale', context: { api_key: 'never' } },
  ],
  list_creative_formats: [{}],
  // Replayed, and refused because the request is another one.
  create_media_buy: [BUY, { ...BUY, context: { trace: 'again' } }, { ...BUY, end_time: day(45) }],
  update_media_buy: [
    { ...key('pause'), account: ACCOUNT, media_buy_id: '@media_buy@', paused: true },
    { ...key('resume'), account: ACCOUNT, media_buy_id: '@media_buy@', paused: false },
    { ...key('nothing'), account: ACCOUNT, media_buy_id: 'mb_nothing', paused: true },
  ],
  get_media_buys: [{ account: ACCOUNT, media_buy_ids: ['@media_buy@'] }, {}],
  get_media_buy_delivery: [{ account: ACCOUNT, media_buy_ids: ['@media_buy@'] }],
  provide_performance_feedback: [
    {
      ...key('feedback'),
      media_buy_id: '@media_buy@',
      measurement_period: { start: day(-2), end: day(-1) },
      performance_index: 1.4,
    },
  ],
  sync_creatives: [{ ...key('creatives'), account: ACCOUNT, creatives: [CREATIVE] }],
  list_creatives: [{}],
  preview_creative: [{ request_type: 'single', creative_manifest: { format_id: CREATIVE.format_id, assets: CREATIVE.assets } }],
  get_property_list: [{ list_id: '@property_list@' }, { list_id: '@collection_list@' }],
  list_property_lists: [{}],
  update_property_list: [{ ...key('property-list-2'), list_id: '@property_list@', name: 'Renamed' }],
  validate_property_delivery: [
    { list_id: '@property_list@', records: [{ identifier: { type: 'domain', value: 'outdoor.example' }, impressions: 5 }] },
  ],
  get_collection_list: [{ list_id: '@collection_list@' }],
  list_collection_lists: [{}],
  update_collection_list: [{ ...key('collection-list-2'), list_id: '@collection_list@', name: 'Renamed' }],
  get_content_standards: [{ standards_id: '@standards@' }],
  list_content_standards: [{}],
  update_content_standards: [{ ...key('standards-2'), standards_id: '@standards@', policies: STANDARDS.policies }],
  calibrate_content: [{ ...key('calibrate'), standards_id: '@standards@', artifact: ARTIFACT }],
  validate_content_delivery: [{ standards_id: '@standards@', records: [{ record_id: 'r1', artifact: ARTIFACT }] }],
  get_media_buy_artifacts: [{ media_buy_id: '@media_buy@' }],
  build_creative: [
    { ...key('build'), creative_id: 'banner', target_format_id: { agent_url: '@agent@', id: 'display_300x250_html5' } },
  ],
  get_creative_delivery: [{ creative_ids: ['banner'] }],
  get_creative_features: [{ creative_manifest: { format_id: CREATIVE.format_id, assets: CREATIVE.assets } }],
  get_signals: [{ signal_spec: 'outdoor readers', account: ACCOUNT }],
  activate_signal: [
    {
      ...key('signal'),
      account: ACCOUNT,
      signal_agent_segment_id: 'harborline_outdoor_readers',
      pricing_option_id: 'po_harborline_outdoor_cpm',
      destinations: [{ type: 'platform', platform: 'the-trade-desk' }],
    },
  ],
  sync_plans: [{ ...key('plan-2'), plans: [{ ...PLAN, objectives: 'More sales' }] }],
  check_governance: [INTENT],
  get_plan_audit_logs: [{ plan_ids: ['spring'], include_entries: true }],
  sync_audiences: [{ ...key('audiences'), account: ACCOUNT, audiences: [{ audience_id: 'people', add: [PERSON] }] }],
  sync_catalogs: [{ ...key('catalogs'), account: ACCOUNT, catalogs: [{ catalog_id: 'tents', type: 'product', items: ITEMS }] }],
  sync_event_sources: [{ ...key('sources'), account: ACCOUNT }],
  log_event: [
    {
      ...key('event'),
      event_source_id: 'shop',
      events: [
        { event_id: 'e1', event_type: 'purchase', event_time: day(-1), user_match: { hashed_email: PERSON.hashed_email } },
      ],
    },
  ],
  get_brand_identity: [{ brand_id: 'acme_outdoor' }],
  get_rights: [{ query: 'a fox', uses: ['likeness'] }],
  acquire_rights: [{ ...RIGHTS, ...key('rights-2') }],
  update_rights: [{ ...key('rights-3'), rights_id: '@grant@', impression_cap: 4_000_000 }],
  creative_approval: [{ ...key('approval'), rights_id: '@grant@', creative_url: 'https://cdn.example/fox.png' }],
  si_initiate_session: [{ ...CONVERSATION, ...key('session-2') }],
  si_send_message: [{ ...key('message'), session_id: '@session@', message: 'boots' }],
  si_terminate_session: [{ ...key('end'), session_id: '@session@', reason: 'user_exit' }],
  get_account_financials: [{ account: ACCOUNT }],
  report_usage: [
    {
      ...key('usage'),
      reporting_period: { start: day(-20), end: day(-1) },
      usage: [{ account: ACCOUNT, vendor_cost: 1, currency: 'USD', creative_id: 'banner' }],
    },
  ],
  sync_accounts: [{ ...key('accounts'), accounts: [{ ...ACCOUNT, billing: 'operator' }] }],
  list_accounts: [{}],
  comply_test_controller: [{ scenario: 'list_scenarios' }, { scenario: 'no_such_scenario' }],
}
