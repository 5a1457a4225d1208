import { contains } from '../contains.ts'
import type { Offer } from './offer.ts'
import type { Product } from './product.ts'
import { supportedDimensions } from './targeting-dimensions.ts'

/** By dimension of core/targeting.json, how packages of a product can be targeted (AdCP 3.2, core/targeting-overlay-support.json). */
export type OverlaySupport = Readonly<Record<string, true | Readonly<Record<string, unknown>>>>

/** What an ad server can keep of a product's targeting; undefined: all of it. */
export interface KeptTargeting {
  readonly targeting: readonly string[]
}

/** Dimensions that orders of a product may name where its ad server keeps `keeps`. */
export function orderedDimensions(product: Product, keeps: KeptTargeting | undefined): readonly string[] {
  const kept = keeps && new Set(keeps.targeting)
  return supportedDimensions(product).filter((name) => kept?.has(name) ?? true)
}

/** Dimensions that a product supports only if it says so in a member of its own (3.2 core/product.json). */
export const ALLOWED_BY = {
  property_list: 'property_targeting_allowed',
  collection_list: 'collection_targeting_allowed',
  collection_list_exclude: 'collection_targeting_allowed',
  signal_targeting_groups: 'signal_targeting_allowed',
} as const satisfies Readonly<Record<string, keyof Offer>>

/** Finds what the ad server of a product keeps of its targeting; undefined: all of it. */
export type KeepsTargeting = (productId: string) => KeptTargeting | undefined

/** Whether orders of a product may name a dimension of core/targeting.json: the product offers it and its ad server keeps it. */
export type TakesTargeting = (product: Product, dimension: string) => boolean

/** The same by what ad servers keep; absent: all of it. */
export function takesOf(keepsOf: KeepsTargeting = () => undefined): TakesTargeting {
  return (product, dimension) => orderedDimensions(product, keepsOf(product.id)).includes(dimension)
}

/** How packages of a product can be targeted, as it declares it. */
export function overlaySupport(product: Product, keeps: KeptTargeting | undefined): OverlaySupport {
  const allowed = new Map(Object.entries(ALLOWED_BY))
  const names = orderedDimensions(product, keeps).filter((name) => {
    const member = allowed.get(name)
    return member === undefined || product.offer[member] === true
  })
  return Object.fromEntries(names.map((name) => [name, systemsOf(product, name)]))
}

/** The systems of codes that a dimension takes; `true` for one that has none. */
function systemsOf({ selling }: Product, dimension: string): OverlaySupport[string] {
  const ofLevel = (level: string) =>
    selling.targeting.geo.flatMap((own) => (own.startsWith(`${level}:`) ? [own.slice(level.length + 1)] : []))
  if (dimension.startsWith('geo_metros')) return { systems: ofLevel('metro') }
  if (!dimension.startsWith('geo_postal_areas')) return true
  return postalSupport(ofLevel('postal_area'))
}

/** Postal systems under both of their names (core/postal-area-support.json): `us_zip` of 3.0, and `zip` of the country `US`. */
function postalSupport(systems: readonly string[]): Readonly<Record<string, unknown>> {
  const byCountry = new Map<string, string[]>()
  for (const system of systems) {
    const country = system.slice(0, 2).toUpperCase()
    byCountry.set(country, [...(byCountry.get(country) ?? []), system.slice(3)])
  }
  return { ...Object.fromEntries(byCountry), ...Object.fromEntries(systems.map((system) => [system, true])) }
}

/**
 * Whether a product can be targeted by what a buyer is going to choose later (3.2 `required_overlay_support`): a requirement of `true` asks for the
 * dimension, an object for what it names. Dimensions that are not supported meet none.
 */
export function supportMeets(support: OverlaySupport, required: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(required).every(([name, requirement]) => {
    const own = Object.hasOwn(support, name) ? support[name] : undefined
    return name === 'ext' || (own !== undefined && (own === true || requirement === true || contains(own, requirement)))
  })
}
