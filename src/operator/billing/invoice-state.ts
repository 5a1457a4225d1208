import { SETTLEMENT_STATES, type Settlement, settle } from '../../domain/billing/settlement.ts'
import { microsToAmount } from '../../domain/money.ts'
import { type InvoicePayment, settlementFacts } from '../../store/billing/invoice-payments.ts'
import type { Db } from '../../store/database.ts'
import type { ActContext } from '../act.ts'
import { amountText } from '../amount.ts'
import { publisherDay } from '../publisher-day.ts'
import { about, integer, moment, number, type Of, object, orNull, string, word } from '../shape.ts'
import { presentTakenBack, takenBackMember } from '../taken-back.ts'

/** How an invoice stands today. */
export const stateMembers = {
  state: about(
    'overdue: the day on which it was due has passed; credit: it settles other invoices of the account; credited: credit notes of its own give all of it back',
    word(...SETTLEMENT_STATES),
  ),
  settled: about('paid, or settled by credits and payments of the account', number),
  open: number,
  overdue_days: integer,
  paid_on: about('the day on which all of it was settled', orNull(string)),
}
const stateShape = object(stateMembers)
export type ShownState = Of<typeof stateShape>

export const paymentShape = object({
  payment_id: string,
  date: string,
  amount: number,
  reference: orNull(string),
  recorded_at: moment,
  recorded_by: string,
  ...takenBackMember,
})

/** The words for states, as people read them. */
export const STATE_TITLES = {
  open: 'open',
  part_paid: 'part paid',
  paid: 'paid',
  overdue: 'overdue',
  credit: 'credit',
  credited: 'credited',
} as const satisfies Readonly<Record<Settlement['state'], string>>

/** How the invoices of a publisher, or of one account, stand today, by their ids. */
export async function readStates(db: Db, context: Pick<ActContext, 'tenantId' | 'clock'>, accountId?: string) {
  return settle(await settlementFacts(db, context.tenantId, accountId), await publisherDay(db, context))
}

export function presentState({ state, settledMicros, openMicros, overdueDays, settledOn }: Settlement): ShownState {
  return {
    state,
    settled: microsToAmount(settledMicros),
    open: microsToAmount(openMicros),
    overdue_days: overdueDays,
    paid_on: settledOn ?? null,
  }
}

export function presentPayment({ paymentId, day, micros, ...payment }: InvoicePayment): Of<typeof paymentShape> {
  const { reference = null, recordedAt: recorded_at, recordedBy: recorded_by, takenBack } = payment
  return {
    ...{ payment_id: paymentId, date: day, amount: microsToAmount(micros), reference, recorded_at, recorded_by },
    ...presentTakenBack(takenBack),
  }
}

/** A state in words: `overdue 12 days, 250.00 EUR open`. */
export function stateText({ state, open, overdue_days: days }: ShownState, currency: string): string {
  const late = state === 'overdue' ? ` ${days} ${days === 1 ? 'day' : 'days'}` : ''
  return `${STATE_TITLES[state]}${late}${open > 0 ? `, ${amountText(open, currency)} ${currency} open` : ''}`
}
