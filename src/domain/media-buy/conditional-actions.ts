import type { AvailableAction } from './available-actions.ts'

/** What decides whether an action of mode `conditional_self_serve` is done at once. Its schema is closed (core/media-buy-available-action.json): `ext.conditional_actions`. */
interface ConditionalActions {
  readonly actions: readonly string[]
  readonly condition: string
}

const CONDITION =
  'done at once, unless the order then has a size, a currency or a product that the sales team confirms: then the answer is "submitted" and nothing has changed yet'

/** The condition of the actions that are done at once or wait; undefined where none does. */
export function conditionalActions(available: readonly AvailableAction[]): ConditionalActions | undefined {
  const actions = available.flatMap(({ action, mode }) => (mode === 'conditional_self_serve' ? [action] : []))
  return actions.length > 0 ? { actions, condition: CONDITION } : undefined
}
