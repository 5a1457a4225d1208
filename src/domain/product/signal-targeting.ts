import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Product } from './product.ts'

/** The member of a targeting overlay by which a buyer chooses among the signals of a product (AdCP 3.1, core/package-signal-targeting-groups.json). */
export const SIGNAL_GROUPS = 'signal_targeting_groups'

/** Whether a product lets its buyers choose signals. */
export function takesSignals({ offer }: Product): boolean {
  return offer.signal_targeting_allowed === true
}

/** A signal that an overlay chooses, with the path of its reference. */
export interface ChosenSignal {
  readonly reference: unknown
  readonly field: string
}

/** The signals that an overlay chooses for a product which lists none: any that get_signals offers. Linear in the signals. */
export function unlistedSignals({ offer }: Product, overlay: object, path: string): readonly ChosenSignal[] {
  if (offer.signal_targeting_options !== undefined) return []
  const { [SIGNAL_GROUPS]: wanted }: { [SIGNAL_GROUPS]?: unknown } = overlay
  const groups = isObject(wanted) && Array.isArray(wanted.groups) ? wanted.groups.filter(isObject) : []
  return groups.flatMap(({ signals }, index) =>
    (Array.isArray(signals) ? signals.filter(isObject) : []).map(({ signal_ref: reference }, position) => ({
      reference,
      field: `${path}.${SIGNAL_GROUPS}.groups[${index}].signals[${position}].signal_ref`,
    })),
  )
}

/**
 * The refusal of a signal that a package cannot be targeted by: INVALID_REQUEST for one of the product's own that it does not list, SIGNAL_NOT_FOUND for one of a
 * catalog or another agent, whether or not it exists.
 */
export function unknownSignal({ reference, field }: ChosenSignal, productId: string): AdcpError {
  const code = isObject(reference) && reference.scope === 'product' ? 'INVALID_REQUEST' : 'SIGNAL_NOT_FOUND'
  return new AdcpError(code, `${field} is no signal that ${productId} can be targeted by`, { field })
}

/**
 * Checks the signals that an overlay chooses against those that the product lists; of one that lists none see {@link unlistedSignals}. Throws
 * {@link unknownSignal} for one that it does not list, VALIDATION_ERROR for one that it lists for the other use or for more groups and signals than its rules
 * allow. Linear in the signals.
 */
export function checkSignals({ offer }: Product, overlay: object, path: string): void {
  const { [SIGNAL_GROUPS]: wanted }: { [SIGNAL_GROUPS]?: unknown } = overlay
  if (!isObject(wanted) || !Array.isArray(wanted.groups)) return
  const at = `${path}.${SIGNAL_GROUPS}.groups`
  const options = new Map((offer.signal_targeting_options ?? []).map((option) => [keyOf(option.signal_ref), option]))
  const { max_signal_targeting_groups: mostGroups, max_signals_per_targeting_group: mostSignals } =
    offer.signal_targeting_rules ?? {}
  requireAtMost(wanted.groups.length, mostGroups, at)
  for (const [index, group] of wanted.groups.entries()) {
    if (!isObject(group) || !Array.isArray(group.signals)) continue
    requireAtMost(group.signals.length, mostSignals, `${at}[${index}].signals`)
    const mode = group.operator === 'none' ? 'exclude' : 'include'
    for (const [position, signal] of group.signals.entries()) {
      const field = `${at}[${index}].signals[${position}].signal_ref`
      const option = options.get(keyOf(isObject(signal) ? signal.signal_ref : undefined))
      if (!option && offer.signal_targeting_options === undefined) continue
      if (!option) throw unknownSignal({ reference: isObject(signal) ? signal.signal_ref : undefined, field }, offer.product_id)
      if ((option.allowed_targeting_modes ?? ['include']).includes(mode)) continue
      throw new AdcpError('VALIDATION_ERROR', `${field} cannot be used to ${mode} with ${offer.product_id}`, { field })
    }
  }
}

function requireAtMost(count: number, most: number | undefined, field: string): void {
  if (most !== undefined && count > most)
    throw new AdcpError('VALIDATION_ERROR', `${field} must have at most ${most} entries`, { field })
}

/** What identifies a signal (core/signal-ref.json); text that no reference has, for anything else. */
function keyOf(reference: unknown): string {
  if (!isObject(reference)) return ''
  const { scope, signal_id: id, data_provider_domain: provider, signal_source_url: source } = reference
  return JSON.stringify([scope, id, provider ?? source ?? null])
}
