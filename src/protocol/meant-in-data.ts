import type { Meanings } from './mistaken-members.ts'

const POLICIES = 'policies (a list of {"policy_id": "…", "policy": "…", "enforcement": "must"})'
const PROPERTIES = 'base_properties ([{"selection_type": "identifiers", "identifiers": [{"type": "domain", "value": "…"}]}])'
const PERIOD = 'measurement_period'
const DAYS = '{"start": "2027-03-01", "end": "2027-03-31"}'

function each(names: string, meant: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, meant]))
}

const MEMBERS_OF_AUDIENCE = 'add ([{"external_id": "…", "hashed_email": "…"}], of SHA-256 hex digests)'
const OF_AUDIENCE = each('emails members users hashed_emails list uids phones', MEMBERS_OF_AUDIENCE)
const OF_EVENT = {
  ...each('timestamp time date occurred_at', 'event_time'),
  ...each('type name', 'event_type'),
  ...each('value amount revenue price', 'custom_data.value'),
  currency: 'custom_data.currency',
  ...each('user email', 'user_match'),
}

/** An image or a video of a creative leads nowhere itself: the landing page is an asset beside it. */
const OF_ASSET = Object.fromEntries(
  ['click_through', 'click_through_url', 'click_url', 'clickthrough_url', 'destination_url', 'landing_page', 'landing_url'].map(
    (name) => [name, 'click_url beside this asset, in assets ({"asset_type": "url", "url": "…"})'],
  ),
)

/** Names that stand for a member in the requests about a buyer's own data, rules, rights and money. */
export const MEANT_IN_DATA: Meanings = {
  'core/assets/image-asset.json#': OF_ASSET,
  'core/assets/video-asset.json#': OF_ASSET,
  'media-buy/sync-catalogs-request.json#catalogs': each('feed feed_uri link', 'url'),
  'core/catalog.json#': { ...each('feed feed_uri link', 'url'), ...each('products entries', 'items') },
  'media-buy/sync-audiences-request.json#': each('members emails users', `audiences[].${MEMBERS_OF_AUDIENCE}`),
  'media-buy/sync-audiences-request.json#audiences': OF_AUDIENCE,
  'media-buy/sync-event-sources-request.json#event_sources': each('events types', 'event_types'),
  'media-buy/log-event-request.json#': {
    event: 'events (a list)',
    event_source: 'event_source_id',
    ...each('source source_id', 'event_source_id'),
  },
  'core/event.json#': OF_EVENT,
  'content-standards/create-content-standards-request.json#': {
    ...each('rules standards policy', POLICIES),
    ...each('countries languages channels', 'scope'),
  },
  'content-standards/create-content-standards-request.json#scope': {
    ...each('countries country', 'countries_all'),
    ...each('languages language', 'languages_any'),
  },
  'property/property-list-filters.json#': {
    ...each('countries country geo', 'countries_all (a list)'),
    ...each('channels channel', 'channels_any (a list)'),
    ...each('property_type type', 'property_types (a list)'),
  },
  'sponsored-intelligence/si-send-message-request.json#': each('text content input prompt', 'message'),
  'property/create-property-list-request.json#': each('properties domains sites identifiers', PROPERTIES),
  'property/update-property-list-request.json#': each('add properties domains sites', `${PROPERTIES}, the whole list`),
  'collection/create-collection-list-request.json#': each('collections shows ids', 'base_collections'),
  'collection/update-collection-list-request.json#': each('add collections shows', 'base_collections, the whole list'),
  'account/sync-governance-request.json#': { account: 'accounts[].account', agents: 'accounts[].governance_agents' },
  'account/sync-governance-request.json#accounts': each('agents agent', 'governance_agents ([{"url": "…"}])'),
  'governance/sync-plans-request.json#plans': {
    ...each('currency total', 'budget ({"total": 1000, "currency": "EUR"})'),
    ...each('name goal goals objective', 'objectives (a text)'),
    ...each('start_date end_date dates start end', 'flight ({"start": "…", "end": "…"})'),
  },
  'governance/report-plan-outcome-request.json#': each('status result', 'outcome'),
  'brand/get-rights-request.json#': {
    brand: 'buyer_brand',
    ...each('talent search q text brief', 'query'),
    ...each('usage use', 'uses (a list)'),
  },
  'brand/get-brand-identity-request.json#': { domain: 'brand_id' },
  'account/report-usage-request.json#usage': {
    ...each('amount cost spend', 'vendor_cost'),
    ...each('signal signal_id segment_id', 'signal_agent_segment_id'),
  },
  'account/report-usage-request.json#': each('period dates date_range', 'reporting_period'),
  'account/get-account-financials-request.json#': each('month date_range dates reporting_period', `period (${DAYS})`),
  'media-buy/provide-performance-feedback-request.json#': {
    ...each('score index rating', 'performance_index (1 is as expected, 1.2 is 20 % better)'),
    ...each('period date_range dates', PERIOD),
  },
}
