import { isObject } from '../is-object.ts'
import type { Json } from './line-converter.ts'

/** Members of a request of the compact lifecycle (AdCP 3.2) that the established one of the same release has under the same name and meaning. */
const ORDER_MEMBERS = [
  ...['adcp_version', 'adcp_major_version', 'idempotency_key', 'account', 'name', 'advertiser_industry', 'total_budget'],
  ...[
    'daily_budget_cap',
    'frequency_cap',
    'budget_cap_timezone',
    'budget_allocation',
    'start_time',
    'end_time',
    'pacing',
    'bidding',
  ],
  ...['paused', 'agency_estimate_number', 'invoice_recipient', 'governance_context', 'push_notification_config'],
  ...['reporting_webhook', 'opportunity', 'context', 'ext'],
]
const PACKAGE_MEMBERS = [
  ...['product_id', 'pricing_option_id', 'format_option_refs', 'budget', 'daily_budget_cap', 'min_spend_target', 'impressions'],
  ...['start_time', 'end_time', 'pacing', 'bidding', 'targeting_overlay', 'optimization_goals', 'audience_evidence_requirements'],
  ...['audience_evidence_pins', 'agency_estimate_number', 'context', 'ext', 'measurement_terms', 'performance_standards'],
]
const CHANGE_MEMBERS = [
  ...[
    'adcp_version',
    'adcp_major_version',
    'idempotency_key',
    'account',
    'media_buy_id',
    'revision',
    'name',
    'paused',
    'canceled',
  ],
  ...['cancellation_reason', 'total_budget', 'daily_budget_cap', 'frequency_cap', 'budget_cap_timezone', 'budget_allocation'],
  ...['pacing', 'bidding', 'reporting_webhook', 'governance_context', 'push_notification_config', 'context', 'ext'],
]

/** A buy_products request as create_media_buy of the same release has it: the brand of a natural account key is the brand. */
export function orderOf(request: Json): Json {
  const { account, brand, purchases, purchase_order_ref: po } = request
  return {
    ...some(request, ORDER_MEMBERS),
    brand: brand ?? (isObject(account) ? account.brand : undefined),
    ...(po !== undefined && { po_number: po }),
    packages: listOf(purchases).map((purchase) => withoutSuppressed(some(purchase, PACKAGE_MEMBERS))),
  }
}

/** A control_media_buy request as update_media_buy of the same release has it. */
export function changeOf(request: Json): Json {
  return some(request, [...CHANGE_MEMBERS, 'packages'])
}

/** The question of a list_products request as get_products of the same release has it. */
export function questionOf(request: Json): Json {
  const criteria = isObject(request.criteria) ? request.criteria : {}
  const {
    offer_filters: filters,
    policy_ids: policies,
    product_ids: _ids,
    ext: _ext,
    outcome_target: _target,
    ...terms
  } = criteria
  return {
    ...some(request, ['adcp_version', 'adcp_major_version', 'idempotency_key', 'account', 'brand', 'fields', 'context']),
    ...terms,
    buying_mode: 'wholesale',
    ...(isObject(filters) && { filters: withDates(filters) }),
    ...(policies !== undefined && { required_policies: policies }),
  }
}

/** The question of a request_proposals request as a brief of get_products of the same release. */
export function briefOf(request: Json): Json {
  const { fields: _fields, ...question } = questionOf(request)
  return { ...question, buying_mode: 'brief', brief: request.brief }
}

/** A horizon of availability asks for what can be had on its days. */
function withDates({ availability_horizon: horizon, ...filters }: Json): Json {
  if (!isObject(horizon)) return filters
  const day = (value: unknown) => (typeof value === 'string' ? value.slice(0, 10) : value)
  return { start_date: day(horizon.start_time), end_date: day(horizon.end_time), ...filters }
}

/** Null suppresses what a product targets by default; products have no such defaults, so that it says the same as silence. */
function withoutSuppressed(pkg: Json): Json {
  const { targeting_overlay: overlay } = pkg
  if (!isObject(overlay)) return pkg
  return { ...pkg, targeting_overlay: Object.fromEntries(Object.entries(overlay).filter(([, value]) => value !== null)) }
}

function some(value: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]]])))
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
