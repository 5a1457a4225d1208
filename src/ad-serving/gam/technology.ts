import type { DeviceType, TargetingOverlay } from '../../domain/product/targeting-overlay.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Message } from './client.ts'
import type { Lookups } from './lookups.ts'

type Platform = NonNullable<TargetingOverlay['device_platform']>[number]

/** Names at the network, in lower case, and their resources. */
type Named = ReadonlyMap<string, string>

/** What device categories of the network are called, in lower case, by AdCP enums/device-type.json. */
const CATEGORIES: Readonly<Partial<Record<DeviceType, readonly string[]>>> = {
  desktop: ['desktop'],
  mobile: ['smartphone', 'feature phone'],
  tablet: ['tablet'],
  ctv: ['connected tv', 'set top box'],
}

/** How the names of operating systems of the network begin, in lower case, without the name of their maker. */
const SYSTEMS: Readonly<Partial<Record<Platform, readonly string[]>>> = {
  ios: ['ios'],
  android: ['android'],
  windows: ['windows'],
  macos: ['mac os', 'macos'],
  linux: ['linux'],
  chromeos: ['chrome os', 'chromeos'],
  tvos: ['tvos', 'apple tv'],
  tizen: ['tizen'],
  webos: ['webos'],
  fire_os: ['fire os', 'fire tv'],
  roku_os: ['roku'],
}
const MAKERS = /^(apple|google|microsoft|samsung|lg|amazon|roku) (?!tv\b)/

/** Throws AdcpError for a device or an operating system that the network has no name of. Makes no call. */
export function requireTechnology({ device_type = [], device_type_exclude = [], device_platform = [] }: TargetingOverlay): void {
  for (const type of [...device_type, ...device_type_exclude]) if (CATEGORIES[type] === undefined) throw unknownDevice(type)
  for (const platform of device_platform)
    if (SYSTEMS[platform] === undefined) throw unknown('device_platform', platform, Object.keys(SYSTEMS))
}

/** `technologyTargeting` of a line item; undefined: nothing of it was ordered. Throws AdcpError for what the network does not know. */
export async function technologyTargeting(
  { device_type = [], device_type_exclude = [], device_platform = [], language = [] }: TargetingOverlay,
  lookups: Lookups,
): Promise<Message | undefined> {
  const devices = device_type.length + device_type_exclude.length > 0 && (await lookups.devices())
  const systems = device_platform.length > 0 && (await lookups.operatingSystems())
  const languages = language.length > 0 && (await lookups.languages())
  if (!devices && !systems && !languages) return undefined
  return {
    ...(devices && {
      deviceCategoryTargeting: {
        targetedCategories: device_type.flatMap((type) => categoriesOf(type, devices)),
        excludedCategories: device_type_exclude.flatMap((type) => categoriesOf(type, devices)),
      },
    }),
    ...(systems && {
      operatingSystemTargeting: { targetedOperatingSystems: device_platform.flatMap((each) => systemsOf(each, systems)) },
    }),
    ...(languages && {
      browserLanguageTargeting: { targetedBrowserLanguages: language.flatMap((code) => languagesOf(code, languages)) },
    }),
  }
}

/** Devices of names of categories, in the order of AdCP. */
export function deviceTypesOf(displays: readonly string[]): readonly DeviceType[] {
  return deviceTypes().filter((type) => CATEGORIES[type]?.some((name) => displays.includes(name)))
}

function deviceTypes(): readonly DeviceType[] {
  return ['desktop', 'mobile', 'tablet', 'ctv']
}

function categoriesOf(type: DeviceType, known: Named): readonly string[] {
  const names = (CATEGORIES[type] ?? []).flatMap((name) => known.get(name) ?? [])
  if (names.length > 0) return names
  throw unknownDevice(type)
}

/** All versions that the network lists of a system. */
function systemsOf(platform: Platform, known: Named): readonly string[] {
  const starts = SYSTEMS[platform] ?? []
  const isOne = (name: string) => starts.some((start) => name.replace(MAKERS, '').startsWith(start))
  const names = [...known].filter(([name]) => isOne(name)).map(([, resource]) => resource)
  if (names.length > 0) return names
  throw unknown('device_platform', platform, Object.keys(SYSTEMS))
}

/** Languages by their English names: `de` is German; of one with scripts, all. */
function languagesOf(code: string, known: Named): readonly string[] {
  const english = languageName(code)?.toLowerCase()
  const names = [...known].filter(([name]) => name === english || name.startsWith(`${english} (`)).map(([, resource]) => resource)
  if (names.length > 0) return names
  throw unknown('language', code, [...known.keys()].slice(0, 50))
}

function languageName(code: string): string | undefined {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(code)
  } catch {
    return undefined
  }
}

function unknownDevice(type: DeviceType): AdcpError {
  return unknown('device_type', type, Object.keys(CATEGORIES))
}

function unknown(member: 'device_type' | 'device_platform' | 'language', value: string, possible: readonly string[]): AdcpError {
  const field = `targeting_overlay.${member}`
  return new AdcpError('UNSUPPORTED_FEATURE', `${field}: the network knows no ${value}; it knows ${possible.join(', ')}`, {
    field,
  })
}
