import { TIME_UNITS } from '../calendar/time-units.ts'
import { DELIVERY_TYPES, EXCLUSIVITIES } from './offer.ts'
import { PRICING_MODELS } from './pricing-option.ts'
import { APPROVAL_MODES, PRODUCT_STATUSES, VISIBILITIES } from './product.ts'

/**
 * The columns of the CSV form: one row a pricing option; rows with the same `product_id` are one product, whose other cells
 * need filling once. Lists are separated by `|`. `at` is where the cell lands in the JSON form of a product or an option.
 */
export type CellKind = 'text' | 'number' | 'integer' | 'list' | 'json'

export interface Column {
  readonly name: string
  readonly scope: 'product' | 'option'
  readonly kind: CellKind
  /** Path of members; empty for a column that holds whole fields as JSON. */
  readonly at: readonly string[]
  readonly required?: true
  readonly description: string
  /** The pricing model whose options alone have it. */
  readonly model?: string
  /** The words that it takes, where it takes no others. */
  readonly choices?: readonly string[]
}

const product = (name: string, kind: CellKind, at: string, description: string, required?: true): Column => ({
  name,
  scope: 'product',
  kind,
  at: at === '' ? [] : at.split('.'),
  description,
  ...(required && { required }),
})

const option = (name: string, kind: CellKind, at: string, description: string, required?: true): Column => ({
  ...product(name, kind, at, description, required),
  scope: 'option',
})

/** A column of the options of one pricing model. */
function ofModel(model: (typeof PRICING_MODELS)[number], column: Column): Column {
  return { ...column, model, description: `${model}: ${column.description}` }
}

/** A column of some words; `fallback`: what an empty cell means, `when`: the rows that have it. */
function words(
  { description, ...column }: Column,
  choices: readonly string[],
  { fallback }: { readonly fallback?: string } = {},
): Column {
  const named = choices.map((each) => (each === fallback ? `${each} (default)` : each))
  return { ...column, description: `${named.slice(0, -1).join(', ')} or ${named.at(-1)}`, choices }
}

export const COLUMNS: readonly Column[] = [
  product('product_id', 'text', 'product_id', 'Id of the product; repeat it on each row of the same product', true),
  product('name', 'text', 'name', 'Name', true),
  product('description', 'text', 'description', 'What a buyer gets', true),
  product('channels', 'list', 'channels', 'AdCP channels: display, olv, ctv, …', true),
  words(product('delivery_type', 'text', 'delivery_type', '', true), DELIVERY_TYPES),
  words(product('exclusivity', 'text', 'exclusivity', ''), EXCLUSIVITIES),
  product('format_ids', 'list', 'format_ids', 'Ids of creative formats of this agent', true),
  product('publisher_domain', 'text', 'publisher_properties.0.publisher_domain', 'Domain that hosts the properties', true),
  product('property_ids', 'list', 'publisher_properties.0.property_ids', 'Properties by id; neither ids nor tags means all'),
  product('property_tags', 'list', 'publisher_properties.0.property_tags', 'Properties by tag'),
  product('forecast_low', 'integer', 'forecast.points.0.metrics.impressions.low', 'Forecast impressions of 30 days, low'),
  product('forecast_high', 'integer', 'forecast.points.0.metrics.impressions.high', 'Forecast impressions of 30 days, high'),
  words(product('visibility', 'text', 'selling.visibility', ''), VISIBILITIES, { fallback: 'standard' }),
  words(product('status', 'text', 'selling.status', ''), PRODUCT_STATUSES, { fallback: 'active' }),
  product('daily_capacity', 'integer', 'selling.daily_capacity', 'Impressions that can be served in one day', true),
  words(product('approval', 'text', 'selling.approval', ''), APPROVAL_MODES, { fallback: 'automatic' }),
  product('creative_lead_hours', 'integer', 'selling.creative_lead_hours', 'Hours before the flight by which creatives are due'),
  product('audiences', 'list', 'selling.audiences', 'Audiences reached, as text'),
  product('keywords', 'list', 'selling.keywords', 'Words that call for the product'),
  product('countries', 'list', 'selling.coverage.countries', 'ISO 3166-1 alpha-2 codes'),
  product('available_from', 'text', 'selling.available_from', 'First day, YYYY-MM-DD'),
  product('available_until', 'text', 'selling.available_until', 'Last day, YYYY-MM-DD'),
  product('exclusive_to', 'list', 'selling.exclusive_to', 'Principals that alone may buy it'),
  product(
    'product_json',
    'json',
    '',
    'Further product fields as a JSON object; they replace those of the other columns, and null takes one away',
  ),
  option('pricing_option_id', 'text', 'pricing_option_id', 'Id of the option; default <model>_<currency>_<fixed or auction>'),
  words(option('pricing_model', 'text', 'pricing_model', '', true), PRICING_MODELS),
  option('currency', 'text', 'currency', 'ISO 4217 code', true),
  option('price', 'number', 'fixed_price', 'Fixed price; leave empty for an auction'),
  option('floor', 'number', 'floor_price', 'Lowest bid in an auction'),
  option('min_spend', 'number', 'min_spend_per_package', 'Smallest spend of a package'),
  ofModel(
    'cpv',
    option('view_threshold', 'number', 'parameters.view_threshold', 'share of the spot that counts as a view, 0 to 1'),
  ),
  ofModel('cpp', option('demographic_system', 'text', 'parameters.demographic_system', 'nielsen, barb, agf, …')),
  ofModel('cpp', option('demographic', 'text', 'parameters.demographic', 'target group, e.g. P18-49')),
  ofModel('time', words(option('time_unit', 'text', 'parameters.time_unit', ''), TIME_UNITS)),
  ofModel('cpa', option('event_type', 'text', 'event_type', 'event that is paid for, e.g. purchase')),
  option('pricing_json', 'json', '', 'Further fields of the option as a JSON object'),
]

export const columnByName: ReadonlyMap<string, Column> = new Map(COLUMNS.map((column) => [column.name, column]))

/** Required columns that are not among these. */
export function missingColumns(names: readonly string[]): string[] {
  return COLUMNS.filter(({ name, required }) => required && !names.includes(name)).map(({ name }) => name)
}

/** The column that a JSON path of a product or an option came from: the one that shares the longest beginning with it, and that options of the pricing model `model` have. */
export function columnAt(scope: Column['scope'], path: readonly string[], model?: string): Column | undefined {
  const shared = (column: Column): number => {
    const end = column.at.findIndex((member, index) => member !== path[index])
    return end === -1 ? column.at.length : end
  }
  const isMeant = (column: Column) => column.scope === scope && (column.model === undefined || column.model === model)
  return COLUMNS.filter((column) => isMeant(column) && shared(column) > 0).toSorted((a, b) => shared(b) - shared(a))[0]
}
