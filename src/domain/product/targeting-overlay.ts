import type { Weekday } from '../calendar/time-units.ts'
import type { Duration } from '../party.ts'
import type { ReachUnit } from './forecast.ts'

/** How words are compared (AdCP enums/match-type). */
export const MATCH_TYPES = ['broad', 'phrase', 'exact'] as const

/** A word that a page or a search is about, and how near it has to come. */
export interface KeywordTarget {
  keyword: string
  match_type: (typeof MATCH_TYPES)[number]
  /** Major units of the package's currency. */
  bid_price?: number
}

/** How often one person, device or household may see an ad. */
export type FrequencyCap = {
  suppress?: Duration
  suppress_minutes?: number
  max_impressions?: number
  per?: ReachUnit
  window?: Duration
}

/** Hours of days in which a package runs, `end_hour` exclusive. They are those of the inventory, which `timezone` may say (`inventory_local`). */
export interface DaypartTarget {
  days: Weekday[]
  start_hour: number
  end_hour: number
  timezone?: string
  label?: string
}

/** Places by the codes of one system. */
export interface PlaceCodes<System extends string> {
  system: System
  values: string[]
}

export type MetroSystem = 'nielsen_dma' | 'uk_itl1' | 'uk_itl2' | 'eurostat_nuts2' | 'custom'
export type PostalSystem =
  | 'us_zip'
  | 'us_zip_plus_four'
  | 'gb_outward'
  | 'gb_full'
  | 'ca_fsa'
  | 'ca_full'
  | 'de_plz'
  | 'fr_code_postal'
  | 'au_postcode'
  | 'ch_plz'
  | 'at_plz'

export type DeviceType = 'desktop' | 'mobile' | 'tablet' | 'ctv' | 'dooh' | 'unknown'

export type DevicePlatform =
  | 'ios'
  | 'android'
  | 'windows'
  | 'macos'
  | 'linux'
  | 'chromeos'
  | 'tvos'
  | 'tizen'
  | 'webos'
  | 'fire_os'
  | 'roku_os'
  | 'unknown'

/** A list of properties or collections at the agent that keeps it, with the token that reads it. */
export interface ListReference {
  agent_url: string
  list_id: string
  auth_token?: string
}

/** Whom a package is shown to, as the buyer orders it (AdCP core/targeting.json), as far as a rule reads it; all of it is kept and echoed. */
export interface TargetingOverlay {
  geo_countries?: string[]
  geo_countries_exclude?: string[]
  geo_regions?: string[]
  geo_regions_exclude?: string[]
  geo_metros?: PlaceCodes<MetroSystem>[]
  geo_metros_exclude?: PlaceCodes<MetroSystem>[]
  geo_postal_areas?: PlaceCodes<PostalSystem>[]
  geo_postal_areas_exclude?: PlaceCodes<PostalSystem>[]
  daypart_targets?: DaypartTarget[]
  audience_include?: string[]
  audience_exclude?: string[]
  frequency_cap?: FrequencyCap
  property_list?: ListReference
  collection_list?: ListReference
  collection_list_exclude?: ListReference
  device_type?: DeviceType[]
  device_type_exclude?: DeviceType[]
  device_platform?: DevicePlatform[]
  geo_proximity?: { [member: string]: unknown }[]
  age_restriction?: {
    min: number
    verification_required?: boolean
    accepted_methods?: ('facial_age_estimation' | 'id_document' | 'digital_id' | 'credit_card' | 'world_id')[]
  }
  /** ISO 639-1. */
  language?: string[]
  keyword_targets?: KeywordTarget[]
  negative_keywords?: { keyword: string; match_type: KeywordTarget['match_type'] }[]
}
