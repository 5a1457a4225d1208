import { atMost, type Field, logged, text } from './fields.ts'

/** Characters of a name, reason or purchase order on an invoice: the official schemas set no limit, and an invoice repeats them on every line. */
export const MOST_ON_INVOICE = 255

/** Why somebody did something, for `about` those who read it and for the audit log. */
export function reasonField(about: string): Field<string, false> {
  return logged(atMost(500, text(about)))
}

/** Why something is billed or given back, as an invoice repeats it. */
export function billedReasonField(about: string): Field<string, false> {
  return logged(atMost(MOST_ON_INVOICE, text(about)))
}

/** What a buyer is told when it is refused something. */
export const REASON_FOR_BUYER = reasonField('the reason that the buyer reads')
