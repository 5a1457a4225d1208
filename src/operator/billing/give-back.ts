import type { Charge } from '../../domain/media-buy/charge.ts'
import { microsToAmount } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { chargesInForce } from '../../store/billing/charges.ts'
import { advanceBook, BookChanged, bookRevision } from '../../store/book-revision.ts'
import type { Db } from '../../store/database.ts'
import type { ActContext } from '../act.ts'
import { amountText } from '../amount.ts'
import type { OperatorContext } from '../operator-context.ts'
import { type Credited, leftByParty, leftOfCharge } from './left-of-charge.ts'

type PublisherContext = OperatorContext & { readonly tenantId: string }

/** Of so many acts on the books of one publisher in the same moment one is always written; the last of them has waited for the others. */
const MOST_ATTEMPTS = 12

/**
 * The road of every act that gives money back: `decide` reads what may still be given back and throws when it is too little; `write` writes what it decided. When the books changed in between, both run
 * again, so that no two acts give the same money back. Throws what `decide` and `write` throw, and CONFLICT when the books change all the time.
 */
export async function givingBack<D, T>(
  { store, tenantId }: ActContext,
  decide: () => Promise<D>,
  write: (tx: Db, decided: D) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const seen = await bookRevision(store.read, tenantId)
    const decided = await decide()
    try {
      return await store.transaction(async (tx) => {
        await advanceBook(tx, tenantId, seen)
        return write(tx, decided)
      })
    } catch (error) {
      if (!(error instanceof BookChanged) || attempt >= MOST_ATTEMPTS) throw error
    }
  }
}

/**
 * Whom a credit of an order, or of its line, is given to: who was billed for its delivery last, of those who were charged that much until now and were not given it back yet. Throws INVALID_REQUEST, field `amount`,
 * where nobody was.
 */
export async function requireLeftOfCharge(
  context: PublisherContext,
  of: Credited,
  { micros, currency }: { readonly micros: number; readonly currency: string },
): Promise<string> {
  const left = (await leftByParty(context, of)).filter((each) => each.micros > 0)
  const found = micros > 0 ? left.find((each) => each.micros >= micros) : undefined
  if (found) return found.party
  const what = of.lineId ? 'the line' : 'the order'
  const [only] = left
  const most =
    left.length > 1
      ? `at most what one party was charged for ${what} and is not given back yet: ${left.map((each) => `${each.party} ${moneyText(each.micros, currency)}`).join(', ')}; give the others theirs by credits of their own (billing add-charge --credit)`
      : `at most ${moneyText(only?.micros ?? 0, currency)}: what ${what} was charged until now and is not given back yet`
  const message = `amount must be ${micros > 0 ? '' : 'more than 0 and '}${most}`
  throw new AdcpError('INVALID_REQUEST', message, { field: 'amount' })
}

/**
 * Throws INVALID_STATE, field `charge`, when taking a charge back would give back what was given back already: credits that people entered since count against the charges of their line first, and no
 * more can be taken back than what the order and the line have left.
 */
export async function requireNotGivenBack(context: PublisherContext, charge: Charge): Promise<void> {
  const { chargeId, orderId, lineId, micros, currency, incurredAt } = charge
  if (micros <= 0) return
  const beside = (await chargesInForce(context.store.read, context.tenantId, orderId)).filter(
    (each) => each.chargeId !== chargeId && (lineId === '' || each.lineId === '' || each.lineId === lineId),
  )
  const charged = beside.reduce((sum, each) => sum + Math.max(0, each.micros), 0)
  const credited = beside
    .filter((each) => each.kind === 'entered' && each.incurredAt >= incurredAt)
    .reduce((sum, each) => sum + Math.max(0, -each.micros), 0)
  const left = credited > charged ? 0 : await leftOfCharge(context, { orderId, lineId })
  if (micros <= left) return
  const why =
    credited > charged
      ? `credits of ${moneyText(credited, currency)} were entered since`
      : `only ${moneyText(left, currency)} of what the order was charged is not given back yet`
  const message = `charge ${chargeId} of ${moneyText(micros, currency)} cannot be taken back: ${why}; take the credit back first, or credit what is left (billing add-charge --credit)`
  throw new AdcpError('INVALID_STATE', message, { field: 'charge' })
}

/** Micros as an amount with its currency. */
export function moneyText(micros: number, currency: string): string {
  return `${amountText(microsToAmount(micros), currency)} ${currency}`
}
