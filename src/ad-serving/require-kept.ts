import { setTimeout as sleep } from 'node:timers/promises'
import type { LineSettings } from '../domain/ad-serving/desired-order.ts'
import { UNCAPPED, type Unkeepable, unkeepable } from '../domain/ad-serving/unkeepable.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { LineOrder } from './ad-server.ts'
import type { AdServerBackend } from './backend.ts'

/**
 * Throws an AdcpError, UNSUPPORTED_FEATURE with the field, for a line that a reconciled ad server cannot keep, and says what it keeps instead. Makes no
 * call. The one judge of it: for orders of buyers before a person approves them and when they are booked, and for products.
 */
export function requireKept(backend: Pick<AdServerBackend, 'capabilities' | 'requireKeepable'>, settings: LineSettings): void {
  const [first] = unkeepable(settings, backend.capabilities)
  if (first) throw refusalOf(settings.productId, first)
  backend.requireKeepable?.(settings)
}

/** Throws the same for lines with a limit by the day, which an ad server that is not reconciled is not asked to keep. */
export function requireUncapped(lines: readonly LineOrder[]): void {
  for (const { productId, terms } of lines) if (terms.dailyCap) throw refusalOf(productId, UNCAPPED(terms.dailyCap))
}

function refusalOf(productId: string, { field, message }: Unkeepable): AdcpError {
  const text = `the ad server of ${productId} cannot keep ${message}; leave ${field} out or choose another product`
  return new AdcpError('UNSUPPORTED_FEATURE', text, { field })
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
