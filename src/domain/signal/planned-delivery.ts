import type { Signal, SignalPrice } from './signal.ts'
import { type SignalId, signalIdOf } from './signal-id.ts'

/** People who are meant: by a signal and its values. */
type AudienceSelector = { type: 'signal'; signal_id: SignalId } & (
  | { value_type: 'binary'; value: boolean }
  | { value_type: 'categorical'; values: string[] }
  | { value_type: 'numeric'; min_value?: number; max_value?: number }
)

/** What an activation would really do (AdCP core/planned-delivery.json). */
interface ActivationDelivery {
  audience_summary: string
  audience_targeting: AudienceSelector[]
  /** Major units of `currency`. */
  total_budget?: number
  currency?: string
}

/**
 * What an activation commits to, as governance agents judge it (AdCP core/planned-delivery): the audience, and the fee where one is fixed. What
 * is charged by use is not known before it is used, and neither are the places. While no price is chosen, the dearest counts.
 */
export function activationDelivery(signal: Signal, prices: readonly SignalPrice[], agentUrl: string): ActivationDelivery {
  const [dearest] = prices.flatMap((price) => (price.model === 'flat_fee' ? [price] : [])).toSorted((a, b) => b.amount - a.amount)
  const { document } = signal
  return {
    audience_summary: document.name,
    audience_targeting: [selectorOf(signal, agentUrl)],
    ...(dearest && { total_budget: dearest.amount, currency: dearest.currency }),
  }
}

/** The whole signal: which of its values are targeted is decided where it is used. */
function selectorOf(signal: Signal, agentUrl: string): AudienceSelector {
  const { value_type: valueType, categories = [], range } = signal.document
  const selector = { type: 'signal', signal_id: signalIdOf(signal, agentUrl) } as const
  if (valueType === 'categorical') return { ...selector, value_type: 'categorical', values: [...categories] }
  if (valueType === 'numeric')
    return { ...selector, value_type: 'numeric', ...(range && { min_value: range.min, max_value: range.max }) }
  return { ...selector, value_type: 'binary', value: true }
}
