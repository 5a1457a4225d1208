import { creditOf } from '../../domain/media-buy/make-good.ts'
import type { MakeGood } from '../../domain/media-buy/make-good-terms.ts'
import { insertCharge } from '../../store/billing/charges.ts'
import type { Db } from '../../store/database.ts'
import type { OfferableLine } from './short-line.ts'

/** Runs what is written of a make-good; a credit is given to a party, and counts as given back from then on. */
export type Writing = <T>(write: (tx: Db, creditedTo: string) => Promise<T>) => Promise<T>

/** Writes the credit that was agreed on for a line of an order of the publisher's people, for the party that it is given to; nothing where more impressions were agreed on. */
export async function chargeMakeGood(
  tx: Db,
  { tenantId, orderId }: { readonly tenantId: string; readonly orderId: string },
  { line, chargedAs, productId }: OfferableLine,
  makeGood: MakeGood,
  creditedTo: string,
): Promise<void> {
  const order = { orderId, productId, currency: line.currency }
  for (const charge of creditOf({ ...makeGood, lineId: chargedAs }, order)) await insertCharge(tx, tenantId, charge, creditedTo)
}
