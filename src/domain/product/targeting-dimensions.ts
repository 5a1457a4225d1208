import type { Product, TargetingSupport } from './product.ts'
import { SIGNAL_GROUPS, takesSignals } from './signal-targeting.ts'
import type { TargetingOverlay } from './targeting-overlay.ts'

type Dimension = keyof TargetingOverlay & string

/**
 * The dimensions that the ad server gets, each with what the product has to offer for it. Those of core/targeting.json that are not here need data
 * that this seller has no task for (`axe_…`, `store_catchments`).
 */
const DIMENSIONS: Readonly<Record<Dimension, (support: TargetingSupport) => boolean>> = {
  geo_countries: ({ geo }) => geo.includes('country'),
  geo_countries_exclude: ({ geo }) => geo.includes('country'),
  geo_regions: ({ geo }) => geo.includes('region'),
  geo_regions_exclude: ({ geo }) => geo.includes('region'),
  geo_metros: ({ geo }) => geo.some((level) => level.startsWith('metro:')),
  geo_metros_exclude: ({ geo }) => geo.some((level) => level.startsWith('metro:')),
  geo_postal_areas: ({ geo }) => geo.some((level) => level.startsWith('postal_area:')),
  geo_postal_areas_exclude: ({ geo }) => geo.some((level) => level.startsWith('postal_area:')),
  geo_proximity: ({ geoProximity }) => geoProximity,
  daypart_targets: () => true,
  audience_include: () => true,
  audience_exclude: () => true,
  frequency_cap: ({ frequencyCap }) => frequencyCap,
  property_list: () => true,
  collection_list: () => true,
  collection_list_exclude: () => true,
  age_restriction: () => true,
  device_platform: () => true,
  device_type: () => true,
  device_type_exclude: () => true,
  language: () => true,
  keyword_targets: ({ keywords }) => keywords,
  negative_keywords: ({ keywords }) => keywords,
}

/** Names of the dimensions that packages of a product can be narrowed by (core/targeting.json). */
export function supportedDimensions(product: Product): readonly string[] {
  const { offer, selling } = product
  const names = Object.entries(DIMENSIONS)
    .filter(([, isOffered]) => isOffered(selling.targeting))
    .map(([name]) => name)
    .filter((name) => !(name.startsWith('property_list') && offer.property_targeting_allowed === false))
    .filter((name) => !(name.startsWith('collection_list') && offer.collection_targeting_allowed === false))
  return takesSignals(product) ? [...names, SIGNAL_GROUPS] : names
}
