import type { TargetingOverlay } from '../../domain/media-buy/media-buy.ts'
import { commitmentMicros, unitsFor } from '../../domain/media-buy/pricing.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { LineOrder } from '../ad-server.ts'
import { billedKind, canBill } from './billing.ts'
import { capsOf } from './frequency.ts'
import type { LineTargeting, LineTerms } from './line.ts'

/** Dimensions of an order that the embedded ad server narrows a line by; a frequency cap is a limit of its own. */
const TARGETED = [
  'geo_countries',
  'geo_countries_exclude',
  'geo_regions',
  'geo_regions_exclude',
  'device_type',
  'device_type_exclude',
  'device_platform',
  'language',
  'daypart_targets',
  'audience_include',
  'audience_exclude',
  'keyword_targets',
  'negative_keywords',
] as const satisfies readonly (keyof LineTargeting & keyof TargetingOverlay)[]

const ACCEPTED: readonly string[] = [...TARGETED, 'frequency_cap', 'ext', 'context']

/**
 * The terms of a line for an order of it. Nothing is taken that would not be kept: throws UNSUPPORTED_FEATURE for targeting that decisions do not know,
 * and for prices by rating points or conversions, which are not counted here.
 */
export function lineTermsOf(order: LineOrder, places: readonly string[], timeZone: string): LineTerms {
  const { packageId, productId, pricing, terms, guaranteed, targetingOverlay: overlay = {} } = order
  if (!canBill(pricing.model)) throw unsupported(productId, `a price by ${pricing.model}`, 'choose another pricing option')
  const name = Object.keys(overlay).find((each) => !ACCEPTED.includes(each))
  if (name !== undefined) {
    const rest = `it knows ${[...TARGETED, 'frequency_cap'].join(', ')}`
    throw unsupported(productId, `targeting by ${name}`, rest, `targeting_overlay.${name}`)
  }
  const targeting: LineTargeting = Object.fromEntries(TARGETED.flatMap((each) => (overlay[each] ? [[each, overlay[each]]] : [])))
  const kind = billedKind(pricing.model)
  const units = unitsFor(pricing.model, commitmentMicros(pricing, terms), terms.rateMicros)
  const { impressions = kind === undefined ? pricing.estimatedImpressions : undefined } = terms
  return {
    name: packageId,
    priority: guaranteed ? 'guaranteed' : 'standard',
    places,
    startsAt: terms.startsAt,
    endsAt: terms.endsAt,
    pricing: { model: pricing.model, currency: pricing.currency },
    rateMicros: terms.rateMicros,
    ...(kind !== undefined && terms.rateMicros > 0 && { units }),
    ...(impressions !== undefined && { impressions }),
    pacing: terms.pacing,
    ...(Object.keys(targeting).length > 0 && { targeting }),
    ...(overlay.frequency_cap && { caps: capsOf(overlay.frequency_cap) }),
    timeZone,
    packageId,
  }
}

function unsupported(productId: string, what: string, instead: string, field?: string): AdcpError {
  return new AdcpError('UNSUPPORTED_FEATURE', `the ad server of ${productId} has no ${what}; ${instead}`, {
    ...(field !== undefined && { field }),
  })
}
