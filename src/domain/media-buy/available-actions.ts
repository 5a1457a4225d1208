import type { ActionMode, AllowedAction } from '../product/allowed-action.ts'
import type { MediaBuyStatus } from '../product/media-buy-status.ts'
import { isTerminal } from './lifecycle.ts'

/** A change that is possible now (AdCP 3.1, core/media-buy-available-action.json). */
export interface AvailableAction {
  readonly action: string
  readonly mode: ActionMode
  readonly sla?: object
  readonly terms_ref?: string
}

/** What update_media_buy carries out, as enums/media-buy-valid-action.json of 3.1 names it. */
const ACTIONS = [
  'cancel',
  'extend_flight',
  'shorten_flight',
  'update_flight_dates',
  'increase_budget',
  'decrease_budget',
  'reallocate_budget',
  'update_targeting',
  'update_pacing',
  'update_frequency_caps',
  'replace_creative',
  'update_creative_assignments',
  'remove_creative',
  'add_packages',
  'remove_packages',
]

/** The coarse names of 3.0 for the finer ones of 3.1 (enums/media-buy-valid-action.json, `rollup`). */
const COARSE: Readonly<Record<string, string>> = {
  extend_flight: 'update_dates',
  shorten_flight: 'update_dates',
  update_flight_dates: 'update_dates',
  increase_budget: 'update_budget',
  decrease_budget: 'update_budget',
  reallocate_budget: 'update_budget',
  update_targeting: 'update_packages',
  update_pacing: 'update_packages',
  update_frequency_caps: 'update_packages',
  remove_packages: 'update_packages',
  replace_creative: 'sync_creatives',
  update_creative_assignments: 'sync_creatives',
  remove_creative: 'sync_creatives',
}

export interface ActionContext {
  readonly status: MediaBuyStatus
  readonly paused: boolean
  /** How the publisher's policy has a change carried out. */
  readonly modeOf: (action: string) => ActionMode
  /** Actions that no package of the buy can have, whatever its products allow. */
  readonly without?: readonly string[]
  /** What the products of the buy's packages allow, for each that says so. */
  readonly allowed: readonly (readonly AllowedAction[])[]
}

/** The changes that are possible now: what every product of the buy allows, in the strictest mode that any of them asks for. */
export function availableActions({ status, paused, modeOf, without = [], allowed }: ActionContext): AvailableAction[] {
  if (isTerminal(status)) return []
  return [paused ? 'resume' : 'pause', ...ACTIONS].flatMap((action) => {
    const rules = allowed.map((list) => ruleFor(list, action, status))
    if (rules.includes(undefined) || without.includes(action)) return []
    const modes = [modeOf(action), ...rules.flatMap((rule) => rule?.modes[0] ?? [])]
    const [rule] = rules
    return [
      {
        action,
        mode: strictest(modes),
        ...(rule?.sla && { sla: rule.sla }),
        ...(rule?.terms_ref !== undefined && { terms_ref: rule.terms_ref }),
      },
    ]
  })
}

/** What a product says of an action, by its own name or by its coarse one; undefined where it does not allow it, in a status that is given. */
export function ruleFor(list: readonly AllowedAction[], action: string, status?: MediaBuyStatus): AllowedAction | undefined {
  const named = list.find((each) => each.action === action) ?? list.find((each) => each.action === COARSE[action])
  return status !== undefined && named?.allowed_statuses?.includes(status) === false ? undefined : named
}

const BY_STRICTNESS: readonly ActionMode[] = ['requires_approval', 'conditional_self_serve', 'self_serve']

function strictest(modes: readonly ActionMode[]): ActionMode {
  return BY_STRICTNESS.find((mode) => modes.includes(mode)) ?? 'self_serve'
}
