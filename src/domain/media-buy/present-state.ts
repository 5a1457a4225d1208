import type { ReleaseRules } from '../../protocol/release-rules.ts'
import type { PolicySource } from '../approval/policy.ts'
import { takesOf } from '../product/overlay-support.ts'
import type { Product } from '../product/product.ts'
import { type AvailableAction, availableActions } from './available-actions.ts'
import { actionModes } from './change-approval.ts'
import { shownStatus, validActions } from './lifecycle.ts'
import type { CreativeFacts, MediaBuy } from './media-buy.ts'
import { allowedActionsOf } from './require-actions.ts'
import type { ShownState } from './shown-buy.ts'
import { isOfOneFlight } from './update-flight.ts'

/** What decides which changes an answer lists for callers of later releases; absent: those of 3.0 alone are listed. */
export interface ActionRules {
  readonly policy: PolicySource
  readonly products: ReadonlyMap<string, Product>
}

/** What every answer about one media buy says of its state. `shows`: the release speaks of health. */
export function presentState(
  buy: MediaBuy,
  creatives: CreativeFacts,
  now: Date,
  rules: ActionRules | undefined,
  shows: Pick<ReleaseRules, 'health'> = rules ? { health: true } : {},
): ShownState {
  const status = shownStatus(buy, creatives, now, shows)
  const { paused } = buy
  const available = rules && {
    available_actions: availableActions({
      status,
      paused,
      modeOf: actionModes(buy, rules.policy, rules.products),
      without: [
        ...(takesCaps(buy, rules.products) ? [] : ['update_frequency_caps']),
        ...(buy.packages.every((pkg) => pkg.cancellation !== undefined || isOfOneFlight(pkg)) ? ['extend_flight'] : []),
      ],
      allowed: allowedActionsOf(buy, rules.products),
    }),
  }
  return {
    media_buy_id: buy.mediaBuyId,
    status,
    revision: buy.revision,
    valid_actions: validActions(status, paused),
    ...available,
  }
}

/** Whether a package that is not canceled can have a frequency cap; a package whose product is no longer known counts as one that can. */
function takesCaps({ packages }: MediaBuy, products: ReadonlyMap<string, Product>): boolean {
  const takes = takesOf()
  const live = packages.filter(({ cancellation }) => cancellation === undefined)
  return live.some(({ productId, targetingOverlay }) => {
    const product = products.get(productId)
    return product === undefined || targetingOverlay?.frequency_cap !== undefined || takes(product, 'frequency_cap')
  })
}

/** The changes of a buy that are possible now; none where the answer's release does not name them. */
export function availableNow(
  buy: MediaBuy,
  creatives: CreativeFacts,
  now: Date,
  rules: ActionRules | undefined,
): readonly AvailableAction[] {
  return presentState(buy, creatives, now, rules).available_actions ?? []
}
