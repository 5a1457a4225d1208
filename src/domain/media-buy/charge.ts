/** `cancellation`: the fee that a product's policy asks for; `entered`: by the publisher's people; `make_good`: a credit for a line that fell short. */
export const CHARGE_KINDS = ['cancellation', 'entered', 'make_good'] as const

/** `open`: it is on the next invoice; `taken_back`: it counts for nothing. */
export const CHARGE_STATES = ['open', 'billed', 'taken_back'] as const

/** By which rule of a product a cancellation costs something. Money in micros. */
export interface FeeRule {
  readonly type: 'fixed_fee' | 'full_commitment' | 'percent_remaining'
  /** Of what is left of the budget. */
  readonly percent?: number
  readonly budgetMicros: number
  readonly spentMicros: number
  readonly notice: { readonly interval: number; readonly unit: string }
  /** Of the correction of a fee: what was charged until then, in micros. */
  readonly correctsMicros?: number
}

/** What is charged for an order beside its delivery, in micros of `currency`; less than zero: a credit. */
export interface NewCharge {
  readonly chargeId: string
  readonly kind: (typeof CHARGE_KINDS)[number]
  readonly orderId: string
  /** '': the whole order. */
  readonly lineId: string
  readonly productId: string
  readonly currency: string
  readonly micros: number
  readonly reason: string
  /** ISO 8601 UTC: it is billed with the month of the publisher that this is in. */
  readonly incurredAt: string
  /** Who entered it; undefined: the terms of the order ask for it. */
  readonly madeBy: string | undefined
  /** Of the fee of a cancellation; absent: entered by people, or charged before rules were kept. */
  readonly rule?: FeeRule | undefined
}

/** Id of the charge that the fee for canceling a line is, by the id of the line in the ledger. */
export function feeIdOf(lineId: string): string {
  return `fee_${lineId}`
}

/** What the reason of a credit for a line that fell short begins with. */
export const MAKE_GOOD_REASON = 'make-good: '

/** A charge, whom it is billed to, and what became of it. */
export interface Charge extends NewCharge {
  /** The account that is billed, or the billing party of a direct order; '' when nobody is billed. */
  readonly accountId: string
  readonly state: (typeof CHARGE_STATES)[number]
  readonly invoiceId: string | undefined
  readonly takenBack?: { readonly at: string; readonly by: string; readonly reason: string }
}
