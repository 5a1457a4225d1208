import { firstPartyOf, isOtherParty, isParty, isPlaced, NO_TERMS, payerOf } from '../../domain/order/order-terms.ts'
import { giveWay } from '../../platform/concurrency/yield-to-event-loop.ts'
import { findOrderTerms } from '../../store/order/order-terms.ts'
import { listOtherParties, partiesOfOrders } from '../../store/order/orders.ts'
import type { ActContext } from '../act.ts'
import type { PreparedInvoice } from './prepare-month.ts'

/** What is to be looked at of an invoice to an advertiser or agency. */
export interface PartyFinding {
  readonly kind: 'several_parties' | 'unclear_party' | 'no_billing_entity'
  readonly subject: string
  readonly text: string
}

/** Orders that a finding names at most. */
const MOST_NAMED = 5

/**
 * What a person should look at of invoices to advertisers and agencies: orders whose terms name another party of that name than the invoice does (stored before such parties had invoices of their own), orders of which
 * nothing but a name is known where several parties have it, and invoices of which no order says where the party is.
 */
export async function partyFindings(
  { store, tenantId }: ActContext,
  prepared: readonly PreparedInvoice[],
): Promise<PartyFinding[]> {
  const billed = prepared
    .filter(({ invoice }) => isParty(invoice.accountId))
    .map(({ invoice, lines, charges }) => {
      const orderIds = [...lines.map(({ mediaBuyId }) => mediaBuyId), ...charges.map(({ orderId }) => orderId)]
      return { invoice, orderIds: [...new Set(orderIds)] }
    })
  const all = billed.flatMap(({ orderIds }) => orderIds)
  const terms = await findOrderTerms(store.read, tenantId, all)
  const parties = await partiesOfOrders(store.read, tenantId, all)
  const shared = billed.length > 0 ? new Set((await listOtherParties(store.read, tenantId)).map(firstPartyOf)) : new Set()
  const findings: PartyFinding[] = []
  for (const { invoice, orderIds } of billed) {
    await giveWay()
    const { accountId, invoiceId, account } = invoice
    const name = typeof account.name === 'string' ? account.name : accountId
    const payers = orderIds
      .filter((id) => parties.get(id) === accountId)
      .map((id) => ({ id, party: payerOf(accountId, terms.get(id) ?? NO_TERMS) }))
    const named = payers.findLast(({ party }) => isPlaced(party))?.party
    const find = (kind: PartyFinding['kind'], text: string) => findings.push({ kind, subject: accountId, text })
    const others = payers.filter(({ party }) => named && isOtherParty(named, party))
    if (others.length > 0)
      find(
        'several_parties',
        `invoice ${invoiceId} to ${name} has ${ordersText(others)}, whose terms name another VAT number, country or address than the invoice: save the terms of these orders again, and they get an invoice of their own`,
      )
    const unplaced = payers.filter(({ party }) => !isPlaced(party))
    if (unplaced.length > 0 && shared.has(accountId))
      find(
        'unclear_party',
        `several parties are called ${name}, and the terms of ${ordersText(unplaced)} do not say which of them pays: the first does, on invoice ${invoiceId}, unless an address or a VAT number says otherwise`,
      )
    if (account.billing_entity === undefined && payers.length > 0)
      find(
        'no_billing_entity',
        `the terms of ${ordersText(payers)} say no address and no VAT number of ${name}: invoice ${invoiceId} has none of who pays`,
      )
  }
  return findings
}

function ordersText(orders: readonly { readonly id: string }[]): string {
  const named = orders.slice(0, MOST_NAMED).map(({ id }) => id)
  const left = orders.length - named.length
  return `${orders.length === 1 ? 'order' : 'orders'} ${named.join(', ')}${left > 0 ? ` and ${left} more` : ''}`
}
