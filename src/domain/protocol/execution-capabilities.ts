import type { GetAdCPCapabilitiesResponse } from '@adcp/sdk/types'
import type { KeptTerms } from '../ad-serving/kept-offer.ts'
import { MATCH_TYPES } from '../product/targeting-overlay.ts'

type MediaBuy = NonNullable<GetAdCPCapabilitiesResponse['media_buy']>
type Targeting = NonNullable<NonNullable<MediaBuy['execution']>['targeting']>

/**
 * Targeting and pricing models that buyers may count on (protocol/get-adcp-capabilities-response.json, `media_buy.execution` and
 * `supported_pricing_models`): what at least one product offers and the ad server that serves it keeps. A product may have less.
 * `trustedMatch`: whether the publisher's packages are matched by Trusted Match.
 */
export function executionCapabilities(
  { pricing, targeting, geo }: KeptTerms,
  trustedMatch: boolean,
): Pick<MediaBuy, 'execution' | 'supported_pricing_models'> {
  const metros = systemsOf('metro', targeting.has('geo_metros'), geo)
  const postalAreas = systemsOf('postal_area', targeting.has('geo_postal_areas'), geo)
  const declared: Targeting = {
    ...(targeting.has('geo_countries') && { geo_countries: true }),
    ...(targeting.has('geo_regions') && { geo_regions: true }),
    ...(metros && { geo_metros: metros }),
    ...(postalAreas && { geo_postal_areas: postalAreas }),
    ...(targeting.has('language') && { language: true }),
    ...(targeting.has('keyword_targets') && { keyword_targets: { supported_match_types: [...MATCH_TYPES] } }),
    ...(targeting.has('negative_keywords') && { negative_keywords: { supported_match_types: [...MATCH_TYPES] } }),
    ...(targeting.has('geo_proximity') && { geo_proximity: { radius: true } }),
  }
  const execution: NonNullable<MediaBuy['execution']> = {
    ...(Object.keys(declared).length > 0 && { targeting: declared }),
    // The script of pages is what joins the answers.
    ...(trustedMatch && { trusted_match: { surfaces: ['website'] } }),
  }
  const models = pricing as NonNullable<MediaBuy['supported_pricing_models']>
  return {
    ...(models.length > 0 && { supported_pricing_models: models }),
    ...(Object.keys(execution).length > 0 && { execution }),
  }
}

/** Systems of a level as an object of true members; undefined when there is none. */
function systemsOf(level: 'metro' | 'postal_area', isKept: boolean, geo: ReadonlySet<string>): Record<string, true> | undefined {
  const prefix = `${level}:`
  const systems = [...geo].filter((each) => isKept && each.startsWith(prefix)).sort()
  return systems.length === 0 ? undefined : Object.fromEntries(systems.map((each) => [each.slice(prefix.length), true]))
}
