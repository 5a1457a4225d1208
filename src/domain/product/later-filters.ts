import { isObject } from '../../protocol/is-object.ts'
import { contains } from '../contains.ts'
import type { Declare } from '../creative/canonical/declaration.ts'
import { activationMethods } from './audience-activation.ts'
import { formatOptionsOf, isOptionNamed } from './format-options.ts'
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
  const vendorMetrics = objectsOf(filters.required_vendor_metrics)
  if (vendorMetrics.length > 0) {
    tests.push(({ offer }) => {
      const own = objectsOf(memberOf(offer.reporting_capabilities, 'vendor_metrics'))
      return vendorMetrics.every((wanted) => own.some((metric) => isMetric(metric, wanted)))
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
  const declared = ({ offer }: Product) => formatOptionsOf(offer, declare).map(({ declaration }) => declaration)
  return [
    ...(kinds.size > 0 ? [(product: Product) => declared(product).some(({ format_kind }) => kinds.has(format_kind))] : []),
    ...(references.length > 0
      ? [(product: Product) => declared(product).some((option) => references.some((named) => isOptionNamed(option, named)))]
      : []),
  ]
}

/**
 * Products match by one of the ways in which their audiences are activated. They publish no evidence of their audiences (3.2 `audience_evidence`), so that
 * none meets a requirement of it, unless it asks for evidence only where there is some.
 */
function audienceTests(filters: LaterFilters, keepsOf: KeepsTargeting): ((product: Product) => boolean)[] {
  const methods = objectsOf(filters.audience_activation_methods)
  const evidence = filters.audience_evidence_requirements
  const demands = isObject(evidence) && evidence.requirement_mode === 'required' && evidence.evidence_presence === 'required'
  return [
    ...(methods.length > 0
      ? [
          (product: Product) =>
            activationMethods(product, keepsOf(product.id)).some((own) => methods.some((wanted) => contains(own, wanted))),
        ]
      : []),
    ...(demands ? [() => false] : []),
  ]
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

/** A wanted metric names its vendor, its id or both; what it leaves out may be any. */
function isMetric(own: Readonly<Record<string, unknown>>, wanted: Readonly<Record<string, unknown>>): boolean {
  if (wanted.metric_id !== undefined && wanted.metric_id !== own.metric_id) return false
  if (!isObject(wanted.vendor)) return true
  const { domain, brand_id } = wanted.vendor
  return isObject(own.vendor) && own.vendor.domain === domain && (brand_id === undefined || own.vendor.brand_id === brand_id)
}

function isPlacedIn(offer: Product['offer'], name: (typeof KINDS_OF_PLACE)[number], wanted: ReadonlySet<string>): boolean {
  const places = objectsOf(offer.placements).filter(({ mode }) => mode !== 'included')
  if (places.some((place) => stringsOf(place[name]).some((kind) => wanted.has(kind)))) return true
  const own = stringsOf(memberOf(offer, name))
  return own.length > 0 && own.every((kind) => wanted.has(kind))
}
