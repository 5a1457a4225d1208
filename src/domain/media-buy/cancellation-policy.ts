import { isObject } from '../../protocol/is-object.ts'
import type { Offer } from '../product/offer.ts'

/** What a product asks for when it is canceled (AdCP core/cancellation-policy.json). */
export type CancellationPolicy = NonNullable<Offer['cancellation_policy']>

/** The cancellation policy that the `ext` of a purchase or of an offer states: AdCP 3.2 media-buy/product-purchase.json and core/canonical-product.json have no member for it. Undefined for one without. */
export function statedPolicy(ext: unknown): CancellationPolicy | undefined {
  const policy: unknown = isObject(ext) ? Reflect.get(ext, 'cancellation_policy') : undefined
  return isPolicy(policy) ? policy : undefined
}

/** The `ext` of a purchase, with the seller's policy; what the buyer calls so is not agreed. */
export function withPolicy(own: unknown, policy: CancellationPolicy | undefined): { readonly ext?: object } {
  const { cancellation_policy: _claimed, ...kept }: Record<string, unknown> = isObject(own) ? { ...own } : {}
  const ext = { ...kept, ...(policy && { cancellation_policy: policy }) }
  return Object.keys(ext).length > 0 ? { ext } : {}
}

function isPolicy(value: unknown): value is CancellationPolicy {
  return isObject(value) && isObject(Reflect.get(value, 'notice_period')) && isObject(Reflect.get(value, 'cancellation_fee'))
}
