import { countriesNamedIn } from '../country-names.ts'
import { ownValue } from '../own-value.ts'
import { isLanguage } from './language-codes.ts'

/** The form of a dimension (core/targeting.json), as a buyer sends it. */
const DIMENSION_FORMS = {
  geo_countries: '["SE", "NO"] (ISO 3166-1)',
  geo_countries_exclude: '["SE", "NO"] (ISO 3166-1)',
  geo_regions: '["US-CA"] (ISO 3166-2)',
  geo_metros: '[{"system": "nielsen_dma", "values": ["501"]}]',
  geo_postal_areas: '[{"system": "us_zip", "values": ["10001"]}]',
  age_restriction: '{"min": 18}, for ads that the law keeps from the young; ages of an audience are audience_include',
  audience_include: '["audience_id"], of sync_audiences',
  daypart_targets: '[{"days": ["monday"], "start_hour": 18, "end_hour": 24}]',
  device_type: '["mobile"]',
  device_platform: '["ios"]',
  frequency_cap: '{"max_impressions": 3, "per": "individuals", "window": {"interval": 1, "unit": "days"}}',
  keyword_targets: '[{"keyword": "skiing", "match_type": "broad"}]',
  language: '["sv"] (ISO 639-1)',
  signal_targeting_groups:
    '{"operator": "all", "groups": [{"operator": "any", "signals": [{"signal_ref": {…}, "value_type": "binary", "value": true}]}]}, with the signal_ref of get_signals or of the product',
} as const

type Dimension = keyof typeof DIMENSION_FORMS

/** Words of other APIs for a dimension; a word is matched without what it ends with (`_any_of`, `_include`, plurals). */
const WORDS: Readonly<Record<string, Dimension>> = {
  geo: 'geo_countries',
  geo_country: 'geo_countries',
  country: 'geo_countries',
  countrie: 'geo_countries',
  location: 'geo_countries',
  region: 'geo_regions',
  geo_region: 'geo_regions',
  state: 'geo_regions',
  citie: 'geo_regions',
  city: 'geo_regions',
  geo_citie: 'geo_regions',
  geo_city: 'geo_regions',
  metro: 'geo_metros',
  dma: 'geo_metros',
  postal_code: 'geo_postal_areas',
  zip: 'geo_postal_areas',
  age: 'age_restriction',
  age_min: 'age_restriction',
  age_max: 'age_restriction',
  age_range: 'age_restriction',
  min_age: 'age_restriction',
  interest: 'audience_include',
  audience: 'audience_include',
  segment: 'audience_include',
  daypart: 'daypart_targets',
  dayparting: 'daypart_targets',
  schedule: 'daypart_targets',
  device: 'device_type',
  platform: 'device_platform',
  os: 'device_platform',
  frequency: 'frequency_cap',
  cap: 'frequency_cap',
  keyword: 'keyword_targets',
  lang: 'language',
  signal: 'signal_targeting_groups',
  signal_id: 'signal_targeting_groups',
  signal_group: 'signal_targeting_groups',
  signal_targeting: 'signal_targeting_groups',
}

/**
 * The end of a sentence on members that are no dimensions, by name with what was sent: those of `supported` that they stand for, with the value that was sent where it can be
 * read as such, else what it looks like. Empty where none is known.
 */
export function formsMeant(members: ReadonlyMap<string, unknown>, supported: readonly string[]): string {
  const byDimension = new Map<Dimension, string[]>()
  for (const [name, sent] of members) {
    const dimension = dimensionMeant(name, sent)
    if (dimension !== undefined && supported.includes(dimension))
      byDimension.set(dimension, [...(byDimension.get(dimension) ?? []), name])
  }
  const parts = [...byDimension].map(([dimension, names]) => {
    const values = names.length === 1 ? valuesMeant(dimension, members.get(names[0] ?? '')) : undefined
    const form = values === undefined ? formOf(dimension, members.get(names[0] ?? '')) : JSON.stringify(values)
    return `for ${names.join(', ')} send ${dimension}: ${form}`
  })
  return parts.length > 0 ? `; ${parts.join('; ')}` : ''
}

/** What a dimension looks like. Beside places that were sent and are no countries an example of countries would widen the order. */
function formOf(dimension: Dimension, sent: unknown): string {
  if (ownValue(CODES, dimension) && stringsIn(sent).length > 0 && dimension.startsWith('geo_countries'))
    return 'a list of ISO 3166-1 codes, each of a whole country'
  return `such as ${DIMENSION_FORMS[dimension]}`
}

/** The most values that are given back. */
const MOST_VALUES = 20

/** What was sent, in the form of a dimension that takes a list of codes; undefined where it cannot be told. */
function valuesMeant(dimension: Dimension, sent: unknown): readonly string[] | undefined {
  const codeOf = ownValue(CODES, dimension)
  const values = stringsIn(sent)
  if (codeOf === undefined || values.length === 0 || values.length > MOST_VALUES) return undefined
  const codes = values.map(codeOf)
  return codes.every((code) => code !== undefined) ? [...new Set(codes)] : undefined
}

/** The code that a value was meant for, by dimension. */
const CODES: Readonly<Partial<Record<Dimension, (value: string) => string | undefined>>> = {
  geo_countries: countryCodeOf,
  geo_countries_exclude: countryCodeOf,
  language: (value) => (isLanguage(value) && value.length <= 3 ? value.toLowerCase() : undefined),
  geo_regions: (value) => (/^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(value) ? value : undefined),
}

function countryCodeOf(value: string): string | undefined {
  return /^[A-Za-z]{2}$/.test(value) ? value.toUpperCase() : onlyOne(countriesNamedIn(value))
}

function onlyOne(codes: readonly string[]): string | undefined {
  return codes.length === 1 ? codes[0] : undefined
}

/** The texts of a value: itself, those of a list, or those of the one member of an object. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.every((each) => typeof each === 'string') ? value : []
  const [only, ...more] = typeof value === 'object' && value !== null ? Object.values(value) : []
  return only !== undefined && more.length === 0 && typeof only !== 'object'
    ? stringsIn(only)
    : Array.isArray(only)
      ? stringsIn(only)
      : []
}

/** A part of a name, or a member of a value, that turns it round: `exclude_countries`, `{"not": ["SE"]}`. */
const EXCLUDES =
  /(?:^|_)(?:not?|non|none|nin|neg|negative|except|excl|exclude[sd]?|excluding|exclusions?|without|block(?:ed)?|den(?:y|ied))(?:$|_)/i
/** Members of a value that say what is wanted. */
const INCLUDES =
  /^(?:in|is|any|any_of|all|include[sd]?|values?|codes?|ids?|list|countries|country|regions?|languages?|target(?:s|ed)?)$/i

/**
 * The dimension that a name of another API stands for, with what was sent; undefined for one that is not known. What excludes countries is the dimension that does, and what
 * excludes anything else, or may, has none: a repair must not turn it round.
 */
function dimensionMeant(name: string, sent: unknown): Dimension | undefined {
  const inner = typeof sent === 'object' && sent !== null && !Array.isArray(sent) ? Object.keys(sent) : []
  const excludes = EXCLUDES.test(name) || inner.some((key) => EXCLUDES.test(key))
  const bare = name.toLowerCase().replace(EXCLUDES, '_').split('_').filter(Boolean).join('_')
  const stem = bare.replace(/_(?:any_of|in|include|included|targets?|targeting)$/, '')
  const dimension = ownValue(WORDS, stem) ?? ownValue(WORDS, stem.replace(/s$/, ''))
  if (excludes) return dimension === 'geo_countries' ? 'geo_countries_exclude' : undefined
  const isPlace = dimension?.startsWith('geo_') === true
  return isPlace && inner.some((key) => !INCLUDES.test(key)) ? undefined : dimension
}
