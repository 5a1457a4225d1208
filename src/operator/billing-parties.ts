import { BILLING_PARTIES, type BillingParty } from '../domain/identity/principal.ts'
import { AdcpError } from '../protocol/errors.ts'
import { type Shape, word } from './shape.ts'

/** One of them in an answer. */
export const billingParty: Shape<BillingParty> = word(...BILLING_PARTIES)

/** The named billing parties in the order of the protocol; undefined for `all`. Throws INVALID_REQUEST, naming `field`, for another word. */
export function readBillingParties(named: readonly string[] | 'all', field = 'billing'): readonly BillingParty[] | undefined {
  if (named === 'all') return undefined
  const wrong = named.find((party) => !BILLING_PARTIES.some((known) => known === party))
  if (wrong !== undefined) {
    const message = `"${wrong}" pays no bills; there are ${BILLING_PARTIES.join(', ')}`
    throw new AdcpError('INVALID_REQUEST', message, { field })
  }
  return BILLING_PARTIES.filter((party) => named.includes(party))
}
