import { AdcpError } from '../../protocol/errors.ts'
import { quoted } from '../../protocol/nearest-name.ts'
import { requireOrder } from '../order.ts'
import { isLanguage, languageMeant } from './language-codes.ts'
import { type KeptTargeting, orderedDimensions } from './overlay-support.ts'
import type { Product } from './product.ts'
import { devicesOf } from './shown-on.ts'
import { checkSignals } from './signal-targeting.ts'
import { supportedDimensions } from './targeting-dimensions.ts'
import type { TargetingOverlay } from './targeting-overlay.ts'
import { formsMeant } from './targeting-words.ts'

/** Keywords, and negative keywords, of one package: each is compared at every decision. */
const MAX_KEYWORDS = 1_000

/** Dimensions that a message names beside the first. */
const MOST_NAMED = 8

/** Inclusion and exclusion of the same dimension. */
const OPPOSITES: readonly (readonly [keyof TargetingOverlay, keyof TargetingOverlay])[] = [
  ['geo_countries', 'geo_countries_exclude'],
  ['geo_regions', 'geo_regions_exclude'],
  ['device_type', 'device_type_exclude'],
  ['audience_include', 'audience_exclude'],
]

/**
 * Checks an overlay against what the product can be narrowed by (core/targeting.json, and the product's own support) and what its ad server keeps of
 * it (`keeps`; undefined: all of it). Throws UNSUPPORTED_FEATURE or VALIDATION_ERROR naming the overlay's field below `path`, the place of the overlay
 * in the request; what it names instead is taken.
 */
export function checkTargeting(
  product: Product,
  overlay: TargetingOverlay | undefined,
  path: string,
  keeps: KeptTargeting | undefined,
): void {
  if (overlay === undefined) return
  requireConsistent(overlay, path)
  checkProductTargeting(product, overlay, path, keeps)
}

/** Refuses with VALIDATION_ERROR an overlay that contradicts itself, whatever the product. */
export function requireConsistent(overlay: TargetingOverlay, path: string): void {
  for (const [include, exclude] of OPPOSITES) requireDisjoint(overlay[include], overlay[exclude], `${path}.${exclude}`)
  checkDayparts(overlay, `${path}.daypart_targets`)
  for (const [index, code] of (overlay.language ?? []).entries())
    if (!isLanguage(code))
      throw invalid(`${path}.language[${index}]`, `is no language: ${quoted(code)} is not in ISO 639; ${meantBy(code)}`)
  for (const name of ['keyword_targets', 'negative_keywords'] as const) {
    const keywords = overlay[name]
    if (keywords === undefined) continue
    if (keywords.length > MAX_KEYWORDS)
      throw invalid(`${path}.${name}`, `has ${keywords.length} keywords; a package takes at most ${MAX_KEYWORDS}`)
    const pairs = new Set(keywords.map(({ keyword, match_type }) => JSON.stringify([keyword.toLowerCase(), match_type])))
    if (pairs.size !== keywords.length) throw invalid(`${path}.${name}`, 'names a keyword and match type twice')
  }
}

function meantBy(code: string): string {
  const meant = languageMeant(code)
  return meant === undefined ? 'send such as "sv"' : `did you mean "${meant}"?`
}

/** As checkTargeting, for an overlay that does not contradict itself. */
export function checkProductTargeting(
  product: Product,
  overlay: TargetingOverlay,
  path: string,
  keeps: KeptTargeting | undefined,
): void {
  const at = (name: string) => `${path}.${name}`
  const ordered = orderedDimensions(product, keeps)
  checkGeo(product, overlay, at, ordered)
  checkLists(product, overlay, at)
  checkDimensions(product, overlay, at, ordered)
  checkDevices(product, overlay, at)
  checkSignals(product, overlay, path)
}

/** Devices that the product is shown on none of would leave nothing to deliver, and the order would read as if they did. */
function checkDevices({ offer }: Product, { device_type: wanted }: TargetingOverlay, at: (name: string) => string): void {
  const shown = devicesOf(offer)
  if (!wanted || wanted.length === 0 || !shown) return
  if (wanted.some((type) => type === 'unknown' || shown.includes(type))) return
  throw invalid(at('device_type'), `leaves nothing of ${offer.product_id}, which is shown on: ${shown.join(', ')}`)
}

/** What is not in force is refused, unknown members included: an overlay is echoed as it was sent. `ordered`: the dimensions that orders of the product may name. */
function checkDimensions(
  product: Product,
  overlay: TargetingOverlay,
  at: (name: string) => string,
  ordered: readonly string[],
): void {
  const supported = supportedDimensions(product)
  const unknown = Object.keys(overlay).filter((each) => !supported.includes(each) && each !== 'ext' && each !== 'context')
  if (unknown.length > 0) throw notTargetedBy(product, overlay, at, { unknown, ordered })
  const unkept = supported.find((each) => !ordered.includes(each) && isNarrowing(Reflect.get(overlay, each)))
  if (unkept === undefined) return
  throw new AdcpError(
    'UNSUPPORTED_FEATURE',
    `${at(unkept)}: the ad server of ${product.id} cannot keep targeting by ${unkept}; its packages can be targeted by: ${listed(ordered)}`,
    { field: at(unkept) },
  )
}

/** An empty list narrows nothing. */
function isNarrowing(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0)
}

function notTargetedBy(
  product: Product,
  overlay: TargetingOverlay,
  at: (name: string) => string,
  { unknown, ordered }: { readonly unknown: readonly string[]; readonly ordered: readonly string[] },
): AdcpError {
  const [name = '', ...more] = unknown
  const others = `nor are ${more.slice(0, MOST_NAMED).join(', ')}${more.length > MOST_NAMED ? ', …' : ''}`
  const sent = unknown.slice(0, MOST_NAMED)
  const meant = formsMeant(new Map(sent.map((each) => [each, Reflect.get(overlay, each)])), ordered)
  const where = more.length === 0 ? `on ${product.id}, which` : `on ${product.id}, ${others}; it`
  return unsupported(at(name), `is not available ${where} can be targeted by: ${listed(ordered)}${meant}`)
}

function listed(names: readonly string[]): string {
  return names.join(', ') || 'nothing'
}

/** The dimension of core/targeting.json by which places of a level (`country`, `metro:<system>`) are named. */
function dimensionOf(level: string): string {
  const [kind = ''] = level.split(':')
  return kind === 'country' ? 'geo_countries' : `geo_${kind}s`
}

function checkGeo(
  { selling, offer }: Product,
  overlay: TargetingOverlay,
  at: (name: string) => string,
  ordered: readonly string[],
): void {
  const levels: readonly (readonly [keyof TargetingOverlay & string, string[]])[] = [
    ['geo_countries', overlay.geo_countries ? ['country'] : []],
    ['geo_countries_exclude', overlay.geo_countries_exclude ? ['country'] : []],
    ['geo_regions', overlay.geo_regions ? ['region'] : []],
    ['geo_regions_exclude', overlay.geo_regions_exclude ? ['region'] : []],
    ['geo_metros', (overlay.geo_metros ?? []).map(({ system }) => `metro:${system}`)],
    ['geo_metros_exclude', (overlay.geo_metros_exclude ?? []).map(({ system }) => `metro:${system}`)],
    ['geo_postal_areas', (overlay.geo_postal_areas ?? []).map(({ system }) => `postal_area:${system}`)],
    ['geo_postal_areas_exclude', (overlay.geo_postal_areas_exclude ?? []).map(({ system }) => `postal_area:${system}`)],
  ]
  for (const [name, needed] of levels) {
    const missing = needed.find((level) => !selling.targeting.geo.includes(level))
    if (missing === undefined) continue
    const offered = selling.targeting.geo.filter((level) => ordered.includes(dimensionOf(level)))
    const levels = offered.join(', ') || 'none'
    throw unsupported(at(name), `needs ${missing} targeting, which ${offer.product_id} does not offer; its levels: ${levels}`)
  }
  const covered = selling.coverage.countries
  for (const name of ['geo_countries', 'geo_regions'] as const) {
    const wanted = overlay[name] ?? []
    // A region is of the country that its code begins with (ISO 3166-2).
    if (covered && wanted.length > 0 && !wanted.some((place) => covered.includes(place.slice(0, 2))))
      throw invalid(at(name), `leaves nothing of ${offer.product_id}, which reaches ${covered.join(', ')}`)
  }
}

/**
 * AdCP core/daypart-target.json says in words that a window ends after it starts. Its hours are those of the inventory: no product declares `iana` among the
 * `timezone_modes` of core/targeting-overlay-support.json, so another zone is refused.
 */
function checkDayparts({ daypart_targets = [] }: TargetingOverlay, path: string): void {
  for (const [index, { start_hour: start, end_hour: end, timezone }] of daypart_targets.entries()) {
    const at = `${path}[${index}]`
    requireOrder({ value: start + 1, field: `${at}.start_hour` }, { value: end, field: `${at}.end_hour` })
    if (timezone !== undefined && timezone !== INVENTORY_LOCAL)
      throw unsupported(
        `${at}.timezone`,
        `is ${quoted(timezone)}; hours are those of the place of the ad: leave it out, or send "${INVENTORY_LOCAL}"`,
      )
  }
}

const INVENTORY_LOCAL = 'inventory_local'

/** A bundle that the seller declares indivisible cannot be cut down by a list (core/product.json, `*_targeting_allowed`). */
function checkLists({ offer }: Product, overlay: TargetingOverlay, at: (name: string) => string): void {
  if (overlay.property_list !== undefined && offer.property_targeting_allowed === false) {
    throw invalid(at('property_list'), `is not possible: ${offer.product_id} is sold with all its properties`)
  }
  for (const name of ['collection_list', 'collection_list_exclude'] as const) {
    if (overlay[name] !== undefined && offer.collection_targeting_allowed === false) {
      throw invalid(at(name), `is not possible: ${offer.product_id} is sold with all its collections`)
    }
  }
}

function requireDisjoint(include: unknown, exclude: unknown, field: string): void {
  if (!Array.isArray(include) || !Array.isArray(exclude)) return
  const included = new Set(include)
  if (exclude.some((value) => included.has(value))) throw invalid(field, 'excludes what the overlay also includes')
}

function unsupported(field: string, text: string): AdcpError {
  return new AdcpError('UNSUPPORTED_FEATURE', `${field} ${text}`, { field })
}

function invalid(field: string, text: string): AdcpError {
  return new AdcpError('VALIDATION_ERROR', `${field} ${text}`, { field })
}
