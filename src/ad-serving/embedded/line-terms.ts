import { unitsPerPrice } from '../../domain/ad-serving/charged.ts'
import type { LineSettings } from '../../domain/ad-serving/desired-order.ts'
import { mulDiv, mulDivCeil } from '../../domain/money.ts'
import { billedKind } from './billing.ts'
import { capsOf } from './frequency.ts'
import { type LineTargeting, type LineTerms, TARGETED } from './line.ts'
import { LIST_TARGETING, type LineLists } from './line-lists.ts'

/** Every dimension that can be kept; a frequency cap is a limit of its own. */
export const KEPT_TARGETING = [...TARGETED, ...LIST_TARGETING, 'frequency_cap'] as const

/** What decisions know of where a visitor is: nothing on an install that names no source of places. */
export interface KnownPlaces {
  readonly countries: boolean
  readonly regions: boolean
}

const BY_COUNTRY: readonly string[] = ['geo_countries', 'geo_countries_exclude']
const BY_REGION: readonly string[] = ['geo_regions', 'geo_regions_exclude']

/** The dimensions that are kept: without a source of places a line for a country would be shown to nobody. */
export function keptTargeting({ countries, regions }: KnownPlaces): readonly (typeof KEPT_TARGETING)[number][] {
  const unknown = new Set([...(countries ? [] : BY_COUNTRY), ...(regions ? [] : BY_REGION)])
  return KEPT_TARGETING.filter((dimension) => !unknown.has(dimension))
}

/** What pages, apps and players show; sound, carousels and catalogs have no way of being shown yet. */
export const KEPT_FORMATS = ['image', 'html5', 'display_tag', 'native_in_feed', 'video_hosted', 'video_vast'] as const

/** Where a page, an app or a player asks for each ad when it is to be shown. */
export const KEPT_CHANNELS = [
  'display',
  'olv',
  'social',
  'search',
  'ctv',
  'gaming',
  'retail_media',
  'sponsored_intelligence',
] as const

/** The most that a line can cost, in micros: the flat rate, else what its goal costs, else its budget. */
export function committedMicros({ price, budgetMicros, goalImpressions }: LineSettings): number {
  if (price.model === 'flat_rate') return Math.min(price.rateMicros, budgetMicros)
  if (price.model !== 'cpm' || goalImpressions === null) return budgetMicros
  return Math.min(budgetMicros, mulDivCeil(goalImpressions, price.rateMicros, 1000))
}

/** What decisions are made on, for the settings of a line. `places`: ids under which tags ask for its product; `lists`: keys of the lists of its targeting. */
export function lineTermsOf(
  name: string,
  settings: LineSettings,
  {
    currency,
    places,
    timeZone,
    lists,
  }: { readonly currency: string; readonly places: readonly string[]; readonly timeZone: string; readonly lists: LineLists },
): LineTerms {
  const { price, targeting, goalImpressions } = settings
  const overlay = targeting ?? {}
  const narrowed: LineTargeting = Object.fromEntries(TARGETED.flatMap((each) => (overlay[each] ? [[each, overlay[each]]] : [])))
  const isByUnit = billedKind(price.model) !== undefined && price.rateMicros > 0
  return {
    name,
    priority: settings.priority === 'guaranteed' ? 'guaranteed' : 'standard',
    places,
    startsAt: settings.startsAt,
    endsAt: settings.endsAt,
    pricing: { model: price.model, currency },
    rateMicros: price.rateMicros,
    ...(isByUnit && { units: mulDiv(committedMicros(settings), unitsPerPrice(price.model), price.rateMicros) }),
    ...(goalImpressions !== null && { impressions: goalImpressions }),
    pacing: settings.pacing,
    ...(settings.dailyCap && { dailyCap: settings.dailyCap }),
    ...(Object.keys(narrowed).length > 0 && { targeting: narrowed }),
    ...(Object.keys(lists).length > 0 && { lists }),
    ...(overlay.frequency_cap && { caps: capsOf(overlay.frequency_cap) }),
    timeZone,
    packageId: name,
  }
}
