import { isObject } from '../../protocol/is-object.ts'
import type { Product } from './product.ts'

/**
 * How buyers can bring their audiences to a product (AdCP 3.2, core/audience-activation-method.json): as it says itself, else by sync_audiences, whose
 * audiences every product takes.
 */
export function activationMethods({ offer }: Product): readonly Readonly<Record<string, unknown>>[] {
  const own = Object.getOwnPropertyDescriptor(offer, 'audience_activation')?.value
  const methods = isObject(own) && Array.isArray(own.methods) ? own.methods.filter(isObject) : []
  return methods.length > 0 ? methods : [{ pattern: 'sync_audiences' }]
}
