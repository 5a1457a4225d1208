import type { Meanings } from './mistaken-members.ts'

/** A page of a list. */
const PAGE = {
  limit: 'pagination.max_results',
  page_size: 'pagination.max_results',
  per_page: 'pagination.max_results',
  cursor: 'pagination.cursor',
  offset: 'pagination.cursor, from the answer before',
  page: 'pagination.cursor, from the answer before',
}

const BUDGET_FILTER = 'filters.budget_range ({max, currency})'
const STATUS_FILTER = 'status_filter (a list)'
const ORDER_FILTER = {
  buyer_ref: 'media_buy_ids',
  filters: 'status_filter or media_buy_ids, at the top of the request',
  id: 'media_buy_ids (a list)',
  ids: 'media_buy_ids',
  order_id: 'media_buy_ids (a list)',
  state: STATUS_FILTER,
  status: STATUS_FILTER,
  statuses: STATUS_FILTER,
}
const CREATIVE_FILTER = {
  creative: 'filters.creative_ids (a list)',
  creative_id: 'filters.creative_ids (a list)',
  format: 'filters.format_ids (a list of {agent_url, id})',
  format_id: 'filters.format_ids (a list of {agent_url, id})',
  id: 'filters.creative_ids (a list)',
  media_buy_id: 'filters.media_buy_ids (a list)',
  name: 'filters.name_contains',
  package_id: 'filters.assigned_to_packages (a list)',
  search: 'filters.name_contains',
  status: 'filters.statuses (a list)',
  status_filter: 'filters.statuses (a list)',
}
const WORDS_OF_BRIEF = Object.fromEntries(
  ['ask', 'keywords', 'message', 'objective', 'prompt', 'q', 'query', 'search', 'text'].map((name) => [name, 'brief']),
)
const WORDS_OF_SIGNAL = Object.fromEntries(
  ['audience', 'brief', 'description', 'keywords', 'prompt', 'q', 'query', 'search', 'text'].map((name) => [name, 'signal_spec']),
)
const WORDS_OF_FORMAT = Object.fromEntries(
  ['channel', 'name', 'q', 'query', 'search', 'text'].map((name) => [name, 'name_search (a text, such as "video")']),
)
const SIZE_OF_FORMAT = {
  ...Object.fromEntries(
    ['dimensions', 'height', 'size', 'sizes', 'width'].map((name) => [
      name,
      'min_width, max_width, min_height and max_height (pixels)',
    ]),
  ),
  format_id: 'format_ids (a list of {agent_url, id})',
  format_types: 'asset_types',
}
/** Filters of offers that are one level further in (media-buy/product-discovery-criteria.json). */
const OF_CRITERIA = {
  ...Object.fromEntries(
    ['budget_range', 'channels', 'countries', 'delivery_type', 'end_date', 'format_kinds', 'start_date'].map((name) => [
      name,
      `offer_filters.${name}`,
    ]),
  ),
  channel: 'offer_filters.channels (a list)',
  country: 'offer_filters.countries (a list)',
  budget: 'offer_filters.budget_range ({max, currency})',
  filters: 'offer_filters',
}
const OFFER_FILTERS = Object.fromEntries(
  ['channels', 'countries', 'delivery_type', 'filters', 'offer_filters'].map((name) => [
    name,
    name.endsWith('filters') ? 'criteria.offer_filters' : `criteria.offer_filters.${name}`,
  ]),
)
const DAYS = 'start_date and end_date (days such as "2027-03-01")'
const BREAKDOWN = 'reporting_dimensions ({"geo": {"geo_level": "country"}})'
const ONE_ACCOUNT = 'account ({account_id}, or {brand, operator})'

const LIST_OF_TASKS = {
  ...PAGE,
  status: 'filters.status',
  task_id: 'filters.task_ids (a list)',
  task_type: 'filters.task_type',
}

/** Names that stand for a member of a request that only reads. What they would answer without the member reads like an answer to it. */
export const MEANT_IN_READS: Meanings = {
  'account/list-accounts-request.json#': {
    ...PAGE,
    account_id: ONE_ACCOUNT,
    domain: ONE_ACCOUNT,
    operator: ONE_ACCOUNT,
    filters: 'status, sandbox or account, at the top of the request',
  },
  'core/tasks-list-request.json#': LIST_OF_TASKS,
  'core/tasks-list-request.json#filters': { account: `${ONE_ACCOUNT}, at the top of the request` },
  'protocol/list-tasks-request.json#': LIST_OF_TASKS,
  'protocol/list-tasks-request.json#filters': { account: `${ONE_ACCOUNT}, at the top of the request` },
  'creative/list-creatives-request.json#': { ...PAGE, ...CREATIVE_FILTER },
  'core/creative-filters.json#': {
    creative_id: 'creative_ids (a list)',
    id: 'creative_ids (a list)',
    media_buy_id: 'media_buy_ids (a list)',
    name: 'name_contains',
    package_id: 'assigned_to_packages (a list)',
    status: 'statuses (a list)',
  },
  'creative/get-creative-delivery-request.json#': {
    ...PAGE,
    ...Object.fromEntries(['date_range', 'dates', 'period', 'reporting_period'].map((name) => [name, DAYS])),
  },
  'content-standards/list-content-standards-request.json#': {
    ...PAGE,
    brand: 'channels, languages or countries: content standards have no brand',
    language: 'languages (a list)',
    country: 'countries (a list)',
  },
  'media-buy/list-creative-formats-request.json#': { ...PAGE, ...WORDS_OF_FORMAT, ...SIZE_OF_FORMAT },
  'media-buy/product-discovery-criteria.json#': OF_CRITERIA,
  'media-buy/list-products-request.json#': {
    ...OFFER_FILTERS,
    brief: 'get_products or request_proposals, which take a brief',
    query: 'get_products or request_proposals, which take a brief',
    limit: 'max_results',
    page_size: 'max_results',
    pagination: 'max_results, and cursor for the next page',
    product_ids: 'criteria.product_ids',
  },
  'media-buy/get-media-buys-request.json#': { ...PAGE, ...ORDER_FILTER },
  'media-buy/get-media-buy-delivery-request.json#': {
    ...ORDER_FILTER,
    start_time: 'start_date',
    end_time: 'end_date',
    breakdown: BREAKDOWN,
    breakdowns: BREAKDOWN,
    group_by: BREAKDOWN,
    dimensions: BREAKDOWN,
    granularity: 'include_package_daily_breakdown (true) for days; there are no weeks',
    ...Object.fromEntries(['date_range', 'dates', 'period', 'reporting_period'].map((name) => [name, DAYS])),
  },
  'media-buy/get-media-buy-delivery-request.json#reporting_dimensions': {
    ...Object.fromEntries(['country', 'countries', 'region', 'location'].map((name) => [name, 'geo ({"geo_level": "country"})'])),
    device: 'device_type ({})',
    platform: 'device_platform ({})',
  },
  'media-buy/get-products-request.json#': {
    ...PAGE,
    ...WORDS_OF_BRIEF,
    // A brief beside `refine` asks nothing of a proposal.
    ask: 'refine[].ask ([{"scope": "proposal", "proposal_id": "…", "action": "include", "ask": "…"}] with buying_mode "refine"), or brief with buying_mode "brief"',
    budget: BUDGET_FILTER,
    budget_range: BUDGET_FILTER,
    channel: 'filters.channels (a list)',
    channels: 'filters.channels',
    countries: 'filters.countries',
    country: 'filters.countries (a list)',
    currency: `${BUDGET_FILTER}, or filters.pricing_currencies`,
    geo: 'filters.countries (a list)',
    product_id: 'refine ([{scope: "product", product_id}] with buying_mode "refine")',
    product_ids: 'refine ([{scope: "product", product_id}] with buying_mode "refine")',
    mode: 'buying_mode',
  },
  'core/product-filters.json#': {
    budget: 'budget_range ({max, currency})',
    country: 'countries (a list)',
    currency: 'budget_range ({max, currency}), or pricing_currencies',
    format: 'format_ids (a list of {agent_url, id})',
    format_types: 'channels (a list), or format_ids (a list of {agent_url, id})',
    geo: 'countries (a list)',
    max_budget: 'budget_range ({max, currency})',
    max_price: 'budget_range ({max, currency}); prices themselves are no filter',
    min_budget: 'budget_range ({min, currency})',
    start_time: 'start_date',
    end_time: 'end_date',
  },
  'core/signal-filters.json#': {
    ...Object.fromEntries(['cpm', 'max_price', 'price', 'budget'].map((name) => [name, 'max_cpm'])),
    ...Object.fromEntries(['provider', 'providers', 'data_provider'].map((name) => [name, 'data_providers (a list)'])),
  },
  'signals/get-signals-request.json#': {
    ...PAGE,
    ...WORDS_OF_SIGNAL,
    country: 'countries (a list)',
    platform: 'destinations (a list)',
    platforms: 'destinations',
    deliver_to: 'destinations and countries',
  },
}

/** What limits an answer in place of members that have no effect and are no mistake either. */
export const EFFECTIVE_MEMBERS: Meanings = {
  'account/list-accounts-request.json#': { brand: 'account' },
  'creative/list-creatives-request.json#': { creative_ids: 'filters.creative_ids' },
  // No release has it carried out here.
  'media-buy/get-products-request.json#': {
    media_buy_frequency_cap: 'targeting_overlay.frequency_cap of each package of the order',
  },
}
