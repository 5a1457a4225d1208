import { randomUUID } from 'node:crypto'
import { isFeeCorrection } from '../../domain/billing/corrected-fee.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { CHARGE_STATES, type Charge, feeIdOf } from '../../domain/media-buy/charge.ts'
import { withoutFee } from '../../domain/media-buy/waive-fee.ts'
import { AdcpError } from '../../protocol/errors.ts'
import {
  type ChargeFilter,
  chargesInForce,
  findCharge,
  insertCharge,
  listCharges,
  takeBackCharge,
} from '../../store/billing/charges.ts'
import type { Db } from '../../store/database.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { saveMediaBuy } from '../../store/media-buy/media-buys.ts'
import { findTenantOrders } from '../../store/media-buy/order-list.ts'
import { OF_ACCOUNT } from '../accounts/list-accounts.ts'
import { type ActContext, defineAct } from '../act.ts'
import { amountText, NET, numberText, readPaidAmount } from '../amount.ts'
import { DEFAULT_PAGE, flag, oneOf, paged, required } from '../fields.ts'
import { type ChargedOrder, chargedOrder, soldLine } from '../orders/known-order.ts'
import { ORDER } from '../orders/show-order.ts'
import { billedReasonField } from '../reasons.ts'
import { ACCOUNTANTS, READERS } from '../roles.ts'
import { list, pageOf } from '../shape.ts'
import { idText } from '../text-form.ts'
import { chargeLines, chargeShape, presentCharge, type ShownCharge } from './charge-shapes.ts'
import { givingBack, moneyText, requireLeftOfCharge, requireNotGivenBack } from './give-back.ts'
import { nameBilled } from './name-billed.ts'

// Several acts in one file: they list, change and remove the same thing.

/** Fees and credits beside delivery, the oldest first. */
export const showCharges = defineAct({
  name: 'billing.charges',
  route: 'GET /billing/charges',
  id: 'listCharges',
  roles: READERS,
  summary: 'Charges and credits of orders beside their delivery, such as fees of cancellations, the oldest first.',
  fields: {
    order: idText('charges of one order'),
    account: OF_ACCOUNT,
    state: oneOf(CHARGE_STATES, 'open: to be on the next invoice'),
    ...paged('charges'),
  },
  answer: pageOf(chargeShape),
  command: {
    columns: [
      ['CHARGE', ({ charge_id: id }) => id],
      ['ORDER', ({ order_id: id }) => id],
      ['NAME', ({ order_name: name }) => name ?? ''],
      ['LINE', ({ line_id: id }) => id ?? ''],
      ['PRODUCT', ({ product_name: name }) => name ?? ''],
      ['BILLED TO', ({ account, account_name: name }) => name ?? account],
      ['AMOUNT', ({ amount, currency }) => `${amountText(amount, currency)} ${currency}`],
      ['STATE', ({ state, invoice_id: invoice }) => invoice ?? state.replace('_', ' ')],
      ['REASON', ({ reason }) => reason],
    ],
  },
  async run(context, { order, account: accountId, state, cursor, limit = DEFAULT_PAGE }) {
    const { store, tenantId } = context
    const filter: ChargeFilter = { orderIds: order === undefined ? undefined : [order], accountId, state }
    const bound = ['charges', tenantId, filter]
    const [incurredAt = '', chargeId = ''] = decodeCursor(bound, cursor, 'cursor')?.split(' ') ?? []
    const after = cursor === undefined ? undefined : { incurredAt, chargeId }
    const found = await listCharges(store.read, tenantId, filter, { after, limit: limit + 1 })
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    const names = await nameBilled(context, tenantId, page)
    return list(
      page.map((each) => presentCharge(each, names(each))),
      last ? encodeCursor(bound, `${last.incurredAt} ${last.chargeId}`) : null,
    )
  },
})

/**
 * Charges an order of any origin beside its delivery, or credits it. Throws REFERENCE_NOT_FOUND for the order or its line, INVALID_STATE for an order that costs nobody money, INVALID_REQUEST for
 * an amount of nothing, and a credit of more than was charged and is not given back.
 */
export const addCharge = defineAct({
  name: 'billing.add-charge',
  route: 'POST /billing/charges',
  id: 'addCharge',
  roles: ACCOUNTANTS,
  summary:
    'Charges an order of any origin beside its delivery, or credits it: it is on the invoice of the month in which it is entered.',
  fields: {
    order: ORDER,
    line: idText('id of the line or package; default: the whole order'),
    amount: required(numberText(`e.g. 150.00, in the currency of the order, ${NET}`)),
    credit: flag('give the amount back in place of charging it'),
    reason: required(billedReasonField('why, as the invoice says it')),
  },
  subject: 'order',
  answer: chargeShape,
  command: { args: ['order', 'amount'], text: chargeLines },
  async run(context, { order: orderId, line, amount, credit = false, reason }) {
    const { store, tenantId, clock, actor, noteChanges } = context
    const order = await chargedOrder(context, orderId)
    const sold = chargedLine(order, orderId, line)
    const micros = readPaidAmount(amount, order.currency)
    const charge = {
      ...{ chargeId: `charge_${randomUUID()}`, kind: 'entered' as const, orderId, ...sold, currency: order.currency },
      ...{ micros: credit ? -micros : micros, reason, incurredAt: clock().toISOString(), madeBy: actor.credential },
    }
    const write = async (tx: Db, creditedTo?: string) => {
      await insertCharge(tx, tenantId, charge, creditedTo)
      const written = await getCharge(tx, tenantId, charge.chargeId)
      noteChanges({ charge: [null, charge.chargeId], charged: [null, moneyText(written.micros, written.currency)] })
      return written
    }
    const of = { orderId, lineId: sold.lineId }
    const decide = () => requireLeftOfCharge(context, of, { micros, currency: order.currency })
    return shown(context, await (credit ? givingBack(context, decide, write) : store.transaction(write)))
  },
})

/**
 * Takes back a charge that is on no invoice, such as a fee that is waived, with its corrections. Throws REFERENCE_NOT_FOUND, and INVALID_STATE also where credits gave it back already, for the correction of a fee alone, and for a fee
 * with a correction that is invoiced.
 */
export const takeChargeBack = defineAct({
  name: 'billing.take-back-charge',
  route: 'POST /billing/charges/{charge}/take-back',
  id: 'takeBackCharge',
  roles: ACCOUNTANTS,
  summary:
    'Reverses a charge that is on no invoice yet, such as a fee that is waived. It is kept with the reason, and no longer counts.',
  fields: {
    charge: required(idText('id of the charge; a slash in it is sent as %2F')),
    reason: required(billedReasonField('why')),
  },
  answer: chargeShape,
  command: { args: ['charge'], text: chargeLines },
  async run(context, { charge: chargeId, reason }) {
    const { store, tenantId, clock, actor, noteChanges } = context
    const decide = async () => {
      const before = await getCharge(store.read, tenantId, chargeId)
      requireNoCorrection(before)
      if (before.state === 'open') await requireNotGivenBack(context, before)
    }
    const taken = await givingBack(context, decide, async (tx) => {
      const before = await getCharge(tx, tenantId, chargeId)
      const corrections = await correctionsOf(tx, tenantId, before)
      if (!(await takeBackCharge(tx, tenantId, { chargeId, reason }, { now: clock(), by: actor.credential }))) {
        const message = before.invoiceId
          ? before.micros < 0
            ? `credit ${chargeId} is on invoice ${before.invoiceId}: charge the order what was too much of it (billing add-charge)`
            : `charge ${chargeId} is on invoice ${before.invoiceId}: credit it with a charge of its own (billing add-charge --credit)`
          : `charge ${chargeId} was taken back before`
        throw new AdcpError('INVALID_STATE', message, { field: 'charge' })
      }
      for (const { chargeId: correction } of corrections)
        await takeBackCharge(tx, tenantId, { chargeId: correction, reason }, { now: clock(), by: actor.credential })
      if (before.kind === 'cancellation') await waiveFee(tx, context, before, reason)
      noteChanges({ charged: [moneyText(before.micros, before.currency), null] })
      return getCharge(tx, tenantId, chargeId)
    })
    return shown(context, taken)
  },
})

async function shown(context: ActContext, charge: Charge): Promise<ShownCharge> {
  return presentCharge(charge, (await nameBilled(context, context.tenantId, [charge]))(charge))
}

/** Throws INVALID_STATE for the correction of a fee, which follows from what was delivered. */
function requireNoCorrection(charge: Charge): void {
  if (!isFeeCorrection(charge)) return
  const { chargeId, lineId, orderId } = charge
  const message = `charge ${chargeId} corrects the fee ${feeIdOf(lineId)} by what was delivered: take back that fee with its corrections, or charge or credit order ${orderId} (billing add-charge)`
  throw new AdcpError('INVALID_STATE', message, { field: 'charge' })
}

/** The corrections of a fee, which go with it. Throws INVALID_STATE where one of them is on an invoice. */
async function correctionsOf(
  db: Db,
  tenantId: string,
  { chargeId, kind, orderId, lineId, state }: Charge,
): Promise<readonly Charge[]> {
  if (kind !== 'cancellation' || state !== 'open') return []
  const own = (await chargesInForce(db, tenantId, orderId)).filter((each) => each.lineId === lineId && isFeeCorrection(each))
  const billed = own.find((each) => each.invoiceId !== undefined)
  if (!billed) return own
  const message = `charge ${chargeId} was corrected by ${billed.chargeId}, which is on invoice ${billed.invoiceId}: credit what is left of it (billing add-charge --credit)`
  throw new AdcpError('INVALID_STATE', message, { field: 'charge' })
}

/** The order says it too, so that its buyer no longer reads that the fee is owed. */
async function waiveFee(tx: Db, context: ActContext, { orderId, lineId }: Charge, reason: string): Promise<void> {
  const { tenantId, clock, actor } = context
  const [order] = await findTenantOrders(tx, tenantId, [orderId])
  if (!order) return
  const name = (await findTenant(tx, tenantId))?.name ?? tenantId
  const by = { reason, actor: name, person: actor.credential, now: clock() }
  const waived = withoutFee(order.buy, lineId, by)
  if (waived !== order.buy) await saveMediaBuy(tx, { tenantId, principalId: order.principalId }, order.buy, waived)
}

async function getCharge(db: Db, tenantId: string, chargeId: string): Promise<Charge> {
  const charge = await findCharge(db, tenantId, chargeId)
  if (charge) return charge
  throw new AdcpError('REFERENCE_NOT_FOUND', `there is no charge ${chargeId}; billing charges shows the ids`, { field: 'charge' })
}

/** What a charge is of: the line that was named, or the only one. */
function chargedLine({ lines }: ChargedOrder, orderId: string, line: string | undefined) {
  const sold = line === undefined ? undefined : soldLine({ lines }, orderId, line)
  const { lineId = '', productId = '' } = sold ?? (lines.length === 1 ? lines[0] : undefined) ?? {}
  return { lineId, productId }
}
