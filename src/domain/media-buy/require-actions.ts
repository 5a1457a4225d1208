import { AdcpError } from '../../protocol/errors.ts'
import type { PolicySource } from '../approval/policy.ts'
import type { AllowedAction } from '../product/allowed-action.ts'
import type { MediaBuyStatus } from '../product/media-buy-status.ts'
import type { Product } from '../product/product.ts'
import { availableActions, ruleFor } from './available-actions.ts'
import { actionModes } from './change-approval.ts'
import type { MediaBuy } from './media-buy.ts'
import type { OrderChange } from './order-request.ts'

/** The lists of allowed actions of a buy's products; none for a product that does not restrict its buys. */
export function allowedActionsOf(
  buy: MediaBuy,
  products: ReadonlyMap<string, { readonly offer: Pick<Product['offer'], 'allowed_actions'> }>,
): readonly (readonly AllowedAction[])[] {
  const ids = [...new Set(buy.packages.filter(({ cancellation }) => !cancellation).map(({ productId }) => productId))]
  return ids.flatMap((id) => {
    const list = products.get(id)?.offer.allowed_actions
    return list ? [list] : []
  })
}

/**
 * Holds an update to what the products of the buy allow (AdCP 3.1, ACTION_NOT_ALLOWED). Throws ACTION_NOT_ALLOWED with the action, the reason and what is
 * possible; nothing is refused where no product restricts its buys.
 */
export function requireActions(
  buy: MediaBuy,
  request: OrderChange,
  {
    status,
    products,
    policy,
    refusesWaiting = false,
  }: {
    readonly status: MediaBuyStatus
    readonly products: ReadonlyMap<string, Product>
    readonly policy: PolicySource
    /** Whether what a product allows by approval alone is refused, as official stories have it; else it waits for a person. */
    readonly refusesWaiting?: boolean
  },
): void {
  const allowed = allowedActionsOf(buy, products)
  if (allowed.length === 0) return
  const available = availableActions({ status, paused: buy.paused, modeOf: actionModes(buy, policy, products), allowed })
  const attempted = attemptedActions(buy, request)
  const waits = refusesWaiting ? actionToApprove(buy, request, products) : undefined
  const missing = attempted.find((action) => !available.some((each) => each.action === action)) ?? waits
  if (missing === undefined) return
  const anywhere = allowed.every((list) => list.some((each) => each.action === missing))
  const reason = !anywhere ? 'not_supported_on_product' : missing === waits ? 'mode_mismatch' : 'wrong_status'
  throw new AdcpError('ACTION_NOT_ALLOWED', `${missing} is not possible for this media buy now`, {
    // No wait and no other call makes a product allow what it does not (enums/error-code.json).
    ...(!anywhere && { recovery: 'terminal' }),
    details: {
      attempted_action: missing,
      reason,
      currently_available_actions: available,
    },
    suggestion: `possible now: ${available.map(({ action }) => action).join(', ') || 'nothing'}`,
  })
}

/** The action of a request that a product of the buy allows by a person's approval alone (`requires_approval` is its first mode); undefined without one. */
export function actionToApprove(buy: MediaBuy, request: OrderChange, products: ReadonlyMap<string, Product>): string | undefined {
  const allowed = allowedActionsOf(buy, products)
  return attemptedActions(buy, request).find((action) =>
    allowed.some((list) => ruleFor(list, action)?.modes[0] === 'requires_approval'),
  )
}

/** The actions that a request amounts to, by comparing it with the buy as it is (AdCP update_media_buy, "Actions"). */
function attemptedActions(buy: MediaBuy, request: OrderChange): readonly string[] {
  const { canceled, paused, end_time: end, start_time: start, new_packages: added, packages = [] } = request
  const actions: string[] = []
  if (canceled) actions.push('cancel')
  if (paused !== undefined && paused !== buy.paused) actions.push(paused ? 'pause' : 'resume')
  if (end !== undefined && end !== buy.endsAt)
    actions.push(Date.parse(end) > Date.parse(buy.endsAt) ? 'extend_flight' : 'shorten_flight')
  if (start !== undefined && start !== buy.startsAt) actions.push('update_flight_dates')
  if (added?.length) actions.push('add_packages')
  for (const update of packages) {
    const budget = buy.packages.find(({ packageId }) => packageId === update.package_id)?.terms.budgetMicros
    if (update.budget !== undefined && budget !== undefined && update.budget * 1e6 !== budget)
      actions.push(update.budget * 1e6 > budget ? 'increase_budget' : 'decrease_budget')
    if (update.canceled) actions.push('remove_packages')
    if (update.targeting_overlay) actions.push('update_targeting')
    if (update.pacing) actions.push('update_pacing')
    if (update.creative_assignments) actions.push('update_creative_assignments')
    if (update.creatives) actions.push('replace_creative')
  }
  return actions
}
