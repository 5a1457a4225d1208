import { isObject } from '../../protocol/is-object.ts'
import { type KeptTargeting, orderedDimensions } from './overlay-support.ts'
import type { Product } from './product.ts'

/**
 * How buyers can bring their audiences to a product (AdCP 3.2, core/audience-activation-method.json): as it says itself, else by sync_audiences where
 * packages of it can be targeted by those audiences. Empty: they cannot.
 */
export function activationMethods(
  product: Product,
  keeps: KeptTargeting | undefined,
): readonly Readonly<Record<string, unknown>>[] {
  const { offer } = product
  const own = Object.getOwnPropertyDescriptor(offer, 'audience_activation')?.value
  const methods = isObject(own) && Array.isArray(own.methods) ? own.methods.filter(isObject) : []
  if (methods.length > 0) return methods
  return orderedDimensions(product, keeps).includes('audience_include') ? [{ pattern: 'sync_audiences' }] : []
}
