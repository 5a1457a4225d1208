import { type BilledService, serviceKey } from '../../domain/billing/billing-lines.ts'
import type { FlatPrice } from '../../domain/billing/flat-part.ts'
import type { Deductions, LineFacts } from '../../domain/billing/invoice-document.ts'
import { type InvoiceReason, type Reader, reasonText } from '../../domain/billing/invoice-reason.ts'
import { type LocalCalendar, localCalendar } from '../../domain/calendar/local-time.ts'
import { type Charge, MAKE_GOOD_REASON } from '../../domain/media-buy/charge.ts'
import { chargeRuleOf, commitmentMicros, flightPriceMicros } from '../../domain/media-buy/pricing.ts'
import type { LinePricing } from '../../domain/order/line-pricing.ts'
import { NO_TERMS, type OrderTerms } from '../../domain/order/order-terms.ts'
import { cutText } from '../../platform/encode/fitted-text.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import { tenantOrdersInParts } from '../../store/media-buy/order-list.ts'
import { findOrderTerms } from '../../store/order/order-terms.ts'
import { listBookedLines } from '../../store/order/orders.ts'
import type { OperatorContext } from '../operator-context.ts'
import { nameProducts } from '../orders/name-order-parts.ts'
import { MOST_ON_INVOICE } from '../reasons.ts'
import { billedUnits, costsLess, type PricedLine, priced } from './billed-price.ts'
import type { BilledAt, CreditedAt } from './billed-terms.ts'
import { nameOfBuy } from './name-billed.ts'
import { spentBudgets } from './spent-budgets.ts'

/** A line that is billed: of a buyer's order, or of one that people entered. */
export interface BilledLine extends PricedLine {
  /** Of a line that sells no product. */
  readonly lineName?: string | undefined
  readonly orderName: string
  /** Of an order that people entered: who pays for it now, and for whom it is. */
  readonly sold?: { readonly party: string; readonly advertiser: string }
  readonly poNumber?: string | undefined
  /** The most that it costs, where that is known. */
  readonly budgetMicros?: number | undefined
}

/** What is known of the lines that are billed: their orders with the terms of those, and the names of their products. */
export interface BilledOrders {
  readonly lines: ReadonlyMap<string, BilledLine>
  readonly terms: ReadonlyMap<string, OrderTerms>
  /** Who pays now for the orders that people entered, by order. */
  readonly parties: ReadonlyMap<string, string>
  /** Services, by their keys, by the end of whose month the budget of the line was spent. */
  readonly spent: ReadonlySet<string>
  readonly products: ReadonlyMap<string, string>
  /** That of the publisher. */
  readonly calendar: LocalCalendar
}

/** Orders that are read at once. */
const BATCH = 100

/** The orders and products of services. */
export async function billedOrders(
  context: OperatorContext,
  tenantId: string,
  services: readonly (BilledService | Pick<BilledService, 'mediaBuyId' | 'productId'>)[],
): Promise<BilledOrders> {
  const db = context.store.read
  const ids = [...new Set(services.map(({ mediaBuyId }) => mediaBuyId))]
  const lines = new Map<string, BilledLine>()
  for (let start = 0; start < ids.length; start += BATCH)
    for await (const part of tenantOrdersInParts(db, tenantId, ids.slice(start, start + BATCH)))
      for (const { buy } of part)
        for (const { packageId, pricing, terms } of buy.packages) {
          const priceMicros = flightPriceMicros(pricing, terms)
          lines.set(packageId, {
            orderName: nameOfBuy(buy),
            poNumber: buy.poNumber,
            ...{ currency: pricing.currency, model: pricing.model, rateMicros: terms.rateMicros },
            isCleared: chargeRuleOf(pricing) === 'clearing_price',
            budgetMicros: commitmentMicros(pricing, terms),
            ...(priceMicros !== undefined && {
              flat: {
                priceMicros,
                time: pricing.time && { unit: pricing.time.unit, rateMicros: terms.rateMicros },
                ...flightOf(terms),
              },
            }),
          })
        }
  const booked = await listBookedLines(db, tenantId, ids)
  for (const { lineId, lineName, orderName, advertiser, party, currency, pricing } of booked)
    lines.set(lineId, { lineName, orderName, sold: { party, advertiser }, currency, ...pricing, flat: flatOf(pricing) })
  const parties = new Map(booked.map(({ orderId, party }) => [orderId, party]))
  const products = await nameProducts(
    context,
    tenantId,
    services.map(({ productId }) => productId),
  )
  const below = services.filter(
    (each): each is BilledService => 'packageId' in each && costsLess(each, lines.get(each.packageId)),
  )
  const spent = await spentBudgets(db, tenantId, below, ({ packageId }) => lines.get(packageId)?.budgetMicros)
  const calendar = localCalendar(await deliveryZone(db, tenantId))
  return { lines, terms: await findOrderTerms(db, tenantId, ids), parties, spent, products, calendar }
}

/** Whether an account pays for an order now: who was billed before has the corrections and its own credits, and is not what the terms of the order say. */
export function isPaidBy(accountId: string, orderId: string, { parties }: Pick<BilledOrders, 'parties'>): boolean {
  return (parties.get(orderId) ?? accountId) === accountId
}

/**
 * What an invoice says of a service of `month`; names and purchase orders are cut at 255 characters. A purchase order that people noted goes before that of the buyer. `billedAt`: what a service that was
 * billed before was billed at; else the terms of its order hold. Who no longer pays for the order reads its name as it was billed.
 */
export function serviceLine(
  service: BilledService,
  month: string,
  orders: BilledOrders,
  {
    reader,
    reason,
    billedAt,
  }: { readonly reader: Reader; readonly reason?: InvoiceReason | undefined; readonly billedAt: BilledAt | undefined },
): LineFacts {
  const { lines, terms, products, spent, calendar } = orders
  const { mediaBuyId: orderId, packageId: lineId, productId, serviceMonth, amountMicros } = service
  const found = lines.get(lineId)
  const ofOrder = terms.get(orderId) ?? NO_TERMS
  const { discountPercent = 0, commissionPercent = 0 } = billedAt ?? percentsOf(ofOrder)
  const { unit, quantity } = billedUnits(service, found)
  const isPayer = isPaidBy(service.accountId, orderId, orders)
  const poNumber = billedAt?.poNumber ?? (isPayer ? (ofOrder.poNumber ?? found?.poNumber) : undefined)
  const orderName = (isPayer ? undefined : billedAt?.orderName) ?? (found && orderNameFor(found, service.accountId))
  return {
    kind: serviceMonth === month ? 'delivery' : 'adjustment',
    ...{ serviceMonth, orderId, lineId, productId },
    name: factText(products.get(productId) ?? found?.lineName ?? productId),
    ...(orderName !== undefined && { orderName: factText(orderName) }),
    ...(poNumber !== undefined && { poNumber: factText(poNumber) }),
    ...priced(unit, quantity, amountMicros, found, { isSpent: spent.has(serviceKey(service)), calendar }),
    grossMicros: amountMicros,
    ...(reason && { reason: reasonText(reason, reader) }),
    ...(discountPercent > 0 && { discountPercent }),
    ...(commissionPercent > 0 && { commissionPercent }),
    ...(billedAt?.ofInvoice !== undefined && { ofInvoice: billedAt.ofInvoice }),
  }
}

/** The name of an order as `payer` reads it: who was billed before somebody else paid for the order does not read for whom it is now. */
function orderNameFor({ orderName, sold }: BilledLine, payer: string): string {
  return sold && sold.party === payer ? `${sold.advertiser}: ${orderName}` : orderName
}

/** Discount and commission of an order in per cent. */
export function percentsOf(terms: Pick<OrderTerms, 'discountBasisPoints' | 'commissionBasisPoints'>): Deductions {
  return { discountPercent: terms.discountBasisPoints / 100, commissionPercent: terms.commissionBasisPoints / 100 }
}

/**
 * What an invoice says of a charge: one of an amount with its reason, of which nothing is deducted; a credit is an amount alone, under the purchase order and the name by which what it gives back was invoiced (`credited`).
 */
export function chargeLine(
  charge: Charge,
  serviceMonth: string,
  orders: BilledOrders,
  { reader, credited }: { readonly reader: Reader; readonly credited: CreditedAt },
): LineFacts {
  const { lines, terms, products } = orders
  const { accountId, orderId, lineId, productId, micros: grossMicros } = charge
  const found = lines.get(lineId)
  const invoiced = credited.get(charge.chargeId)
  const ofOrder = isPaidBy(accountId, orderId, orders) ? (terms.get(orderId)?.poNumber ?? found?.poNumber) : undefined
  const poNumber = invoiced ? invoiced.poNumber : ofOrder
  const orderName = invoiced?.orderName ?? (found && orderNameFor(found, accountId))
  return {
    kind: grossMicros < 0 ? 'credit' : 'charge',
    ...{ serviceMonth, orderId, lineId, productId, name: factText(products.get(productId) ?? found?.lineName ?? orderId) },
    ...(orderName !== undefined && { orderName: factText(orderName) }),
    ...(poNumber !== undefined && { poNumber: factText(poNumber) }),
    ...{ unit: 'fee', per: 1, reason: factText(chargeReason(charge, reader)), grossMicros },
    ...(grossMicros > 0 && { quantity: 1, rateMicros: grossMicros, rateBasis: 'agreed' }),
    ...(invoiced?.ofInvoice !== undefined && { ofInvoice: invoiced.ofInvoice }),
  }
}

function flightOf({ startsAt, endsAt }: Pick<FlatPrice, 'startsAt' | 'endsAt'>): Pick<FlatPrice, 'startsAt' | 'endsAt'> {
  return { startsAt, endsAt }
}

/** The flat price of a line that people entered; undefined where it is sold by units, or its flight was not kept. */
function flatOf({ model, rateMicros, flight, dayRateMicros }: LinePricing): FlatPrice | undefined {
  if (model !== 'flat_rate' || !flight) return undefined
  const time = dayRateMicros === undefined ? undefined : { unit: 'day' as const, rateMicros: dayRateMicros }
  return { priceMicros: rateMicros, time, ...flight }
}

/** Why something is charged: as people said it, and what this program says in the language of the reader. */
function chargeReason({ kind, reason, rule, currency }: Charge, reader: Reader): string {
  if (reader.language === 'en') return reason
  if (kind === 'make_good' && reason.startsWith(MAKE_GOOD_REASON))
    return reasonText({ kind, text: reason.slice(MAKE_GOOD_REASON.length) }, reader)
  return kind === 'cancellation' && rule ? reasonText({ kind, rule, currency }, reader) : reason
}

/** A name as one line. */
function factText(text: string): string {
  return cutText(text, MOST_ON_INVOICE).replaceAll(/\s+/g, ' ')
}
