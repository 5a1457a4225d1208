import { AdcpError } from '../../protocol/errors.ts'
import { percentOf } from '../basis-points.ts'
import { moneyText } from '../billing/give-back.ts'
import { balancesOf, creditsOf, leastLeft, type OrderDeductions } from '../billing/left-of-charge.ts'
import type { OperatorContext } from '../operator-context.ts'

type PublisherContext = OperatorContext & { readonly tenantId: string }

/** An order whose discount or commission changes. */
interface Change {
  readonly orderId: string
  readonly currency: string
  readonly before: OrderDeductions
  readonly after: OrderDeductions
}

/**
 * Throws INVALID_STATE where an order, or a line of it, would cost less than what is credited of it already: its next invoice would pay money out. What
 * invoices bill of it stays as it is. Throws SERVICE_UNAVAILABLE when the ad server of an order with credits does not report.
 */
export async function requireCoversCredits(
  context: PublisherContext,
  { orderId, currency, before, after }: Change,
): Promise<void> {
  if (keptOf(after) >= keptOf(before)) return
  const credits = await creditsOf(context, orderId)
  if (credits.size === 0) return
  const [was, is] = await balancesOf(context, orderId, [before, after])
  if (!was || !is) throw new Error('two terms have two balances')
  for (const lineId of ['', ...credits.keys()]) {
    const left = leastLeft(lineId, is)
    if (left >= 0 || left >= leastLeft(lineId, was)) continue
    const credited = lineId === '' ? [...credits.values()].reduce((sum, micros) => sum + micros, 0) : (credits.get(lineId) ?? 0)
    const what = lineId === '' ? `order ${orderId}` : `line ${lineId}`
    const message = `with ${percentOf(after.discountBasisPoints)} % discount and ${percentOf(after.commissionBasisPoints)} % commission ${what} costs ${moneyText(left + credited, currency)}, and ${moneyText(credited, currency)} of it is credited already, ${moneyText(-left, currency)} too much; choose less, or take a credit back first (billing take-back-charge)`
    throw new AdcpError('INVALID_STATE', message, { field: fieldOf(before, after) })
  }
}

/** What is left of a hundred percent, in parts of a hundred million. */
function keptOf({ discountBasisPoints, commissionBasisPoints }: OrderDeductions): number {
  return (10_000 - discountBasisPoints) * (10_000 - commissionBasisPoints)
}

function fieldOf(before: OrderDeductions, after: OrderDeductions): string {
  return after.discountBasisPoints > before.discountBasisPoints ? 'discount_basis_points' : 'commission_basis_points'
}
