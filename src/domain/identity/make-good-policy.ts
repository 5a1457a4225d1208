/** What this program does of itself when a guaranteed line ended short. */
export interface MakeGoodPolicy {
  /** `never`: nothing; `propose`: people see what can be offered; `offer`: it is offered at once, and agreed where the order is of the publisher's people. */
  readonly how: (typeof MAKE_GOOD_POLICIES)[number]
  /** What is offered (AdCP enums/makegood-remedy.json). */
  readonly remedy: 'additional_delivery' | 'credit'
  /** Less than so many per cent of what was ordered is left alone. */
  readonly missingPercent: number
  /** Since when it offers, ISO 8601: lines that ended before are for people. */
  readonly since?: string
}

export const MAKE_GOOD_POLICIES = ['never', 'propose', 'offer'] as const

/** What holds where nobody has said anything. */
export const DEFAULT_MAKE_GOODS: MakeGoodPolicy = { how: 'propose', remedy: 'additional_delivery', missingPercent: 1 }

/** Days after the end of a line until an offer is made of it: ad servers report the last day late. */
export const WAIT_DAYS = 2

/** Whether the policy has something to say of a line that missed a share (0 to 1) of what was ordered. */
export function isWorthOffering({ how, missingPercent }: MakeGoodPolicy, missing: number): boolean {
  return how !== 'never' && missing * 100 >= missingPercent
}
