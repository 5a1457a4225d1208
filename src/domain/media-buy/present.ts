import { microsToAmount } from '../money.ts'
import { shownConditions } from './approval-conditions.ts'
import { cancellationTerms } from './cancellation-terms.ts'
import { conditionalActions } from './conditional-actions.ts'
import { totalBudgetMicros } from './create.ts'
import { firstCreativeDeadline } from './creative-deadline.ts'
import { impairmentsOf } from './impairments.ts'
import { presentMakeGood } from './make-good.ts'
import type { CreativeFacts, MediaBuy } from './media-buy.ts'
import { missingCreatives } from './missing-creatives.ts'
import { isPausedAhead } from './paused-ahead.ts'
import { presentSharedCap } from './present-cap.ts'
import { compactActions } from './present-commitment.ts'
import { type PackageOptions, presentCancellation, presentPackage, presentPackageStatus } from './present-package.ts'
import { type ActionRules, availableNow, presentState } from './present-state.ts'
import type { CreatedMediaBuy, ListedMediaBuy, UpdatedMediaBuy } from './shown-buy.ts'

/** The sum of an order: members of the answers of create and update since 3.1, which the open answers of 3.0 have too; and, in 3.2, how all of it is bid for and what it costs a day. */
function presentSum(buy: MediaBuy) {
  return {
    currency: buy.currency,
    total_budget: microsToAmount(totalBudgetMicros(buy)),
    ...(buy.bidding && { bidding: buy.bidding }),
    ...presentSharedCap(buy),
  }
}

export interface CreatedOptions<Account> {
  readonly creatives: CreativeFacts
  readonly now: Date
  /** As answers show it; undefined where this one does not. */
  readonly account: Account | undefined
  /** Whether the buyer is a sandbox agent, or the account a sandbox account. */
  readonly sandbox: boolean
  readonly idempotencyKey: string
  readonly rules?: ActionRules | undefined
}

/** Answer of create_media_buy; the key is echoed so that the buyer can tie a replay to its request. */
export function presentCreated<Account>(
  buy: MediaBuy,
  { creatives, now, account, sandbox, idempotencyKey, rules }: CreatedOptions<Account>,
): CreatedMediaBuy & { account?: Account } {
  return {
    ...presentState(buy, creatives, now, rules),
    ...presentSum(buy),
    ...{ idempotency_key: idempotencyKey },
    ...(buy.confirmedAt !== undefined && { confirmed_at: buy.confirmedAt }),
    ...firstDeadlineOf(buy),
    ...(account && { account }),
    ...(sandbox && { sandbox }),
    ...(buy.name !== undefined && { name: buy.name }),
    ...(buy.invoiceRecipient && { invoice_recipient: buy.invoiceRecipient }),
    packages: buy.packages.map((pkg) => presentPackage(pkg, creatives.get(pkg.packageId) ?? [])),
    ...extOf(buy, { now, creatives, rules }, undefined),
  }
}

export interface UpdatedOptions {
  readonly creatives: CreativeFacts
  readonly now: Date
  /** Ids of the packages to show. */
  readonly affected: readonly string[]
  readonly sandbox: boolean
  readonly rules?: ActionRules | undefined
}

/** Answer of update_media_buy. Changes are effective at once. */
export function presentUpdated(buy: MediaBuy, { creatives, now, affected, sandbox, rules }: UpdatedOptions): UpdatedMediaBuy {
  return {
    ...presentState(buy, creatives, now, rules),
    ...presentSum(buy),
    implementation_date: now.toISOString(),
    ...(buy.name !== undefined && { name: buy.name }),
    ...(buy.invoiceRecipient && { invoice_recipient: buy.invoiceRecipient }),
    ...(sandbox && { sandbox }),
    affected_packages: buy.packages
      .filter((pkg) => affected.includes(pkg.packageId))
      .map((pkg) => presentPackage(pkg, creatives.get(pkg.packageId) ?? [])),
    ...extOf(buy, { now, creatives, rules }, undefined),
  }
}

/** The buyer's own `ext`, with a pause that the status does not show, the cancellation terms, the changes that may wait, the creatives that are missing, and what is offered for packages that fell short. */
function extOf(
  buy: MediaBuy,
  { now, creatives, rules }: Pick<UpdatedOptions, 'now' | 'creatives' | 'rules'>,
  own: MediaBuy['ext'],
) {
  const [terms, missing] = [cancellationTerms(buy, now), missingCreatives(buy, creatives, now)]
  const available = availableNow(buy, creatives, now, rules)
  const conditions = conditionalActions(buy.accepted ? compactActions(available) : available)
  const offers = (buy.makeGoods ?? []).map((each) => presentMakeGood(each, buy.currency, now))
  const ext = {
    ...own,
    ...(isPausedAhead(buy, creatives, now) && { paused: true }),
    ...shownConditions(buy),
    ...(terms.length > 0 && { terms }),
    ...(conditions && { conditional_actions: conditions }),
    ...(missing.length > 0 && { missing_creatives: missing }),
    ...(offers.length > 0 && { make_goods: offers }),
  }
  return (own || Object.keys(ext).length > 0) && { ext }
}

export interface ListedOptions extends PackageOptions {
  readonly now: Date
  /** Number of history entries to show, newest first. */
  readonly history: number
  readonly rules?: ActionRules | undefined
}

/** A media buy of get_media_buys (get-media-buys-response, `media_buys[]`). */
export function presentMediaBuy(buy: MediaBuy, options: ListedOptions): ListedMediaBuy {
  const history = [...buy.history].reverse().slice(0, options.history)
  const state = presentState(buy, options.creatives, options.now, options.rules)
  const impairments = impairmentsOf(buy, state.status, options.creatives)
  return {
    ...state,
    ...(impairments.length > 0 && { health: 'impaired', impairments }),
    ...presentSum(buy),
    start_time: buy.startsAt,
    end_time: buy.endsAt,
    ...(buy.confirmedAt !== undefined && { confirmed_at: buy.confirmedAt }),
    ...firstDeadlineOf(buy),
    ...(options.whole && { created_at: buy.createdAt, updated_at: buy.updatedAt }),
    ...(buy.cancellation && { cancellation: presentCancellation(buy.cancellation) }),
    ...(buy.rejection?.reason !== undefined && { rejection_reason: buy.rejection.reason }),
    ...(buy.name !== undefined && { name: buy.name }),
    ...(buy.invoiceRecipient && { invoice_recipient: buy.invoiceRecipient }),
    ...(options.history > 0 && {
      history: history.map(({ at, packageId, person: _person, ...entry }) => ({
        ...entry,
        timestamp: at,
        ...(packageId !== undefined && { package_id: packageId }),
      })),
    }),
    packages: buy.packages.map((pkg) => presentPackageStatus(pkg, buy, options)),
    ...(options.whole && buy.context && { context: buy.context }),
    ...(options.whole || buy.cancellation || buy.makeGoods || buy.paused || buy.approvalConditions
      ? extOf(buy, options, buy.ext)
      : buy.ext && { ext: buy.ext }),
  }
}

function firstDeadlineOf(buy: MediaBuy) {
  const creative_deadline = firstCreativeDeadline(buy)
  return creative_deadline !== undefined && { creative_deadline }
}
