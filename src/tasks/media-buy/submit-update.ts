import type { UpdateMediaBuyRequest } from '@adcp/sdk/types'
import { manualProducts, totalBudgetMicros } from '../../domain/media-buy/create.ts'
import type { Package } from '../../domain/media-buy/media-buy.ts'
import { actionToApprove } from '../../domain/media-buy/require-actions.ts'
import { microsToAmount } from '../../domain/money.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { ENVELOPE_MEMBERS } from '../../protocol/envelope-members.ts'
import { answeredHold, type Held, heldByPolicy, newHold, submitForApproval } from '../approvals/hold.ts'
import type { UpdateDocument } from './change-approved.ts'
import type { PlannedUpdate } from './plan-update.ts'
import { orderSummary } from './submit-order.ts'

/**
 * Whether an update has to wait for a person: by a product's own rule for the change, or by the publisher's policy. By the policy a buyer stops, resumes and
 * chooses its ads without asking; the rules look at what makes an order bigger,
 * and at new dates and bids of the products that they name.
 */
export async function heldUpdate(
  request: UpdateMediaBuyRequest,
  context: AuthenticatedContext,
  { before, update, products }: PlannedUpdate,
): Promise<Held | undefined> {
  if (update.buy.revision === before.revision) return undefined
  const action = actionToApprove(before, request, products)
  if (action !== undefined)
    return (
      (await answeredHold(context, 'update_media_buy', request)) ??
      newHold(`${action} is confirmed by the sales team for this product`)
    )
  if (!changesTerms(request)) return undefined
  const [was, will] = [totalBudgetMicros(before), totalBudgetMicros(update.buy)]
  const weighed = update.buy.packages.filter((pkg) => growthOf(pkg, before.packages) > 0 || isRetimed(pkg, before.packages))
  return heldByPolicy(context, 'update_media_buy', request, {
    ...(will > was && { totalMicros: will }),
    productIds: weighed.map(({ productId }) => productId),
    manualProductIds: manualProducts(weighed, products),
  })
}

/** Records a held update as a submitted task; nothing changes before it is approved. */
export function submitUpdate(
  request: UpdateMediaBuyRequest,
  context: InTransaction<AuthenticatedContext>,
  held: Held,
  { before, update }: PlannedUpdate,
) {
  const { push_notification_config: _push, reporting_webhook: _reporting, ...kept } = request
  const document: UpdateDocument = { request: kept, planned: update.buy.packages }
  const summary = {
    media_buy_id: before.mediaBuyId,
    ...orderSummary(update.buy),
    budget_before: microsToAmount(totalBudgetMicros(before)),
    changes: update.buy.history.filter(({ revision }) => revision === update.buy.revision).map((entry) => entry.summary),
  }
  return submitForApproval(context, held, { taskType: 'update_media_buy', request, summary, document })
}

/** Fields that only stop, resume or choose among ads. */
const FREE = new Set([
  'package_id',
  'paused',
  'canceled',
  'cancellation_reason',
  'creative_assignments',
  'creatives',
  'context',
  'ext',
])
/** Members of the request that name the buy or the call and change no terms. */
const ENVELOPE = new Set([...ENVELOPE_MEMBERS, 'account', 'media_buy_id', 'revision', 'reporting_webhook'])

function changesTerms({ packages = [], ...request }: UpdateMediaBuyRequest): boolean {
  if (request.canceled) return false
  const names = [...Object.keys(request).filter((name) => !ENVELOPE.has(name)), ...packages.flatMap((pkg) => Object.keys(pkg))]
  return names.some((name) => !FREE.has(name))
}

function growthOf(pkg: Package, before: readonly Package[]): number {
  const old = before.find(({ packageId }) => packageId === pkg.packageId)
  return pkg.cancellation ? 0 : pkg.terms.budgetMicros - (old?.terms.budgetMicros ?? 0)
}

/** Whether a package that runs on got other dates or another price than it was approved with. */
function isRetimed({ packageId, cancellation, terms }: Package, before: readonly Package[]): boolean {
  const old = before.find((each) => each.packageId === packageId)?.terms
  const { startsAt, endsAt, rateMicros, bidMicros } = terms
  const isSame =
    old?.startsAt === startsAt && old.endsAt === endsAt && old.rateMicros === rateMicros && old.bidMicros === bidMicros
  return !cancellation && old !== undefined && !isSame
}
