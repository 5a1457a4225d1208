import type { Offer } from './offer.ts'
import type { SignalOption } from './signal-option.ts'

/**
 * Whether the signals that come with a product whatever its buyer chooses can be paid in one of these currencies, or cost nothing more (AdCP 3.1
 * core/product-filters.json, `pricing_currencies`). Without the options listed nothing is known to be mandatory.
 */
export function signalsPayableIn(
  { signal_targeting_options: options = [], signal_targeting_rules: rules = {} }: Offer,
  currencies: ReadonlySet<string>,
): boolean {
  if (options.length === 0) return true
  const groups = rules.selection_group_rules ?? []
  const grouped = new Set(groups.map(({ selection_group }) => selection_group))
  return [
    { rule: rules, members: options.filter(({ selection_group: own }) => own === undefined || !grouped.has(own)) },
    ...groups.map((rule) => ({
      rule: { ...rule, selection_mode: rule.selection_mode ?? rules.selection_mode },
      members: options.filter(({ selection_group: own }) => own === rule.selection_group),
    })),
  ].every(({ rule: { selection_mode: mode, min_selected_signals: least = 1 }, members }) => {
    const isPayable = (option: SignalOption) => payableIn(option, currencies)
    if (mode === 'fixed') return members.filter((option) => option.default_selected === true).every(isPayable)
    return mode !== 'required' || members.filter(isPayable).length >= Math.min(least, members.length)
  })
}

/** A price without a currency is none that can be paid. */
function payableIn({ pricing_options: prices = [] }: SignalOption, currencies: ReadonlySet<string>): boolean {
  return prices.length === 0 || prices.some(({ currency }) => currency !== undefined && currencies.has(currency))
}
