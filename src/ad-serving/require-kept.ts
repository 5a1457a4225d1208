import type { LineSettings } from '../domain/ad-serving/desired-order.ts'
import { unkeepable } from '../domain/ad-serving/unkeepable.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { AdServerBackend } from './backend.ts'

/**
 * Throws an AdcpError, UNSUPPORTED_FEATURE with the field, for a line that a reconciled ad server cannot keep, and says what it keeps instead. Makes no
 * call. The one judge of it: for orders of buyers before a person approves them and when they are booked, and for products.
 */
export function requireKept(backend: Pick<AdServerBackend, 'capabilities' | 'requireKeepable'>, settings: LineSettings): void {
  const [first] = unkeepable(settings, backend.capabilities)
  if (first) {
    const message = `the ad server of ${settings.productId} cannot keep ${first.message}; leave ${first.field} out or choose another product`
    throw new AdcpError('UNSUPPORTED_FEATURE', message, { field: first.field })
  }
  backend.requireKeepable?.(settings)
}
