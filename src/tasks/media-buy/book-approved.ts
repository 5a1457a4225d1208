import { acceptedAt } from '../../domain/media-buy/commercial-terms.ts'
import { unconfirmed } from '../../domain/media-buy/confirm.ts'
import { asOfApproval } from '../../domain/media-buy/late-approval.ts'
import { isOfferedTo, type Product } from '../../domain/product/product.ts'
import { withSimulation } from '../../domain/protocol/simulated-backends.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Approval } from '../../store/approval/approvals.ts'
import type { CarriedOut, CarryOutContext } from '../approvals/carry-out.ts'
import { requireAvailability } from './availability.ts'
import { AWAITING_AD_SERVER, approvingAdServers, awaitAdServers } from './await-ad-server.ts'
import { creativesOfNew } from './creative-facts.ts'
import { orderCommitment, underExt, withGovernance } from './governed-order.ts'
import { heldFor } from './held-proposals.ts'
import { adServerOf, isSimulated, lineOrders, withBooking } from './orders.ts'
import { presentPlaced } from './present-placed.ts'
import { recordOrder } from './record-order.ts'
import type { OrderDocument } from './submit-order.ts'

/**
 * Books an approved order on the terms it was planned with. Throws PRODUCT_UNAVAILABLE when a product is no longer sold or its inventory is gone,
 * INVALID_REQUEST when the flight is over.
 */
export async function bookApproved(approval: Approval, context: CarryOutContext): Promise<CarriedOut> {
  const { buy: planned, assignments, idempotencyKey }: OrderDocument = JSON.parse(approval.document)
  const { tenant, principal, account, services, db, now, anchor } = context
  const adServer = adServerOf(context)
  const { byId: products } = await services.products.get(db, tenant, principal)
  const wanted = acceptedAt(asOfApproval(planned, approval, now), now)
  requireOffered(wanted.packages, products, principal.principalId)
  await requireAvailability(context, wanted.packages, products, await heldFor(db, context, wanted))
  // The buyer's governance may have changed its mind since: what was agreed at the order lapses.
  const commitment = orderCommitment({}, wanted)
  const governed = await services.governance.check(context, commitment)
  const booking = await adServer.book(anchor, wanted.mediaBuyId, lineOrders(wanted.packages))
  const booked = withBooking(wanted, booking)
  const approving = approvingAdServers(context, booked)
  const buy = approving.length > 0 ? unconfirmed(booked) : booked
  return {
    async write(tx) {
      await services.governance.record(tx, context, commitment, governed)
      await recordOrder(tx, context, { buy, assignments, products })
      if (approving.length > 0) await awaitAdServers(tx, context, buy, approving, approval.taskId)
      const creatives = await creativesOfNew(tx, principal, { buy, assignments })
      const sandbox = isSimulated(context)
      const answer = await presentPlaced(context, buy, { creatives, now, account: account?.document, sandbox, idempotencyKey })
      const whole = buy.accepted ? underExt(answer, withGovernance({}, buy, governed)) : withGovernance(answer, buy, governed)
      return withSimulation(whole, adServer, { inSandbox: sandbox })
    },
    ...(approving.length > 0 && { goesOn: AWAITING_AD_SERVER }),
    undo: () => adServer.cancel(anchor, booking.orderId),
  }
}

function requireOffered(
  packages: readonly { readonly productId: string }[],
  products: ReadonlyMap<string, Product>,
  principalId: string,
): void {
  packages.forEach(({ productId }, index) => {
    const product = products.get(productId)
    if (product && isOfferedTo(product, principalId)) return
    const field = `packages[${index}].product_id`
    throw new AdcpError('PRODUCT_UNAVAILABLE', `${productId} is no longer sold`, { field })
  })
}
