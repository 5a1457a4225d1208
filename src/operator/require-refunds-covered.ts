import { balancesOf, settle } from '../domain/billing/settlement.ts'
import { microsToAmount } from '../domain/money.ts'
import { AdcpError } from '../protocol/errors.ts'
import { settlementFacts } from '../store/billing/invoice-payments.ts'
import { advanceBook } from '../store/book-revision.ts'
import type { Db } from '../store/database.ts'
import type { ActContext } from './act.ts'
import { amountText } from './amount.ts'
import { publisherDay } from './publisher-day.ts'

/** After a payment was taken back: what was paid back to the customer is still what the customer had paid. Throws INVALID_STATE where it is more. */
export async function requireRefundsCovered(
  tx: Db,
  context: Pick<ActContext, 'tenantId' | 'clock'>,
  accountId: string,
): Promise<void> {
  // First, so that no refund is written meanwhile: it writes the same row.
  await advanceBook(tx, context.tenantId)
  const facts = await settlementFacts(tx, context.tenantId, accountId)
  if (facts.refunds.length === 0) return
  const states = settle(facts, await publisherDay(tx, context))
  const missing = balancesOf(facts, states).find(({ micros }) => micros < 0)
  if (!missing) return
  const { currency, micros } = missing
  const amount = `${amountText(microsToAmount(-micros), currency)} ${currency}`
  const message = `${amount} of this payment was paid back to its customer: take the refund back first, if it was recorded wrongly too`
  throw new AdcpError('INVALID_STATE', message, { field: 'payment' })
}
