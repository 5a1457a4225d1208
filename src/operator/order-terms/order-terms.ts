import type { Db } from '../../store/database.ts'
import { getOrderTerms, saveOrderTerms } from '../../store/order/order-terms.ts'
import { type ActContext, type Change, defineAct } from '../act.ts'
import { givingBack } from '../billing/give-back.ts'
import { changedMembers } from '../changed-members.ts'
import { knownOrder } from '../orders/known-order.ts'
import { READERS, SELLERS } from '../roles.ts'
import { table } from '../text-table.ts'
import { requireCoversCredits } from './deductions.ts'
import { changedTerms, orderTermsShape, presentTerms, type ShownTerms, TERMS_FIELDS } from './order-terms-fields.ts'

// Several acts in one file: they list, change and remove the same thing.

/** What finance and sales know of an order of any origin. Throws REFERENCE_NOT_FOUND. */
export const showOrderTerms = defineAct({
  name: 'orders.terms',
  route: 'GET /orders/{order}/terms',
  id: 'showOrderTerms',
  roles: READERS,
  summary:
    'Advertiser, agency, billing party, purchase order, sales person, labels, discount and commission of an order of any origin.',
  fields: { order: TERMS_FIELDS.order },
  answer: orderTermsShape,
  command: { text: termLines },
  run: (context, { order }) => readTerms(context, order),
})

/** Changes them. Throws REFERENCE_NOT_FOUND, INVALID_REQUEST, naming the member, and INVALID_STATE for a discount or commission that leaves less than what is credited already. */
export const setOrderTerms = defineAct({
  name: 'orders.set-terms',
  route: 'PATCH /orders/{order}/terms',
  id: 'setOrderTerms',
  roles: SELLERS,
  summary:
    'Changes what finance and sales know of an order of any origin; an empty text takes a member away, labels are replaced. Invoices that are written stay as they are.',
  fields: TERMS_FIELDS,
  answer: orderTermsShape,
  command: { text: termLines },
  async run(context, { order, ...values }) {
    const { store, tenantId, clock, noteAllChanges } = context
    const known = { ...(await knownOrder(context, order)), orderId: order }
    const decide = async () => {
      const before = await getOrderTerms(store.read, tenantId, order)
      const { currency } = known
      await requireCoversCredits(context, { orderId: order, currency, before, after: changedTerms(before, { order, ...values }) })
    }
    const write = async (tx: Db) => {
      const before = await getOrderTerms(tx, tenantId, order)
      const terms = changedTerms(before, { order, ...values })
      const billingParty = (await saveOrderTerms(tx, tenantId, order, terms, clock())) ?? known.billingParty
      const after = presentTerms({ ...known, billingParty }, terms)
      const shownBefore = Object.fromEntries(memberRows(presentTerms(known, before)))
      noteAllChanges(changedMembers(shownBefore, Object.fromEntries(memberRows(after))))
      return after
    }
    // Labels and names give no money back.
    const { discount_basis_points: discount, commission_basis_points: commission } = values
    return discount === undefined && commission === undefined ? store.transaction(write) : givingBack(context, decide, write)
  },
})

async function readTerms(context: ActContext, orderId: string): Promise<ShownTerms> {
  const { origin, billingParty } = await knownOrder(context, orderId)
  return presentTerms({ orderId, origin, billingParty }, await getOrderTerms(context.store.read, context.tenantId, orderId))
}

/** Terms as names and values, those of parties under the names of their fields. */
function memberRows({ order_id: _id, advertiser, agency, labels, ...others }: ShownTerms): (readonly [string, Change[0]])[] {
  const ofParty = (role: string, party: ShownTerms['agency']) =>
    Object.entries(party ?? {}).map(([member, value]) => [`${role}_${member}`, value] as const)
  return [
    ...ofParty('advertiser', advertiser),
    ...ofParty('agency', agency),
    ...Object.entries(others),
    ['labels', labels.join(', ') || null],
  ]
}

function termLines(terms: ShownTerms): readonly string[] {
  const rows = memberRows(terms).filter(([, value]) => value !== null)
  return [
    `order ${terms.order_id}`,
    '',
    ...table(
      ['TERM', 'VALUE'],
      rows.map(([name, value]) => [name.replaceAll('_', ' '), String(value)]),
    ),
  ]
}
