import type { Cap, LineTargeting, LineTerms, TARGETED } from './line.ts'

type Members<Name extends keyof LineTargeting> = NonNullable<LineTargeting[Name]>

/** What a line of a direct order is narrowed by, as schemas/direct-order.json has it. */
export interface DirectTargeting {
  readonly countries?: Members<'geo_countries'>
  readonly countries_exclude?: Members<'geo_countries_exclude'>
  readonly regions?: Members<'geo_regions'>
  readonly regions_exclude?: Members<'geo_regions_exclude'>
  readonly devices?: Members<'device_type'>
  readonly devices_exclude?: Members<'device_type_exclude'>
  readonly platforms?: Members<'device_platform'>
  readonly browsers?: readonly string[]
  readonly languages?: Members<'language'>
  readonly dayparts?: Members<'daypart_targets'>
  readonly audiences?: Members<'audience_include'>
  readonly audiences_exclude?: Members<'audience_exclude'>
  /** Found in the words of a page or a search, whole or as a part. */
  readonly keywords?: readonly string[]
  readonly keywords_exclude?: readonly string[]
  /** Values by key: one of the values of each key has to be on the page. */
  readonly key_values?: Readonly<Record<string, readonly string[]>>
  readonly frequency_cap?: DirectCap
  /** Of a line: orders whose lines share one are not shown on the same page. Of a placement: lines that have one are not shown there. */
  readonly labels?: readonly string[]
}

/** Units of the window of a frequency cap, with their length; `campaign` is the whole flight. */
export const CAP_UNITS_MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000, campaign: null } as const

/** Impressions that one visitor gets at most in a window. */
export interface DirectCap {
  readonly max_impressions: number
  readonly window: { readonly interval: number; readonly unit: keyof typeof CAP_UNITS_MS }
}

/** What decisions narrow a line by: what the ad server declares for orders of buyers, and what only the publisher's own orders have. */
type Dimension = (typeof TARGETED)[number] | keyof LineTargeting | 'frequency_cap'

/**
 * The member of a direct order that says each dimension: the one list that the document, its form and what is served follow. A dimension that is declared and missing
 * here does not compile. Lists of properties and collections are not among them: those belong to the agents of buyers.
 */
export const MEMBER_OF = {
  geo_countries: 'countries',
  geo_countries_exclude: 'countries_exclude',
  geo_regions: 'regions',
  geo_regions_exclude: 'regions_exclude',
  device_type: 'devices',
  device_type_exclude: 'devices_exclude',
  device_platform: 'platforms',
  browsers: 'browsers',
  language: 'languages',
  daypart_targets: 'dayparts',
  audience_include: 'audiences',
  audience_exclude: 'audiences_exclude',
  keyword_targets: 'keywords',
  negative_keywords: 'keywords_exclude',
  keyValues: 'key_values',
  frequency_cap: 'frequency_cap',
  labels: 'labels',
} as const satisfies Readonly<Record<Dimension, keyof DirectTargeting>>

/** What the targeting of a direct line is served by. Browsers are compared in lower case. */
export function lineTargetingOf(targeting: DirectTargeting): LineTargeting {
  const { keywords, keywords_exclude: unwanted, browsers } = targeting
  return given({
    geo_countries: targeting.countries,
    geo_countries_exclude: targeting.countries_exclude,
    geo_regions: targeting.regions,
    geo_regions_exclude: targeting.regions_exclude,
    device_type: targeting.devices,
    device_type_exclude: targeting.devices_exclude,
    device_platform: targeting.platforms,
    browsers: browsers?.map((each) => each.toLowerCase()),
    language: targeting.languages,
    daypart_targets: targeting.dayparts,
    audience_include: targeting.audiences,
    audience_exclude: targeting.audiences_exclude,
    keyword_targets: keywords?.map(phrase),
    negative_keywords: unwanted?.map(phrase),
    keyValues: targeting.key_values,
    labels: targeting.labels,
  })
}

/** The frequency cap of a direct line, as it is counted. */
export function capsOfDirectLine({ frequency_cap: cap }: DirectTargeting): readonly Cap[] {
  if (!cap) return []
  const unitMs = CAP_UNITS_MS[cap.window.unit]
  return [{ most: cap.max_impressions, windowMs: unitMs === null ? null : unitMs * cap.window.interval }]
}

/** The targeting of a stored line, as a direct order says it; undefined where there is none. */
export function directTargetingOf({ targeting = {}, caps }: Pick<LineTerms, 'targeting' | 'caps'>): DirectTargeting | undefined {
  const said: DirectTargeting = given({
    countries: targeting.geo_countries,
    countries_exclude: targeting.geo_countries_exclude,
    regions: targeting.geo_regions,
    regions_exclude: targeting.geo_regions_exclude,
    devices: targeting.device_type,
    devices_exclude: targeting.device_type_exclude,
    platforms: targeting.device_platform,
    browsers: targeting.browsers,
    languages: targeting.language,
    dayparts: targeting.daypart_targets,
    audiences: targeting.audience_include,
    audiences_exclude: targeting.audience_exclude,
    keywords: targeting.keyword_targets?.map(({ keyword }) => keyword),
    keywords_exclude: targeting.negative_keywords?.map(({ keyword }) => keyword),
    key_values: targeting.keyValues,
    frequency_cap: caps?.[0] && capOf(caps[0]),
    labels: targeting.labels,
  })
  return Object.keys(said).length === 0 ? undefined : said
}

/** In the largest unit that its window is a whole number of. */
function capOf({ most, windowMs }: Cap): DirectCap {
  if (windowMs === null) return { max_impressions: most, window: { interval: 1, unit: 'campaign' } }
  const unit = (['days', 'hours'] as const).find((each) => windowMs % CAP_UNITS_MS[each] === 0) ?? 'minutes'
  return { max_impressions: most, window: { interval: windowMs / CAP_UNITS_MS[unit], unit } }
}

function phrase(keyword: string) {
  return { keyword, match_type: 'phrase' as const }
}

/** The members that are there. */
function given(members: object) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
