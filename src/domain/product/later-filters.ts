import { isObject } from '../../protocol/is-object.ts'
import { contains } from '../contains.ts'
import type { Declare } from '../creative/canonical/declaration.ts'
import { activationMethods } from './audience-activation.ts'
import { filterWork } from './filter-work.ts'
import type { FormatOption } from './format-option.ts'
import { formatOptionsOf, optionTest } from './format-options.ts'
import type { KeepsTargeting } from './overlay-support.ts'
import type { Product } from './product.ts'

/** Lists of a product of 3.1 whose filter has the same name: one of the wanted values is enough (core/product-filters.json). */
const KINDS_OF_PLACE = [
  'video_placement_types',
  'audio_distribution_types',
  'sponsored_placement_types',
  'social_placement_surfaces',
] as const

/** Filters that 3.1 and 3.2 added. The schema of 3.0 does not know them and lets them pass, so their form is checked here. */
export type LaterFilters = {
  readonly [Name in (typeof KINDS_OF_PLACE)[number] | 'required_metrics' | 'required_vendor_metrics' | LaterName]?: unknown
}

/** What it costs to hold one method against another, in comparisons. */
const METHOD_WORK = 20

interface LaterContext {
  readonly declare: Declare
  readonly keepsOf: KeepsTargeting
}

type LaterName = 'format_kinds' | 'format_option_refs' | 'audience_activation_methods' | 'audience_evidence_requirements'

/** One test for each of them. A product whose places are of other kinds as well matches only if buyers can choose among its placements. */
export function laterTests(filters: LaterFilters, { declare, keepsOf }: LaterContext): ((product: Product) => boolean)[] {
  const tests: ((product: Product) => boolean)[] = [...formatTests(filters, declare), ...audienceTests(filters, keepsOf)]
  const metrics = stringsOf(filters.required_metrics)
  if (metrics.length > 0) {
    tests.push(({ offer }) => isSuperset(stringsOf(offer.reporting_capabilities.available_metrics), metrics))
  }
  const vendorMetrics = [...new Set(objectsOf(filters.required_vendor_metrics).map(metricKey))]
  if (vendorMetrics.length > 0) {
    tests.push(({ offer }) => {
      const own = new Set(objectsOf(memberOf(offer.reporting_capabilities, 'vendor_metrics')).flatMap(metricKeys))
      return vendorMetrics.every((wanted) => own.has(wanted))
    })
  }
  for (const name of KINDS_OF_PLACE) {
    const wanted = new Set(stringsOf(filters[name]))
    if (wanted.size > 0) tests.push(({ offer }) => isPlacedIn(offer, name, wanted))
  }
  return tests
}

/** Products match by one of their formats (3.2, `format_kinds` and `format_option_refs`). */
function formatTests({ format_kinds, format_option_refs }: LaterFilters, declare: Declare): ((product: Product) => boolean)[] {
  const kinds = new Set(stringsOf(format_kinds))
  const references = objectsOf(format_option_refs)
  const isNamed = optionTest(references)
  const declared = ({ offer }: Product) => formatOptionsOf(offer, declare).map(({ declaration }) => declaration)
  return [
    ...(kinds.size > 0 ? [(product: Product) => declared(product).some(({ format_kind }) => kinds.has(format_kind))] : []),
    ...(references.length > 0 ? [(product: Product) => declared(product).some(isNamed)] : []),
  ]
}

/** A test for formats that `format_kinds` or `format_option_refs` name. */
export function namedOptionTest({ format_kinds, format_option_refs }: LaterFilters): (option: FormatOption) => boolean {
  const kinds = new Set(stringsOf(format_kinds))
  const isNamed = optionTest(objectsOf(format_option_refs))
  return (option) => kinds.has(option.format_kind) || isNamed(option)
}

/**
 * Products match by one of the ways in which their audiences are activated. They publish no evidence of their audiences (3.2 `audience_evidence`), so that
 * none meets a requirement of it, unless it asks for evidence only where there is some.
 */
function audienceTests(filters: LaterFilters, keepsOf: KeepsTargeting): ((product: Product) => boolean)[] {
  const methods = objectsOf(filters.audience_activation_methods)
  const isWanted = methodTest(methods)
  const evidence = filters.audience_evidence_requirements
  const demands = isObject(evidence) && evidence.requirement_mode === 'required' && evidence.evidence_presence === 'required'
  return [
    ...(methods.length > 0 ? [(product: Product) => activationMethods(product, keepsOf(product.id)).some(isWanted)] : []),
    ...(demands ? [() => false] : []),
  ]
}

/** A test for ways of activation that have all that a wanted one names. Products share few ways, and each is compared once. */
function methodTest(methods: readonly Readonly<Record<string, unknown>>[]): (own: Readonly<Record<string, unknown>>) => boolean {
  const spend = filterWork('audience_activation_methods', 'methods')
  const distinct = [...new Map(methods.map((method) => [JSON.stringify(method), method])).values()]
  const answers = new Map<string, boolean>()
  return (own) => {
    const key = JSON.stringify(own)
    const known = answers.get(key)
    if (known !== undefined) return known
    spend(METHOD_WORK * distinct.length)
    const answer = distinct.some((wanted) => contains(own, wanted))
    answers.set(key, answer)
    return answer
  }
}

/** The texts of a list; none when it is no list. */
export function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
}

function objectsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** A member that the types of 3.0 do not know. */
function memberOf(value: object, name: string): unknown {
  return Object.entries(value).find(([own]) => own === name)?.[1]
}

function isSuperset(all: readonly string[], some: readonly string[]): boolean {
  const known = new Set(all)
  return some.every((each) => known.has(each))
}

/** A vendor's metric as it is wanted: its id, its vendor or both; what is left out may be any. */
function metricKey({ metric_id: id, vendor }: Readonly<Record<string, unknown>>): string {
  const { domain, brand_id: brand } = isObject(vendor) ? vendor : {}
  return JSON.stringify([id ?? null, domain ?? null, brand ?? null])
}

/** The ways in which a metric that a product has may be wanted. */
function metricKeys(own: Readonly<Record<string, unknown>>): string[] {
  const orAny = (value: unknown) => (value === undefined ? [undefined] : [value, undefined])
  const { domain, brand_id } = isObject(own.vendor) ? own.vendor : {}
  return orAny(own.metric_id).flatMap((metric_id) =>
    orAny(domain).flatMap((each) =>
      orAny(brand_id).map((brand) => metricKey({ metric_id, vendor: { domain: each, brand_id: brand } })),
    ),
  )
}

function isPlacedIn(offer: Product['offer'], name: (typeof KINDS_OF_PLACE)[number], wanted: ReadonlySet<string>): boolean {
  const places = objectsOf(offer.placements).filter(({ mode }) => mode !== 'included')
  if (places.some((place) => stringsOf(place[name]).some((kind) => wanted.has(kind)))) return true
  const own = stringsOf(memberOf(offer, name))
  return own.length > 0 && own.every((kind) => wanted.has(kind))
}
