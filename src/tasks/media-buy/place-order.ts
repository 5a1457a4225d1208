import { aheadNote } from '../../domain/media-buy/cancellation-ahead.ts'
import { unconfirmed } from '../../domain/media-buy/confirm.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { unreportedNote } from '../../domain/media-buy/reporting-webhook.ts'
import type { Negotiated } from '../../domain/proposal/negotiated.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { requireAvailability } from './availability.ts'
import { approvingAdServers, submitToAdServers } from './await-ad-server.ts'
import { orderCommitment } from './governed-order.ts'
import { acceptOnce, heldFor } from './held-proposals.ts'
import { withSealedLists } from './named-lists.ts'
import { ofProposal } from './of-proposal.ts'
import type { PreparedOrder } from './order-isolation.ts'
import { adServerOf, lineOrders, requireKeepable, withBooking } from './orders.ts'
import type { PlacedOrder } from './placed-order.ts'
import { type PlannedOrder, planOrder } from './plan-order.ts'
import { recordOrder } from './record-order.ts'
import { heldOrder, submitOrder } from './submit-order.ts'
import { prepareUploads, uploadCreatives } from './upload-creatives.ts'

type Call = AuthenticatedContext & { readonly anchor: string }

/** The tasks that place orders. */
export const PLACING_TASKS = ['create_media_buy', 'buy_products', 'accept_proposal'] as const

/** How the tasks that place orders differ: the name of their waiting work, and what else a planned buy holds. */
export interface Placing {
  readonly task: (typeof PLACING_TASKS)[number]
  /** The proposal whose prices hold, whatever the publisher asks for today. */
  readonly agreed?: Negotiated
  complete?(buy: MediaBuy, planned: { readonly products: Parameters<typeof requireAvailability>[2] }): MediaBuy
}

/** Plans an order by every rule of the seller and, unless a person has to approve it, books it at the ad server. Throws what is wrong with it. */
export async function prepareOrder(given: PlacedOrder, context: Call, placing: Placing): Promise<PreparedOrder> {
  const request = withSealedLists(given, context)
  const plan = await planOrder(request, context, placing.agreed)
  const planned = { ...plan, buy: placing.complete?.(plan.buy, plan) ?? plan.buy }
  return ofProposal(
    request,
    () => planned.buy.packages,
    () => bookPlanned(request, context, placing, planned),
  )
}

async function bookPlanned(request: PlacedOrder, context: Call, placing: Placing, planned: PlannedOrder): Promise<PreparedOrder> {
  requireKeepable(context, planned.buy.packages, 'packages')
  const held = await heldOrder(request, context, planned, placing.task)
  const { buy, products } = planned
  const uploads = await prepareUploads(context, request.packages, (index) => buy.packages[index], 'packages')
  // What a person is asked about can be delivered; the controller's holds of official stories are about anything.
  if (!held?.usesHold) await requireAvailability(context, buy.packages, products, await heldFor(context.db, context, buy))
  const governed = await context.services.governance.check(context, { ...orderCommitment(request, buy), isNew: true })
  if (held) return { ...held, governed, uploads }
  const booking = await adServerOf(context).book(context.anchor, buy.mediaBuyId, lineOrders(buy.packages))
  return { ...planned, kind: 'booked', buy: withBooking(buy, booking), governed, uploads }
}

/** Takes back what was booked. */
export async function undoOrder(context: Call, prepared: PreparedOrder): Promise<void> {
  if (prepared.kind === 'booked') await adServerOf(context).cancel(context.anchor, prepared.buy.orderId)
}

/**
 * Writes a prepared order. Gives the `submitted` answer where a person decides first, the publisher's or the ad server's (undefined for one that is confirmed), and sentences on its
 * creatives.
 */
export async function commitOrder(
  request: PlacedOrder,
  context: InTransaction<AuthenticatedContext>,
  prepared: PreparedOrder,
  placing: Placing,
) {
  return ofProposal(
    request,
    () => prepared.buy.packages,
    () => writeOrder(request, context, prepared, placing),
  )
}

async function writeOrder(
  request: PlacedOrder,
  context: InTransaction<AuthenticatedContext>,
  prepared: PreparedOrder,
  { task }: Placing,
) {
  await acceptOnce(context, prepared.buy)
  const { tx, services, now } = context
  const { buy, governed, products, uploads } = prepared
  const notes = [...(await uploadCreatives(context, buy.accountId, uploads)), ...unreportedNote(request, buy.packages, products)]
  await services.governance.record(tx, context, orderCommitment(request, buy), governed)
  const untilBooked = [...notes, ...aheadNote(buy.packages, now)]
  if (prepared.kind === 'held') return { submitted: await submitOrder(request, context, prepared, task), notes: untilBooked }
  const approving = approvingAdServers(context, buy)
  if (approving.length > 0) {
    await recordOrder(tx, context, { ...prepared, buy: unconfirmed(buy) })
    return { submitted: await submitToAdServers(request, context, buy, approving, task), notes: untilBooked }
  }
  await recordOrder(tx, context, prepared)
  return { submitted: undefined, notes }
}
