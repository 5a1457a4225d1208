import type { IdField } from '../id-fields.ts'
import { BRAND, banner, CONVERSATION, INTENT, type Kind, PACKAGE, RIGHTS } from './holdings.ts'

type Own = Readonly<Record<Kind, string>>

/** Ids that are nobody's secret, and why; by the last part of the path. A field that is neither here nor in `kindOf` fails the test. */
export const NOT_OWNED: Readonly<Record<string, string>> = {
  product_id: "of the publisher's products, signals or brands",
  pricing_option_id: "of the publisher's products, signals or brands",
  placement_ids: "of the publisher's products, signals or brands",
  property_ids: "of the publisher's products, signals or brands",
  collection_ids: "of the publisher's products, signals or brands",
  format_id: 'of an agent that describes formats',
  format_ids: 'of an agent that describes formats',
  proposal_id: 'a plan of the publisher, or a draft that carries its content; tested apart',
  brand_id: 'public name within a brand.json',
  operator: 'public domain of an agency; the account that it names is found within the caller’s own',
  policy_id: 'chosen by the caller within its own document, or of a public registry',
  registry_policy_ids: 'of a public registry',
  feature_id: 'name of a capability',
  feature_ids: 'name of a capability',
  vat_id: 'tax number that the caller states',
  tax_id: 'tax number that the caller states',
  record_id: 'chosen by the caller within its own request',
  artifact_id: 'of the content that the caller sends',
  variant_id: 'of the content that the caller sends',
  apple_podcast_id: 'of a platform',
  spotify_collection_id: 'of a platform',
  youtube_video_id: 'of a platform',
  exclude_distribution_ids: 'of a platform',
  sku_id: 'of the caller’s own catalog',
  signal_id: "of the publisher's products, signals or brands",
  signal_ids: "of the publisher's products, signals or brands",
  signal_agent_segment_id: "of the publisher's products, signals or brands",
  content_ids: 'of items of the buyer’s own catalogs',
  external_id: 'of a person, in the buyer’s own systems',
  event_id: 'chosen by the buyer within its own source',
  click_id: 'of a platform',
  order_id: 'of the buyer’s own shop',
  catalog_id: 'of store catchments, which are not offered',
  store_ids: 'no store catchments are offered',
  catchment_ids: 'no store catchments are offered',
  asset_group_id: 'role of an asset within the request',
  concept_ids: 'no concepts are kept',
  concept_id: 'a label of the buyer, held against a creative of its own',
  rights_id: 'of the publisher; what was acquired of it is a grant',
  offering_id: "of the publisher's products, signals or brands",
  anonymous_session_id: 'chosen by the host',
  creative_id: 'chosen by the caller, of what it made under its own rights',
  voice_id: 'of a platform',
  avatar_id: 'of a platform',
  policy_ids: 'of a public registry',
  shared_policy_ids: 'of a public registry',
  template_id: 'of an agent that describes formats',
  io_id: 'of an insertion order in the same proposal',
  signature_id: 'of a signature provider',
}

/** Ids that are kept or noted as sent and looked at later or never: not even their owner is told a difference. */
export const UNCHECKED: Readonly<Record<string, string>> = {
  'si_initiate_session media_buy_id': 'of whoever paid for the placement, which the host is not: a note',
  'get_products catalog.catalog_id': 'products are not chosen by catalog',
  'sync_plans plans.[].portfolio.member_plan_ids':
    'a portfolio may be ahead of its members; they are looked for among its owner’s plans',
  'validate_content_delivery records.[].media_buy_id': 'an annotation',
  ...Object.fromEntries(
    ['create_media_buy packages', 'update_media_buy packages', 'update_media_buy new_packages'].flatMap((place) =>
      ['property_list', 'collection_list', 'collection_list_exclude'].map((list) => [
        `${place}.[].targeting_overlay.${list}.list_id`,
        'a list of any agent’s: kept as targeting',
      ]),
    ),
  ),
  'update_media_buy new_packages.[].creative_assignments.[].creative_id': 'a new package may be ahead of its creatives',
  'create_media_buy packages.[].creatives.[].creative_id': 'an upload: the caller names it',
  'update_media_buy packages.[].creatives.[].creative_id': 'an upload: the caller names it',
  'update_media_buy new_packages.[].creatives.[].creative_id': 'an upload: the caller names it',
}

const BY_NAME: Readonly<Record<string, Kind>> = {
  account_id: 'account',
  media_buy_id: 'media_buy',
  media_buy_ids: 'media_buy',
  package_id: 'package',
  package_ids: 'package',
  creative_id: 'creative',
  creative_ids: 'creative',
  standards_id: 'content_standards',
  property_list_id: 'property_list',
  task_id: 'task',
  task_ids: 'task',
  session_id: 'session',
  event_source_id: 'event_source',
  catalog_id: 'catalog',
  catalog_ids: 'catalog',
  audience_id: 'audience',
  audience_include: 'audience',
  audience_exclude: 'audience',
  plan_id: 'plan',
  plan_ids: 'plan',
  portfolio_plan_ids: 'plan',
  member_plan_ids: 'plan',
  check_id: 'check',
}

/** Tasks whose `rights_id` is that of a grant; elsewhere it is of an offering. */
const GRANTS = new Set(['update_rights', 'creative_approval', 'report_usage'])

/** What a field names; undefined: nothing that belongs to an agent. */
export function kindOf(task: string, { path, entity }: IdField): Kind | undefined {
  const name = path.split('.').at(-1) ?? ''
  if (name === 'list_id')
    return entity === 'collection_list' || /collection/.test(`${task} ${path}`) ? 'collection_list' : 'property_list'
  // Of a library creative there; elsewhere of the content that the caller sends.
  if (name === 'variant_id') return task === 'preview_creative' ? 'creative' : undefined
  // Store catchments are not offered, whatever catalog they are said to be of.
  if (path.includes('store_catchments')) return undefined
  if (name === 'rights_id') return GRANTS.has(task) ? 'grant' : undefined
  if (name === 'creative_id' && task === 'creative_approval') return undefined
  return BY_NAME[name]
}

/** A valid request of a holder that gets as far as looking at the field, with the holder’s own ids. Undefined: nobody has written one. */
export function requestFor(task: string, path: string, own: Own, agentUrl: string): Record<string, unknown> | undefined {
  const account = { account_id: own.account }
  const list = { list_id: own.property_list, account }
  const shows = { list_id: own.collection_list, account }
  const artifact = {
    property_rid: 'pub.example/news',
    artifact_id: 'a1',
    assets: [{ type: 'text', role: 'paragraph', content: 'calm' }],
  }
  const reference = { agent_url: agentUrl }
  const targeting = {
    ...(path.includes('property_list') && { property_list: reference }),
    ...(/collection_list\./.test(path) && { collection_list: reference }),
    ...(path.includes('collection_list_exclude') && { collection_list_exclude: reference }),
  }
  const data = {
    ...(path.includes('.catalogs.') && { catalogs: [{ type: 'product' }] }),
    ...(path.includes('.optimization_goals.') && {
      optimization_goals: [{ kind: 'event', event_sources: [{ event_type: 'purchase' }], priority: 1 }],
    }),
  }
  const bought = { ...PACKAGE, ...data, ...(path.includes('targeting_overlay') && { targeting_overlay: targeting }) }
  const upload = banner(agentUrl, own.creative, 'the caller')
  const changed = {
    package_id: own.package,
    ...data,
    ...(path.includes('.targeting_overlay') ? { targeting_overlay: targeting } : {}),
    ...(path === 'packages.[].package_id' && { budget: 600 }),
    ...(path.startsWith('packages.[].creatives') && { creatives: [upload] }),
  }
  const requests: Readonly<Record<string, Record<string, unknown>>> = {
    get_task_status: {},
    list_tasks: {},
    get_products: path.startsWith('property_list')
      ? { buying_mode: 'wholesale', account, property_list: reference }
      : {
          buying_mode: 'brief',
          brief: 'display',
          account,
          ...(path.startsWith('catalog') && { brand: BRAND, catalog: { type: 'product' } }),
        },
    list_creative_formats: { account },
    create_media_buy: {
      account,
      brand: BRAND,
      start_time: '2026-03-10T00:00:00Z',
      end_time: '2026-03-20T00:00:00Z',
      packages: [{ ...bought, ...(path.startsWith('packages.[].creatives') && { creatives: [upload] }) }],
    },
    update_media_buy: {
      account,
      media_buy_id: own.media_buy,
      ...(!path.includes('packages') && { paused: true }),
      ...(path.startsWith('packages') && { packages: [changed] }),
      ...(path.startsWith('new_packages') && {
        new_packages: [{ ...bought, ...(path.startsWith('new_packages.[].creatives') && { creatives: [upload] }) }],
      }),
    },
    get_media_buys: { account },
    get_media_buy_delivery: { account },
    provide_performance_feedback: {
      media_buy_id: own.media_buy,
      measurement_period: { start: '2026-03-11T00:00:00Z', end: '2026-03-12T00:00:00Z' },
      performance_index: 1.2,
    },
    sync_creatives: {
      account,
      creatives: [upload],
      ...(path.startsWith('assignments') && { assignments: [{ creative_id: own.creative, package_id: own.package }] }),
    },
    list_creatives: path.startsWith('filters.accounts') ? {} : { account },
    preview_creative: { request_type: 'variant', variant_id: own.creative },
    build_creative: {
      account,
      creative_id: own.creative,
      target_format_id: { agent_url: agentUrl, id: 'display_300x250_html5' },
      ...(path === 'media_buy_id' && { media_buy_id: own.media_buy }),
      ...(path === 'package_id' && { media_buy_id: own.media_buy, package_id: own.package }),
    },
    get_creative_delivery:
      path === 'media_buy_ids' ? { media_buy_ids: [own.media_buy] } : { account, creative_ids: [own.creative] },
    get_creative_features: { account, creative_manifest: { format_id: upload.format_id, assets: upload.assets } },
    create_property_list: { name: 'Mine', account },
    get_property_list: list,
    list_property_lists: { account },
    update_property_list: { ...list, name: 'Renamed' },
    delete_property_list: list,
    validate_property_delivery: {
      ...list,
      records: [{ record_id: 'r1', identifier: { type: 'domain', value: 'news.example' }, impressions: 10 }],
    },
    create_collection_list: { name: 'Mine', account },
    get_collection_list: shows,
    list_collection_lists: { account },
    update_collection_list: { ...shows, name: 'Renamed' },
    delete_collection_list: shows,
    get_signals: { signal_spec: 'audience', account },
    activate_signal: {
      account,
      signal_agent_segment_id: 'harborline_outdoor_readers',
      pricing_option_id: 'po_harborline_outdoor_cpm',
      destinations: [{ type: 'platform', platform: 'the-trade-desk' }],
    },
    get_account_financials: { account },
    report_usage: {
      reporting_period: { start: '2026-02-01T00:00:00Z', end: '2026-02-28T00:00:00Z' },
      usage: [
        {
          account,
          vendor_cost: 1,
          currency: 'USD',
          ...(/(standards|list|rights)_id/.test(path) ? {} : { creative_id: own.creative }),
        },
      ],
    },
    sync_governance: {
      accounts: [
        {
          account,
          governance_agents: [
            {
              url: 'https://governance.example/mcp',
              authentication: { schemes: ['Bearer'], credentials: 'isolation-credential-of-32-letters-or-more' },
            },
          ],
        },
      ],
    },
    sync_audiences: {
      account,
      audiences: [{ audience_id: own.audience, add: [{ external_id: 'p1', hashed_email: 'ab'.repeat(32) }] }],
    },
    sync_catalogs: {
      account,
      // Of several, those that `catalog_ids` names are looked at.
      ...(path.startsWith('catalog') && {
        catalogs: [{ type: 'product', catalog_id: own.catalog, items: [{ item_id: 'a', title: 'Mine' }] }],
      }),
    },
    sync_event_sources: {
      account,
      ...(path.startsWith('event_sources') && { event_sources: [{ event_source_id: own.event_source }] }),
    },
    sync_plans: {
      plans: [
        {
          plan_id: path.endsWith('member_plan_ids') ? `portfolio-${own.plan}` : own.plan,
          brand: BRAND,
          objectives: 'Sales',
          budget: { total: 2000, currency: 'USD', reallocation_unlimited: true },
          flight: { start: '2026-03-10T00:00:00Z', end: '2026-03-20T00:00:00Z' },
          // A plan of plans: purchases that name no plan are not held against it.
          portfolio: { member_plan_ids: ['member'] },
        },
      ],
    },
    log_event: {
      event_source_id: own.event_source,
      events: [{ event_id: 'e1', event_type: 'purchase', event_time: '2026-02-28T10:00:00Z' }],
    },
    check_governance: { ...INTENT, plan_id: own.plan },
    report_plan_outcome: { plan_id: own.plan, check_id: own.check, governance_context: 'opaque', outcome: 'failed' },
    get_plan_audit_logs: path === 'portfolio_plan_ids' ? {} : { plan_ids: [own.plan] },
    acquire_rights: RIGHTS,
    update_rights: { rights_id: own.grant, impression_cap: 900 },
    creative_approval: { rights_id: own.grant, creative_url: 'https://cdn.example/fox.png' },
    si_initiate_session: CONVERSATION,
    si_send_message: { session_id: own.session, message: 'boots' },
    si_terminate_session: { session_id: own.session, reason: 'user_exit' },
    get_content_standards: { standards_id: own.content_standards },
    update_content_standards: { standards_id: own.content_standards, scope: { languages_any: ['en', 'de'] } },
    calibrate_content: { standards_id: own.content_standards, artifact },
    validate_content_delivery: { standards_id: own.content_standards, records: [{ record_id: 'r1', artifact }] },
    get_media_buy_artifacts: { account, media_buy_id: own.media_buy },
  }
  return requests[task]
}

/** What the controller’s open `params` may name, since its schema does not say it. */
export const CONTROLLER: readonly (readonly [scenario: string, parameter: string, kind: Kind, more: object])[] = [
  ['force_media_buy_status', 'media_buy_id', 'media_buy', { status: 'paused' }],
  ['force_creative_status', 'creative_id', 'creative', { status: 'rejected', rejection_reason: 'no' }],
  ['force_account_status', 'account_id', 'account', { status: 'suspended' }],
  ['simulate_delivery', 'media_buy_id', 'media_buy', { impressions: 10, clicks: 1 }],
  ['simulate_budget_spend', 'media_buy_id', 'media_buy', { spend_percentage: 50 }],
  ['force_session_status', 'session_id', 'session', { status: 'terminated' }],
  ['simulate_budget_spend', 'account_id', 'account', { spend_percentage: 50 }],
]
