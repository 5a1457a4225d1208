import { localCalendar } from '../../domain/calendar/local-time.ts'
import { microsToAmount } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import { listCharges } from '../../store/billing/charges.ts'
import { lastClosedMonth } from '../../store/billing/counted-zone.ts'
import { type InvoicedMonth, invoicedMonths } from '../../store/billing/credit-notes.ts'
import { advanceBook } from '../../store/book-revision.ts'
import type { Db } from '../../store/database.ts'
import { listEmbeddedHours } from '../../store/embedded/reports.ts'
import { chargedHours } from './charged-hours.ts'
import type { DirectLine, DirectOrder } from './direct-order.ts'
import { anchorOfLine } from './stored-direct-order.ts'
import type { LineDocument } from './stored-documents.ts'

/** Lines by their ids in the ad server, those that have ended too. */
type Lines = ReadonlyMap<string, LineDocument>

/** A line that is sold differently; `at`: where the document has it. */
interface SoldLine {
  readonly lineId: string
  readonly line: DirectLine
  readonly at: string
  readonly before: LineDocument
  readonly after: LineDocument
}

/** What to do instead. */
const INSTEAD = 'finance charges or credits the difference (billing add-charge), or enter a new line'

/**
 * What is closed and invoiced of a direct order stays as it is. Throws INVALID_STATE, naming the field and the invoice or month, for another currency of an order of which something was delivered, charged
 * or invoiced; for another price or product of a line that is on an invoice; and for a flight or a limit with which a closed month would cost something else. What was credited as a whole is due again, and may change.
 */
export async function requireClosedStays(
  tx: Db,
  tenantId: string,
  order: DirectOrder,
  { currency, before, after }: { readonly currency: string; readonly before: Lines; readonly after: Lines },
  { lineIdOf, now }: { lineIdOf(anchor: string): string; readonly now: Date },
): Promise<void> {
  const sold = order.lines.flatMap((line, index): SoldLine[] => {
    const lineId = lineIdOf(anchorOfLine(order.order_id, line.line_id))
    const [was, is] = [before.get(lineId), after.get(lineId)]
    return was && is && isSoldOtherwise(was, is) ? [{ lineId, line, at: `lines[${index}]`, before: was, after: is }] : []
  })
  if (currency === order.currency && sold.length === 0) return
  // First, so that no month is closed meanwhile: closing writes the same row.
  await advanceBook(tx, tenantId)
  const invoiced = await invoicedMonths(tx, tenantId, order.order_id)
  if (currency !== order.currency) await requireNothingOwed(tx, tenantId, order, currency, [...before.keys()], invoiced)
  const last = await lastClosedMonth(tx, tenantId)
  if (last === undefined) return
  const zone = await deliveryZone(tx, tenantId)
  for (const each of sold) {
    const own = invoiced.filter(({ lineId }) => lineId === anchorOfLine(order.order_id, each.line.line_id))
    requirePriceStays(each, own)
    await requireMonthsStay(tx, tenantId, each, own, { last, zone, now, currency })
  }
}

function isSoldOtherwise(a: LineDocument, b: LineDocument): boolean {
  const facts = ({ settings: { productId, startsAt, endsAt, price }, committedMicros, dayRateMicros }: LineDocument) =>
    JSON.stringify([productId, startsAt, endsAt, price.model, price.rateMicros, committedMicros, dayRateMicros])
  return facts(a) !== facts(b)
}

/** Amounts of what was delivered, charged and invoiced are in the currency that was agreed. */
async function requireNothingOwed(
  tx: Db,
  tenantId: string,
  { order_id: id, currency: wanted }: DirectOrder,
  currency: string,
  lineIds: readonly string[],
  [invoiced]: readonly InvoicedMonth[],
): Promise<void> {
  const refuse = (why: string) => {
    const message = `direct order ${id} is in ${currency}, and ${why}: end it, and enter an order of another id in ${wanted}`
    throw new AdcpError('INVALID_STATE', message, { field: 'currency' })
  }
  if (invoiced) refuse(`on invoice ${invoiced.invoiceId}`)
  const charges = await listCharges(tx, tenantId, { orderIds: [id], withSandbox: true })
  const charge = charges.find(({ state }) => state !== 'taken_back')
  if (charge) refuse(`charge ${charge.chargeId} of ${charge.incurredAt.slice(0, 7)} is too`)
  const [hour] = await listEmbeddedHours(tx, tenantId, lineIds)
  if (hour) refuse(`has delivered in it since ${hour.hour.slice(0, 10)}`)
}

function priceOf({ settings, dayRateMicros }: LineDocument): string {
  return dayRateMicros === undefined ? `${settings.price.rateMicros}` : `${dayRateMicros} a day`
}

function priceField({ line, before, after }: SoldLine): string {
  if ((before.dayRateMicros === undefined) !== (after.dayRateMicros === undefined)) return 'price_model'
  return line.price_model === undefined ? 'cpm' : 'rate'
}

function requirePriceStays(sold: SoldLine, months: readonly InvoicedMonth[]): void {
  const { line, at, before, after } = sold
  const billed = months.find(({ isReopened }) => !isReopened)
  if (!billed) return
  const refuse = (field: string, what: string) => {
    const message = `line ${line.line_id} is on invoice ${billed.invoiceId}, and its ${what} stays: ${INSTEAD}`
    throw new AdcpError('INVALID_STATE', message, { field: `${at}.${field}` })
  }
  if (priceOf(before) !== priceOf(after)) refuse(priceField(sold), 'price')
  if (before.settings.productId !== after.settings.productId) refuse('product_id', 'product')
}

async function requireMonthsStay(
  tx: Db,
  tenantId: string,
  sold: SoldLine,
  months: readonly InvoicedMonth[],
  { last, zone, now, currency }: { readonly last: string; readonly zone: string; readonly now: Date; readonly currency: string },
): Promise<void> {
  const { lineId, line, at, before, after } = sold
  const hours = (await listEmbeddedHours(tx, tenantId, [lineId])).map(({ creativeId, ...hour }) => ({
    ...hour,
    creativeExternalId: creativeId,
  }))
  const calendar = localCalendar(zone)
  const costs = ({ settings: { startsAt, endsAt }, terms, committedMicros }: LineDocument) => {
    const charged = { lineExternalId: lineId, model: terms.pricing.model, committedMicros, startsAt, endsAt }
    const sums = new Map<string, number>()
    for (const { period, spendMicros } of chargedHours(charged, hours, { now: now.getTime(), calendar })) {
      const month = calendar.dayOf(new Date(`${period}:00:00Z`)).slice(0, 7)
      sums.set(month, (sums.get(month) ?? 0) + spendMicros)
    }
    return sums
  }
  const [cost, would] = [costs(before), costs(after)]
  const reopened = new Set(months.filter(({ isReopened }) => isReopened).map(({ month }) => month))
  for (const [month, micros] of cost) {
    const other = would.get(month) ?? 0
    if (month > last || other === micros || reopened.has(month)) continue
    const invoice = months.find((each) => each.month === month)
    const where = invoice ? `, which is on invoice ${invoice.invoiceId}` : ', which is closed'
    const message = `line ${line.line_id} would cost ${microsToAmount(other)} ${currency} in ${month}${where}, and not ${microsToAmount(micros)} ${currency}: ${INSTEAD}`
    throw new AdcpError('INVALID_STATE', message, { field: `${at}.${changedField(sold)}` })
  }
}

/** The member that a closed month would cost something else by. */
function changedField(sold: SoldLine): string {
  const { line, before, after } = sold
  if (priceOf(before) !== priceOf(after)) return priceField(sold)
  if (before.settings.startsAt !== after.settings.startsAt) return 'starts_at'
  if (before.settings.endsAt !== after.settings.endsAt) return 'ends_at'
  return line.budget === undefined ? 'impressions' : 'budget'
}
