import type { AvailableAction } from './available-actions.ts'
import type { Accepted } from './commercial-terms.ts'
import type { MediaBuy } from './media-buy.ts'

/** The task of the compact lifecycle by which a change is made (AdCP 3.2 core/canonical-media-buy-action.json); a change that none makes is not named. */
const TASKS: Readonly<Record<string, string>> = {
  pause: 'control_media_buy',
  resume: 'control_media_buy',
  cancel: 'control_media_buy',
  increase_budget: 'control_media_buy',
  decrease_budget: 'control_media_buy',
  reallocate_budget: 'control_media_buy',
  update_targeting: 'control_media_buy',
  update_pacing: 'control_media_buy',
  update_frequency_caps: 'control_media_buy',
  remove_packages: 'control_media_buy',
  replace_creative: 'sync_creatives',
  update_creative_assignments: 'sync_creatives',
  remove_creative: 'sync_creatives',
}

export interface CompactAction extends AvailableAction {
  readonly task: string
}

/** The changes that are possible now, each with the task that makes it. */
export function compactActions(actions: readonly AvailableAction[]): CompactAction[] {
  return actions.flatMap((action) => {
    const task = TASKS[action.action]
    return task === undefined ? [] : [{ task, ...action }]
  })
}

/** Accepted terms as a buyer reads them (AdCP 3.2 core/canonical-proposal.json). */
export function presentAccepted({ mediaBuyId }: Pick<MediaBuy, 'mediaBuyId'>, accepted: Accepted) {
  const { proposalId, parentId, name, acceptedAt, terms, digest } = accepted
  return {
    proposal_id: proposalId,
    proposal_kind: 'new_media_buy',
    ...(parentId !== undefined && { parent_proposal_id: parentId }),
    media_buy_id: mediaBuyId,
    proposal_status: 'accepted',
    accepted_at: acceptedAt,
    name,
    commercial_terms: terms,
    terms_digest: digest,
  }
}

/** What get_media_buys says of the terms that a buy was accepted on; nothing for a buy of the established tasks. */
export function acceptedMembers(buy: MediaBuy, actions: readonly AvailableAction[]) {
  const { accepted } = buy
  return (
    accepted && {
      available_actions: compactActions(actions),
      accepted_proposal_id: accepted.proposalId,
      accepted_proposal_terms_digest: accepted.digest,
      accepted_proposal: presentAccepted(buy, accepted),
    }
  )
}

export interface CommitmentState {
  readonly status: string
  readonly actions: readonly AvailableAction[]
  readonly ext: object | undefined
}

export interface Controlled {
  readonly status: string
  readonly actions: readonly AvailableAction[]
  readonly affected: readonly string[]
  readonly ext: object | undefined
}

/** The answer to a control (AdCP 3.2 media-buy/control-media-buy-response.json). Changes are effective at once. */
export function presentControlled(buy: MediaBuy, { status, actions, affected, ext }: Controlled, now: Date) {
  return {
    status: 'completed',
    media_buy_id: buy.mediaBuyId,
    revision: buy.revision,
    media_buy_status: status,
    implementation_date: now.toISOString(),
    affected_package_ids: [...affected],
    available_actions: compactActions(actions),
    ...(ext && { ext }),
  }
}

/** The answer to a purchase (AdCP 3.2 media-buy/media-buy-commitment-response.json). */
export function presentCommitment(buy: MediaBuy, accepted: Accepted, { status, actions, ext }: CommitmentState) {
  return {
    status: 'completed',
    media_buy_id: buy.mediaBuyId,
    ...(buy.name !== undefined && { name: buy.name }),
    revision: buy.revision,
    media_buy_status: status,
    confirmed_at: buy.confirmedAt ?? null,
    accepted_proposal: presentAccepted(buy, accepted),
    purchase_bindings: buy.packages.map(({ packageId, productId }, index) => ({
      purchase_index: index,
      product_id: productId,
      package_id: packageId,
    })),
    available_actions: compactActions(actions),
    ...(ext && { ext }),
  }
}
