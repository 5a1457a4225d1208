import type { TargetingOverlay } from '../../domain/product/targeting-overlay.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Message } from './client.ts'
import { comparableReach } from './compared-targeting.ts'
import { DAYPARTS, dayPartTargeting } from './dayparts.ts'
import type { GamOptions, GamProduct } from './gam-options.ts'
import type { Lookups } from './lookups.ts'
import { messageOf, textsOf } from './messages.ts'
import { excludedPlaces, requirePlaces, targetedPlaces } from './places.ts'
import { deviceTypesOf, requireTechnology, technologyTargeting } from './technology.ts'

type Dimension = keyof TargetingOverlay

/** Dimensions of an order that a line item has a member for; hours have one in the SOAP API alone, keywords in none. */
const DIMENSIONS: readonly Dimension[] = [
  'geo_countries',
  'geo_countries_exclude',
  'geo_metros',
  'geo_metros_exclude',
  'geo_postal_areas',
  'geo_postal_areas_exclude',
  'device_type',
  'device_type_exclude',
  'device_platform',
  'language',
  'daypart_targets',
  'frequency_cap',
]

/** Dimensions that lines of a network can have; those by ids of its own only where the options map them. */
export function gamDimensions({ places, audiences }: Pick<GamOptions, 'places' | 'audiences'>): readonly Dimension[] {
  return [
    ...DIMENSIONS,
    ...(Object.keys(places).length > 0 ? (['geo_regions', 'geo_regions_exclude'] as const) : []),
    ...(Object.keys(audiences).length > 0 ? (['audience_include', 'audience_exclude'] as const) : []),
  ]
}

/** Throws AdcpError, UNSUPPORTED_FEATURE with the field, for what of a targeting no line item can have. Makes no call. */
export function requireGamTargeting(options: Pick<GamOptions, 'places' | 'audiences'>, overlay: TargetingOverlay): void {
  requirePlaces(options, overlay)
  requireTechnology(overlay)
  for (const member of ['audience_include', 'audience_exclude'] as const)
    for (const id of overlay[member] ?? [])
      if (!Object.hasOwn(options.audiences, id)) {
        const field = `targeting_overlay.${member}`
        const message = `${field}: the audience ${id} is not mapped to a segment of the network; leave it out or choose another product`
        throw new AdcpError('UNSUPPORTED_FEATURE', message, { field })
      }
}

/** `targeting` of a line item: where the product is, narrowed by what was ordered; its hours (`DAYPARTS`) are the SOAP API's alone. Throws AdcpError for what the network does not know. */
export async function gamTargeting(
  network: string,
  product: GamProduct,
  overlay: TargetingOverlay | null,
  lookups: Lookups,
): Promise<Message> {
  const [targetedGeos, excludedGeos, technology] = await Promise.all([
    targetedPlaces(overlay ?? {}, lookups),
    excludedPlaces(overlay ?? {}, lookups),
    technologyTargeting(overlay ?? {}, lookups),
  ])
  const clause = clauseOf(network, product, overlay ?? {}, lookups)
  const hours = dayPartTargeting(overlay ?? {})
  const technologies = { ...(product.browsers && { browserTargeting: browsersOf(network, product.browsers) }), ...technology }
  return {
    inventoryTargeting: {
      ...(product.adUnits && {
        targetedAdUnits: product.adUnits.map((id) => ({ adUnit: `${network}/adUnits/${id}`, includeDescendants: true })),
      }),
      ...(product.excludedAdUnits && {
        excludedAdUnits: product.excludedAdUnits.map((id) => ({ adUnit: `${network}/adUnits/${id}`, includeDescendants: true })),
      }),
      ...(product.placements && { targetedPlacements: product.placements.map((id) => `${network}/placements/${id}`) }),
    },
    ...(targetedGeos.length + excludedGeos.length > 0 && { geoTargeting: { targetedGeos, excludedGeos } }),
    ...(hours && { [DAYPARTS]: hours }),
    ...(Object.keys(technologies).length > 0 && { technologyTargeting: technologies }),
    ...(clause && { customTargeting: { customTargetingClauses: [clause] } }),
    ...(product.contentBundles && {
      contentTargeting: { targetedContentBundles: product.contentBundles.map((id) => `${network}/contentBundles/${id}`) },
    }),
    ...(product.videoPositions && {
      videoPositionTargeting: { videoPositions: product.videoPositions.map((positionType) => ({ positionType })) },
    }),
  }
}

function browsersOf(network: string, ids: readonly string[]): Message {
  return { targetedBrowsers: ids.map((id) => `${network}/browsers/${id}`) }
}

/** Keys of the product and audiences of the order, which all have to match; undefined: there are none. */
function clauseOf(
  network: string,
  { keyValues = [] }: GamProduct,
  { audience_include = [], audience_exclude = [] }: TargetingOverlay,
  lookups: Lookups,
): Message | undefined {
  if (keyValues.length + audience_include.length + audience_exclude.length === 0) return undefined
  const segments = (ids: readonly string[]) => ids.map((id) => lookups.segment(id))
  const audiences = [
    ...(audience_include.length > 0 ? [{ audienceSegments: segments(audience_include) }] : []),
    ...(audience_exclude.length > 0 ? [{ negative: true, audienceSegments: segments(audience_exclude) }] : []),
  ]
  return {
    customTargetingLiterals: keyValues.map((each) => literalOf(network, each)),
    ...(audiences.length > 0 && { audienceSegmentTargetings: audiences }),
  }
}

function literalOf(network: string, { key, values }: { readonly key: string; readonly values: readonly string[] }): Message {
  return {
    customTargetingKey: `${network}/customTargetingKeys/${key}`,
    customTargetingValues: values.map((value) => `${network}/customTargetingValues/${value}`),
  }
}

/** Dimensions that are read back from a line item. */
const READ_BACK: readonly Dimension[] = [
  'geo_countries',
  'geo_countries_exclude',
  'device_type',
  'device_type_exclude',
  'frequency_cap',
]

/**
 * What someone else's targeting is in terms of an order: countries and devices. Frequency caps are members of their own. Undefined where the line has, or was ordered with,
 * what is not read back: it would be lost.
 */
export async function overlayOf(
  targeting: Message | undefined,
  ordered: TargetingOverlay | null,
  lookups: Lookups,
): Promise<TargetingOverlay | undefined> {
  const isReadBack = (name: string) => READ_BACK.some((each) => each === name)
  if (!Object.keys(ordered ?? {}).every(isReadBack) || comparableReach(targeting).length > FOUR) return undefined
  const geo = messageOf(targeting, 'geoTargeting')
  const device = messageOf(messageOf(targeting, 'technologyTargeting'), 'deviceCategoryTargeting')
  const codes = (names: readonly string[]) => Promise.all(names.slice(0, 100).map((name) => lookups.countryCode(name)))
  const types = async (names: readonly string[]) => {
    if (names.length === 0) return []
    const byName = new Map([...(await lookups.devices())].map(([display, name]) => [name, display]))
    return deviceTypesOf(names.map((name) => byName.get(name) ?? ''))
  }
  const [countries, excludedCountries, devices, excludedDevices] = await Promise.all([
    codes(textsOf(geo, 'targetedGeos')),
    codes(textsOf(geo, 'excludedGeos')),
    types(textsOf(device, 'targetedCategories')),
    types(textsOf(device, 'excludedCategories')),
  ])
  const [in_, out] = [countries, excludedCountries].map((each) => each.filter((code) => code !== undefined).sort())
  if (in_?.length !== countries.length || out?.length !== excludedCountries.length) return undefined
  return {
    ...(nonEmpty(in_) && { geo_countries: in_ }),
    ...(nonEmpty(out) && { geo_countries_exclude: out }),
    ...(nonEmpty(devices) && { device_type: [...devices] }),
    ...(nonEmpty(excludedDevices) && { device_type_exclude: [...excludedDevices] }),
  }
}

/** Lists of a reach that is read back whole. */
const FOUR = 4

function nonEmpty<T>(list: readonly T[]): list is [T, ...T[]] {
  return list.length > 0
}
