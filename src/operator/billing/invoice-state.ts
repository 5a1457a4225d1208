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
  credited: about('of `settled`, by credit notes of the invoice', number),
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

export function presentState({
  state,
  settledMicros,
  creditedMicros,
  openMicros,
  overdueDays,
  settledOn,
}: Settlement): ShownState {
  return {
    state,
    settled: microsToAmount(settledMicros),
    credited: microsToAmount(creditedMicros),
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

/** The word for a state: what was paid in part, and credited for the rest, is settled. */
export function stateTitle({ state, credited }: Pick<ShownState, 'state' | 'credited'>): string {
  return state === 'paid' && credited > 0 ? 'settled' : STATE_TITLES[state]
}

/** A state in words: `overdue 12 days, 250.00 EUR open`, `settled, 100.00 EUR of it credited`. */
export function stateText({ state, open, credited, overdue_days: days }: ShownState, currency: string): string {
  const late = state === 'overdue' ? ` ${days} ${days === 1 ? 'day' : 'days'}` : ''
  const given = credited > 0 && state !== 'credited' ? `, ${amountText(credited, currency)} ${currency} of it credited` : ''
  return `${stateTitle({ state, credited })}${late}${given}${open > 0 ? `, ${amountText(open, currency)} ${currency} open` : ''}`
}
