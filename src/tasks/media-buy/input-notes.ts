import type { InputNotes } from '../../pipeline/task.ts'
import { ACCOUNT_REFERENCE } from '../account-reference.ts'

/** Notes without text: the members of `at` whose names say enough. */
function named(at: string, names: readonly string[]): InputNotes {
  return Object.fromEntries(names.map((name) => [`${at}.${name}`, '']))
}

export const CREATE_MEDIA_BUY: InputNotes = {
  ...ACCOUNT_REFERENCE,
  idempotency_key: 'New for each order, the same to retry',
  proposal_id: 'With total_budget, in place of packages',
  total_budget: '',
  ...named('packages', ['start_time', 'end_time', 'creative_assignments.creative_id', 'creative_assignments.weight']),
  'packages.bid_price': 'Where the option has no fixed_price',
  'packages.pacing': '',
  ...named('packages.optimization_goals', ['kind', 'metric', 'target.kind', 'target.value']),
  ...named('packages.targeting_overlay', [
    'geo_countries',
    'geo_regions',
    'device_type',
    'language',
    'frequency_cap',
    'keyword_targets',
    'property_list',
  ]),
  start_time: "ISO 8601 with zone, or 'asap'",
  push_notification_config: 'Where to send later changes',
  'push_notification_config.token': '',
  'push_notification_config.authentication': '',
}

export const UPDATE_MEDIA_BUY: InputNotes = {
  ...named('packages', ['budget', 'bid_price', 'pacing', 'paused', 'canceled', 'start_time', 'end_time']),
  'packages.targeting_overlay': 'Replaces the whole; as in create_media_buy',
  'packages.optimization_goals': 'As in create_media_buy',
  'packages.creative_assignments.creative_id': '',
  revision: 'As last seen; refused when it has changed',
  new_packages: '',
}

export const GET_PRODUCTS: InputNotes = {
  brief: 'What to advertise, to whom, where, when, budget',
  'refine.product_id': 'Answered with all members of the product',
  'refine.proposal_id': '',
  'refine.action': '',
  'refine.ask': '',
  'brand.domain': '',
  'filters.channels': 'display, olv, ctv, podcast, dooh …',
  ...named('filters', ['countries', 'delivery_type', 'is_fixed_price', 'start_date', 'end_date']),
  ...named('filters.budget_range', ['min', 'max', 'currency']),
  fields: 'Beside the required members, e.g. placements, forecast',
  'pagination.max_results': 'Default 8 for a brief',
  'pagination.cursor': '',
}

export const LIST_CREATIVE_FORMATS: InputNotes = {
  format_ids: 'Answered with all assets and their requirements',
}

export const GET_MEDIA_BUYS: InputNotes = {
  media_buy_ids: 'Default: all active ones',
}

export const GET_MEDIA_BUY_DELIVERY: InputNotes = {
  start_date: 'YYYY-MM-DD',
}

export const LIST_PRODUCTS: InputNotes = {
  ...named('criteria', ['product_ids', 'offer_filters.channels', 'offer_filters.countries', 'offer_filters.delivery_type']),
  fields: 'Default: what tells offers apart',
  cursor: '',
  max_results: 'Default 25',
  if_feed_version: 'Answered unchanged if nothing changed since',
}

export const BUY_PRODUCTS: InputNotes = {
  idempotency_key: 'New for each order, the same to retry',
  feed_version: 'Of list_products',
  ...named('purchases', ['product_id', 'pricing_option_id', 'budget', 'bidding.bid_amount', 'targeting_overlay.geo_countries']),
  start_time: "ISO 8601 with zone, or 'asap'",
}

export const CONTROL_MEDIA_BUY: InputNotes = {
  ...named('packages', ['package_id', 'budget', 'bidding', 'pacing', 'paused', 'canceled']),
  'packages.targeting_overlay': 'By dimension; null clears one',
}

export const REQUEST_PROPOSALS: InputNotes = {
  brief: 'What the campaign is for, with budget and places',
  ...named('criteria', ['product_ids', 'offer_filters.start_date', 'offer_filters.end_date', 'offer_filters.channels']),
}

export const REFINE_PROPOSALS: InputNotes = {
  ...named('refinements', ['proposal_id', 'action', 'ask', 'constraints', 'product_changes', 'alternatives.count']),
}

export const DECLINE_PROPOSALS: InputNotes = {
  ...named('declines', ['proposal_id', 'reason']),
}
