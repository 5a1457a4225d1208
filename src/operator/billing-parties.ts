import { BILLING_PARTIES, type BillingParty } from '../domain/identity/principal.ts'
import { someOf } from './fields.ts'
import { type Shape, word } from './shape.ts'

/** One of them in an answer. */
export const billingParty: Shape<BillingParty> = word(...BILLING_PARTIES)

/** The field of billing parties, or of all. */
export function billingParties(about: string) {
  return someOf([...BILLING_PARTIES, 'all'], about)
}

/** The named billing parties in the order of the protocol; undefined for `all`. */
export function readBillingParties(named: readonly string[] | 'all'): readonly BillingParty[] | undefined {
  return named === 'all' ? undefined : BILLING_PARTIES.filter((party) => named.includes(party))
}
