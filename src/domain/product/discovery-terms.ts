import { AdcpError } from '../../protocol/errors.ts'
import { activationMethods } from './audience-activation.ts'
import { keepsHard } from './hard-targeting.ts'
import type { Offer } from './offer.ts'
import { ALLOWED_BY, type KeepsTargeting, orderedDimensions, overlaySupport, supportMeets } from './overlay-support.ts'
import type { Product } from './product.ts'
import type { ProductFilters } from './product-filters.ts'
import type { DiscoveryTerms, HeldTerms } from './product-question.ts'
import { checkProductTargeting, requireConsistent } from './targeting.ts'
import type { TargetingOverlay } from './targeting-overlay.ts'

/**
 * One test for each of the terms: a product has to pass all. No product takes terms of the whole media buy. Throws VALIDATION_ERROR for an overlay that
 * contradicts itself, UNSUPPORTED_FEATURE for a frequency cap of the whole media buy.
 */
export function discoveryTests(terms: HeldTerms, keepsOf: KeepsTargeting): ((product: Product) => boolean)[] {
  const { targeting_overlay: overlay, required_overlay_support: required, brief_targeting: hard } = terms
  if (terms.media_buy_frequency_cap) {
    const field = 'media_buy_frequency_cap'
    throw new AdcpError('UNSUPPORTED_FEATURE', `${field} is not supported: cap each package by targeting_overlay.frequency_cap`, {
      field,
    })
  }
  const tests: ((product: Product) => boolean)[] = []
  if (terms.required_media_buy_support) tests.push(() => false)
  if (required) tests.push((product) => supportMeets(overlaySupport(product, keepsOf(product.id)), required))
  if (overlay) {
    requireConsistent(overlay, 'targeting_overlay')
    tests.push((product) => takesOverlay(product, overlay, keepsOf))
  }
  if (hard) tests.push((product) => keepsHard(product, hard, keepsOf))
  return tests
}

/** What of the targeting that a question names none of some products takes, where it leaves nothing. Time grows with their number. */
export function overlayNotes(
  { targeting_overlay: overlay = {} }: HeldTerms,
  products: Iterable<Product>,
  keepsOf: KeepsTargeting,
): string[] {
  const missing = new Set(namesIn(overlay))
  for (const product of products) {
    if (missing.size === 0) return []
    for (const name of orderedDimensions(product, keepsOf(product.id))) missing.delete(name)
  }
  const names = [...missing].slice(0, MOST_NAMED)
  return names.length === 0 ? [] : [`No product can be targeted by ${names.join(', ')} (targeting_overlay), so none is listed.`]
}

/** More names are not said. */
const MOST_NAMED = 5

/** The dimensions of an overlay that narrow delivery. */
function namesIn(overlay: TargetingOverlay): string[] {
  return Object.entries(overlay).flatMap(([name, value]) =>
    name !== 'ext' && name !== 'context' && (!Array.isArray(value) || value.length > 0) ? [name] : [],
  )
}

/** Whether packages of a product can be targeted exactly so, as create_media_buy would judge it. */
function takesOverlay(product: Product, overlay: TargetingOverlay, keepsOf: KeepsTargeting): boolean {
  const keeps = keepsOf(product.id)
  const ordered = new Set(orderedDimensions(product, keeps))
  if (namesIn(overlay).some((name) => !ordered.has(name))) return false
  try {
    checkProductTargeting(product, overlay, 'targeting_overlay', keeps)
    return true
  } catch (error) {
    if (error instanceof AdcpError) return false
    throw error
  }
}

/** A question whose answer shows by what a product meets the terms. */
interface Asked extends DiscoveryTerms {
  readonly fields?: readonly string[] | undefined
  readonly filters?: ProductFilters | undefined
}

/**
 * A shown product with what the terms of a request are met by. Forecasts are those of the product as a whole, so a request for a part of its inventory gets
 * none (get_products, `targeting_overlay`).
 */
export function withTerms(shown: Offer, product: Product, asked: Asked, keepsOf: KeepsTargeting): Offer {
  const fields: readonly string[] = asked.fields ?? []
  const { forecast: _forecast, ...others } = shown
  const support = asked.required_overlay_support !== undefined || fields.includes('overlay_support')
  const activation = asked.filters?.audience_activation_methods !== undefined
  return {
    ...(asked.targeting_overlay ? others : shown),
    ...(support && shownSupport(product, keepsOf)),
    ...(activation && { audience_activation: { methods: activationMethods(product, keepsOf(product.id)) } }),
  }
}

/** The targeting of a product, and the members that its schema demands beside it. */
function shownSupport(product: Product, keepsOf: KeepsTargeting): object {
  const allowed = Object.values(ALLOWED_BY).filter((member) => product.offer[member] === true)
  return {
    ...Object.fromEntries(allowed.map((member) => [member, true])),
    overlay_support: overlaySupport(product, keepsOf(product.id)),
  }
}
