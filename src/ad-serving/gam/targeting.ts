import type { TargetingOverlay } from '../../domain/product/targeting-overlay.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Message } from './client.ts'
import type { GamProduct } from './gam-options.ts'
import type { Lookups } from './lookups.ts'
import { messageOf, messagesOf, textsOf } from './messages.ts'

/** Dimensions of an order that a line item has a member for. The REST API has none for dayparts, regions by ISO code, keywords and postal areas. */
export const GAM_TARGETING = [
  'geo_countries',
  'geo_countries_exclude',
  'device_type',
  'device_type_exclude',
  'frequency_cap',
] as const satisfies readonly (keyof TargetingOverlay)[]

type DeviceType = NonNullable<TargetingOverlay['device_type']>[number]

/** What device categories of the network are called, in lower case, by AdCP enums/device-type.json. */
const CATEGORIES: Readonly<Partial<Record<DeviceType, readonly string[]>>> = {
  desktop: ['desktop'],
  mobile: ['smartphone', 'feature phone'],
  tablet: ['tablet'],
  ctv: ['connected tv', 'set top box'],
}

/** `targeting` of a line item: where the product is, narrowed by what was ordered. Throws AdcpError for what the network does not know. */
export async function gamTargeting(
  network: string,
  product: GamProduct,
  overlay: TargetingOverlay | null,
  lookups: Lookups,
): Promise<Message> {
  const { geo_countries = [], geo_countries_exclude = [], device_type = [], device_type_exclude = [] } = overlay ?? {}
  const targetedGeos = await lookups.countries(geo_countries)
  const excludedGeos = await lookups.countries(geo_countries_exclude)
  const categories = device_type.length + device_type_exclude.length > 0 ? await lookups.devices() : new Map<string, string>()
  const targetedCategories = device_type.flatMap((type) => categoriesOf(type, categories))
  const excludedCategories = device_type_exclude.flatMap((type) => categoriesOf(type, categories))
  return {
    inventoryTargeting: {
      ...(product.adUnits && {
        targetedAdUnits: product.adUnits.map((id) => ({ adUnit: `${network}/adUnits/${id}`, includeDescendants: true })),
      }),
      ...(product.placements && { targetedPlacements: product.placements.map((id) => `${network}/placements/${id}`) }),
    },
    ...(targetedGeos.length + excludedGeos.length > 0 && { geoTargeting: { targetedGeos, excludedGeos } }),
    ...(targetedCategories.length + excludedCategories.length > 0 && {
      technologyTargeting: { deviceCategoryTargeting: { targetedCategories, excludedCategories } },
    }),
    ...(product.keyValues?.length && {
      customTargeting: {
        customTargetingClauses: [{ customTargetingLiterals: product.keyValues.map((each) => literalOf(network, each)) }],
      },
    }),
  }
}

function literalOf(network: string, { key, values }: { readonly key: string; readonly values: readonly string[] }): Message {
  return {
    customTargetingKey: `${network}/customTargetingKeys/${key}`,
    customTargetingValues: values.map((value) => `${network}/customTargetingValues/${value}`),
  }
}

/** Throws AdcpError for a device that the API has no category of. */
export function requireDevice(type: DeviceType): void {
  if (CATEGORIES[type] === undefined) throw unknownDevice(type)
}

function categoriesOf(type: DeviceType, known: ReadonlyMap<string, string>): readonly string[] {
  const names = (CATEGORIES[type] ?? []).flatMap((name) => known.get(name) ?? [])
  if (names.length > 0) return names
  throw unknownDevice(type)
}

function unknownDevice(type: DeviceType): AdcpError {
  const possible = Object.keys(CATEGORIES).join(', ')
  return new AdcpError('UNSUPPORTED_FEATURE', `targeting_overlay.device_type: the network knows no ${type}; it knows ${possible}`)
}

/** Countries and devices of a targeting, in an order that means nothing: what a setting of an order stands for. */
export function comparableReach(targeting: Message | undefined): unknown {
  const geo = messageOf(targeting, 'geoTargeting')
  const device = messageOf(messageOf(targeting, 'technologyTargeting'), 'deviceCategoryTargeting')
  return [
    [...textsOf(geo, 'targetedGeos')].sort(),
    [...textsOf(geo, 'excludedGeos')].sort(),
    [...textsOf(device, 'targetedCategories')].sort(),
    [...textsOf(device, 'excludedCategories')].sort(),
  ]
}

/** Where the product is: ad units, placements, keys and values. */
export function comparableInventory(targeting: Message | undefined): unknown {
  const inventory = messageOf(targeting, 'inventoryTargeting')
  const clauses = messagesOf(messageOf(targeting, 'customTargeting'), 'customTargetingClauses')
  const units = (name: string) =>
    messagesOf(inventory, name)
      .map(({ adUnit, includeDescendants }) => `${String(adUnit)}${includeDescendants === true ? ' and below' : ''}`)
      .sort()
  return {
    targetedAdUnits: units('targetedAdUnits'),
    excludedAdUnits: units('excludedAdUnits'),
    targetedPlacements: [...textsOf(inventory, 'targetedPlacements')].sort(),
    custom: clauses.map((clause) =>
      messagesOf(clause, 'customTargetingLiterals')
        .map((each) => [each.customTargetingKey, each.negative === true, [...textsOf(each, 'customTargetingValues')].sort()])
        .map((each) => JSON.stringify(each))
        .sort(),
    ),
  }
}

/** Everything else that a targeting can have, without what is empty: the network completes some of it by itself, people may add more. */
export function otherTargeting(targeting: Message | undefined): unknown {
  const {
    geoTargeting: _geo,
    inventoryTargeting: _inventory,
    customTargeting: _custom,
    technologyTargeting,
    ...rest
  } = targeting ?? {}
  const { deviceCategoryTargeting: _device, ...technology } = messageOf({ technologyTargeting }, 'technologyTargeting') ?? {}
  return withoutEmpty({ ...rest, technologyTargeting: technology }) ?? {}
}

/** A JSON value without empty lists and objects in it; undefined when nothing is left. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value
  if (!isObject(value)) return value
  const left = Object.entries(value).flatMap(([name, member]) => {
    const kept = withoutEmpty(member)
    return kept === undefined ? [] : [[name, kept] as const]
  })
  return left.length === 0 ? undefined : Object.fromEntries(left)
}

/** What someone else's targeting is in terms of an order: countries and devices. Frequency caps are members of their own. */
export async function overlayOf(targeting: Message | undefined, lookups: Lookups): Promise<TargetingOverlay> {
  const geo = messageOf(targeting, 'geoTargeting')
  const device = messageOf(messageOf(targeting, 'technologyTargeting'), 'deviceCategoryTargeting')
  const codes = async (names: readonly string[]) => {
    const found = await Promise.all(names.slice(0, 100).map((name) => lookups.countryCode(name)))
    return found.filter((code) => code !== undefined).sort()
  }
  const types = async (names: readonly string[]) => {
    if (names.length === 0) return []
    const byName = new Map([...(await lookups.devices())].map(([display, name]) => [name, display]))
    const displays = names.map((name) => byName.get(name) ?? '')
    return deviceTypes().filter((type) => CATEGORIES[type]?.some((name) => displays.includes(name)))
  }
  const [countries, excludedCountries, devices, excludedDevices] = await Promise.all([
    codes(textsOf(geo, 'targetedGeos')),
    codes(textsOf(geo, 'excludedGeos')),
    types(textsOf(device, 'targetedCategories')),
    types(textsOf(device, 'excludedCategories')),
  ])
  return {
    ...(nonEmpty(countries) && { geo_countries: countries }),
    ...(nonEmpty(excludedCountries) && { geo_countries_exclude: excludedCountries }),
    ...(nonEmpty(devices) && { device_type: devices }),
    ...(nonEmpty(excludedDevices) && { device_type_exclude: excludedDevices }),
  }
}

function deviceTypes(): readonly DeviceType[] {
  return ['desktop', 'mobile', 'tablet', 'ctv']
}

function nonEmpty<T>(list: readonly T[]): list is [T, ...T[]] {
  return list.length > 0
}
