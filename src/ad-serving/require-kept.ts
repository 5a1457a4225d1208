import { setTimeout as sleep } from 'node:timers/promises'
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

/** The longest that a buyer waits for what the ad server says of a line; an order that it cannot be asked about now stands. */
const ASKED_MS = 5_000

/** Throws an AdcpError for what a reconciled ad server says that it does not have of what a line is targeted by. */
export async function requireKnown(backend: Pick<AdServerBackend, 'requireKnown'>, settings: LineSettings): Promise<void> {
  if (!backend.requireKnown || settings.targeting === null) return
  const asked = backend.requireKnown(settings).then(
    () => undefined,
    (error: unknown) => (error instanceof AdcpError && error.code === 'UNSUPPORTED_FEATURE' ? error : undefined),
  )
  const refusal = await Promise.race([asked, sleep(ASKED_MS, undefined, { ref: false })])
  if (refusal) throw refusal
}
