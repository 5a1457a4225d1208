import { ownValue } from '../own-value.ts'

/** The form of a dimension (core/targeting.json), as a buyer sends it. */
const DIMENSION_FORMS = {
  geo_countries: '["SE", "NO"] (ISO 3166-1)',
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
}

/** The end of a sentence on names that are no dimensions: those of `supported` that they stand for, and what these look like. Empty where none is known. */
export function formsMeant(names: readonly string[], supported: readonly string[]): string {
  const byDimension = new Map<Dimension, string[]>()
  for (const name of names) {
    const dimension = dimensionMeant(name)
    if (dimension !== undefined && supported.includes(dimension))
      byDimension.set(dimension, [...(byDimension.get(dimension) ?? []), name])
  }
  const parts = [...byDimension].map(
    ([dimension, sent]) => `for ${sent.join(', ')} send ${dimension}: ${DIMENSION_FORMS[dimension]}`,
  )
  return parts.length > 0 ? `; ${parts.join('; ')}` : ''
}

/** The dimension that a name of another API stands for; undefined for one that is not known. */
function dimensionMeant(name: string): Dimension | undefined {
  const stem = name.toLowerCase().replace(/_(?:any_of|in|include|included|targets?|targeting)$/, '')
  return ownValue(WORDS, stem) ?? ownValue(WORDS, stem.replace(/s$/, ''))
}
