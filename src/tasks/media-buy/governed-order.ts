import { totalBudgetMicros } from '../../domain/media-buy/create.ts'
import { requestWithListTokens } from '../../domain/media-buy/list-tokens.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { altersCommitment, plannedDelivery } from '../../domain/media-buy/planned-delivery.ts'
import { microsToAmount } from '../../domain/money.ts'
import { type Governed, presentGovernance, type SpendCommitment } from '../../features/governance/governance.ts'

/** The commitment of a new media buy. */
export function orderCommitment(request: object, buy: MediaBuy): SpendCommitment {
  return { ...commonOf(request, buy), tool: 'create_media_buy', phase: 'purchase' }
}

/** The commitment of a change; undefined where it commits nothing more and nothing else. */
export function changeCommitment(request: object, before: MediaBuy, after: MediaBuy): SpendCommitment | undefined {
  if (!altersCommitment(before, after)) return undefined
  const changes = after.history.filter(({ revision }) => revision === after.revision)
  const budgets = [before, after].map((buy) => microsToAmount(totalBudgetMicros(buy)))
  const summary = `${changes.map((entry) => entry.summary).join('; ')}; total budget ${budgets.join(' → ')} ${after.currency}`
  return {
    ...commonOf(request, after),
    tool: 'update_media_buy',
    phase: 'modification',
    summary,
  }
}

function commonOf(request: object, buy: MediaBuy) {
  return {
    purchaseType: 'media_buy' as const,
    // Who governs the buyer's money has no use for the credentials of lists.
    request: requestWithListTokens(request, () => undefined),
    planId: buy.planId,
    brandDomain: buy.brand.domain,
    plannedDelivery: plannedDelivery(buy),
    resourceId: buy.mediaBuyId,
    ...(buy.invoiceRecipient && { invoiceRecipient: buy.invoiceRecipient }),
  }
}

/**
 * An answer about a media buy with its governance: what will be delivered (create-media-buy-response.json: present when the account is governed),
 * the token, conditions and findings.
 */
export function withGovernance<T extends object>(answer: T, buy: MediaBuy, governed: Governed | undefined): T {
  if (!governed || governed.approvals.length === 0) return answer
  const { ext, ...envelope } = presentGovernance(governed)
  const own: unknown = Reflect.get(answer, 'ext')
  return {
    ...answer,
    planned_delivery: plannedDelivery(buy),
    ...envelope,
    ext: { ...(typeof own === 'object' ? own : {}), ...ext },
  }
}

/** An answer of a closed schema: what others have at their root beside it is in its `ext`. */
export function underExt(answer: object, members: object): object {
  const { ext: own, ...rest }: { readonly ext?: unknown } & object = members
  const ext: unknown = Reflect.get(answer, 'ext')
  const all = { ...objectOf(ext), ...rest, ...objectOf(own) }
  return Object.keys(all).length === 0 ? answer : { ...answer, ext: all }
}

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}
