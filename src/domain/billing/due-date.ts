import { DAY_MS } from '../calendar/instant.ts'

/** The day `days` days after a day, `YYYY-MM-DD`. */
export function dayAfterDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

/** How an invoice stands: nothing of it, a part or all of it was paid or credited; `overdue`: the day on which it was due has passed. */
export type PaymentState = 'open' | 'part_paid' | 'paid' | 'overdue'

/** How an invoice stands on a day. Amounts in micros; `settledMicros`: what was paid and credited. */
export function paymentState(
  { payableMicros, dueOn }: { readonly payableMicros: number; readonly dueOn: string | undefined },
  settledMicros: number,
  today: string,
): PaymentState {
  if (settledMicros >= payableMicros) return 'paid'
  if (dueOn !== undefined && dueOn < today) return 'overdue'
  return settledMicros > 0 ? 'part_paid' : 'open'
}
