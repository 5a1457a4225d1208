/** A signal that buyers of a product may choose (AdCP 3.1, core/product-signal-targeting-option.json). */
export interface SignalOption {
  readonly signal_ref: object
  readonly allowed_targeting_modes?: readonly ('include' | 'exclude')[]
  readonly default_selected?: boolean
  readonly selection_group?: string
  /** What it costs beside the product; absent: nothing. */
  readonly pricing_options?: readonly { readonly currency?: string }[]
}

/** Which signals have to be chosen (AdCP 3.1, core/signal-selection-group-rule.json). */
interface SignalSelection {
  readonly selection_mode?: 'optional' | 'required' | 'fixed' | undefined
  readonly min_selected_signals?: number
}

/** How signals of a product may be combined (AdCP 3.1, core/signal-targeting-rules.json). */
export interface SignalRules extends SignalSelection {
  readonly max_signal_targeting_groups?: number
  readonly max_signals_per_targeting_group?: number
  readonly selection_group_rules?: readonly (SignalSelection & { readonly selection_group: string })[]
}
