import type { ServingState } from '../../domain/ad-serving/desired-order.ts'
import { instantOf } from '../../domain/calendar/instant.ts'
import { localHour } from '../../domain/calendar/local-hour.ts'
import { openWeekOf } from '../../domain/calendar/open-week.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import {
  findEmbeddedOrderByAnchor,
  listEmbeddedLines,
  putEmbeddedLine,
  putEmbeddedOrder,
  setEmbeddedState,
} from '../../store/embedded/orders.ts'
import { isShownOf } from '../../store/embedded/reports.ts'
import { isOrderOfBuyer } from '../../store/order/orders.ts'
import { requireClosedStays } from './closed-lines.ts'
import { type PlacedLine, putDirectCreatives } from './direct-creatives.ts'
import { type DirectDifference, differenceText, directDifferences } from './direct-difference.ts'
import { holdingOf, moveHoldings, release } from './direct-holdings.ts'
import { bookDirectOrder } from './direct-ledger.ts'
import {
  type DirectLine,
  type DirectOrder,
  dayRateOf,
  orderSettingsOf,
  requirePrice,
  settingsOfDirectLine,
  termsOfDirectLine,
} from './direct-order.ts'
import { type DirectAct, directRecordOf, noted, requireOpen, requireRevision } from './direct-record.ts'
import { lineIdOf, orderIdOf } from './embedded-ids.ts'
import { anchorOfLine, DIRECT, getDirectOrder, readDirectOrder, settingsOfStored } from './stored-direct-order.ts'
import type { LineDocument, OrderDocument } from './stored-documents.ts'

export interface DirectOrderParts extends DirectAct {
  /** The revision that the order has to have; 0: it has to be new; absent: whichever it has. */
  readonly revision?: number | undefined
  /** Where hosted files are served. */
  readonly filesOrigin: string
  /** IANA name. */
  readonly timeZone: string
  /** What a product has to sell a day and where it is shown; undefined for a product that does not exist. */
  productOf(productId: string): { readonly dailyCapacity: number; readonly places: readonly string[] } | undefined
}

/** A direct order before and after a change. */
export interface WrittenDirectOrder {
  readonly before: DirectOrder | undefined
  readonly after: DirectOrder
  readonly differences: readonly DirectDifference[]
  /** Impressions that its guaranteed lines hold more, or fewer, of each product. */
  readonly heldChanges: ReadonlyMap<string, number>
  readonly revision: number
}

/**
 * Writes a direct order, or changes the one of the same id: what it no longer names ends. Guaranteed lines hold inventory, as packages of buyers do.
 * Throws PRODUCT_NOT_FOUND, PRODUCT_UNAVAILABLE when a day would be sold twice, INVALID_REQUEST, INVALID_STATE for an order that has ended and for a change of what is closed or invoiced, CONFLICT for
 * one that has another revision.
 */
export async function putDirectOrder(
  tx: Db,
  tenantId: string,
  order: DirectOrder,
  parts: DirectOrderParts,
): Promise<WrittenDirectOrder> {
  const anchor = `${DIRECT}${order.order_id}`
  const orderId = orderIdOf(tenantId, anchor)
  const known = await findEmbeddedOrderByAnchor(tx, tenantId, anchor)
  requireRevision(order.order_id, known, parts.revision)
  requireOpen(order.order_id, known?.state)
  if (!known && (await isOrderOfBuyer(tx, tenantId, order.order_id)))
    throw new AdcpError('INVALID_STATE', `a buyer has an order ${order.order_id}; choose another id`, { field: 'order_id' })
  requireSense(order)
  const orderBefore = known && (await readDirectOrder(tx, tenantId, known, parts.filesOrigin))
  const before = await documentsOf(tx, tenantId, orderId)
  const row = { orderId, anchor, state: known?.state ?? ('active' as const) }
  const written = { ...row, document: JSON.stringify({ settings: orderSettingsOf(order) } satisfies OrderDocument) }
  await putEmbeddedOrder(tx, tenantId, written, parts.now)
  const after = await putLines(tx, tenantId, { order, orderId, before }, parts)
  if (known) {
    const { currency } = settingsOfStored(known)
    const idOf = (lineAnchor: string) => lineIdOf(orderId, lineAnchor)
    await requireClosedStays(tx, tenantId, order, { currency, before, after }, { lineIdOf: idOf, now: parts.now })
  }
  const gone = [...before.keys()].filter((lineId) => !after.has(lineId))
  await setEmbeddedState(tx, tenantId, { orderId, lineIds: gone }, 'ended', parts.now)
  const heldChanges = await moveHoldings(tx, tenantId, [...before.values()], [...after.values()], parts.productOf)
  for (const lineId of gone) await release(tx, tenantId, orderId, lineId, parts.now)
  const orderAfter = await readDirectOrder(tx, tenantId, written, parts.filesOrigin)
  const differences = orderBefore ? directDifferences(orderBefore, orderAfter) : []
  const summary = orderBefore ? differences.map(differenceText) : ['entered']
  const direct = known && summary.length === 0 ? directRecordOf(known) : noted(known, summary, parts)
  const document: OrderDocument = { settings: orderSettingsOf(order), direct }
  await putEmbeddedOrder(tx, tenantId, { ...row, document: JSON.stringify(document) }, parts.now)
  const isDelivered = await isShownOf(tx, tenantId, [...before.keys()])
  await bookDirectOrder(tx, tenantId, order, { isDelivered, now: parts.now })
  return { before: orderBefore, after: orderAfter, differences, heldChanges, revision: direct.revision }
}

/** Writes the lines of an order; `before`: those that it had. */
async function putLines(
  tx: Db,
  tenantId: string,
  {
    order,
    orderId,
    before,
  }: { readonly order: DirectOrder; readonly orderId: string; readonly before: ReadonlyMap<string, LineDocument> },
  parts: DirectOrderParts,
): Promise<Map<string, LineDocument>> {
  const { currency } = order
  const after = new Map<string, LineDocument>()
  const placed: PlacedLine[] = []
  for (const [index, line] of order.lines.entries()) {
    const anchor = anchorOfLine(order.order_id, line.line_id)
    const lineId = lineIdOf(orderId, anchor)
    const product = parts.productOf(line.product_id)
    if (!product)
      throw new AdcpError('PRODUCT_NOT_FOUND', `there is no product ${line.product_id}`, { field: `lines[${index}].product_id` })
    const places = [...new Set([...product.places, line.product_id])]
    requireSameModel(line, before.get(lineId), index)
    const lineDocument = lineDocumentOf(line, { currency, places, timeZone: parts.timeZone }, before.get(lineId))
    after.set(lineId, lineDocument)
    const { endsAt } = lineDocument.settings
    const lineRow = { lineId, orderId, anchor, state: 'active' as const, endsAt }
    await putEmbeddedLine(tx, tenantId, { ...lineRow, document: JSON.stringify(lineDocument) }, parts.now)
    placed.push({ orderId, lineId, line, at: `lines[${index}]` })
  }
  await putDirectCreatives(tx, tenantId, placed, parts.now)
  return after
}

/** Pauses, resumes or ends a direct order; one that ends gives back what it holds. False: it was so already. Throws REFERENCE_NOT_FOUND, INVALID_STATE for one that has ended or whose flight is over. */
export async function setDirectOrderState(
  tx: Db,
  tenantId: string,
  externalId: string,
  state: ServingState,
  { now, person, revision }: DirectAct & Pick<DirectOrderParts, 'revision'>,
): Promise<boolean> {
  const known = await getDirectOrder(tx, tenantId, externalId)
  requireRevision(externalId, known, revision)
  const { orderId, state: current } = known
  if (state !== 'ended') requireOpen(externalId, current)
  if (state === current) return false
  const { settings }: OrderDocument = JSON.parse(known.document)
  requireFlight(externalId, settings.endsAt, now)
  const document: OrderDocument = { settings, direct: noted(known, [STATE_TEXT[state]], { now, person }) }
  await putEmbeddedOrder(tx, tenantId, { ...known, state, document: JSON.stringify(document) }, now)
  if (state !== 'ended') return true
  const documents = await documentsOf(tx, tenantId, orderId)
  await moveHoldings(tx, tenantId, [...documents.values()], [], () => undefined)
  for (const lineId of documents.keys()) await release(tx, tenantId, orderId, lineId, now)
  return true
}

/** What is completed is not paused, resumed or ended. */
function requireFlight(orderId: string, endsAt: string, now: Date): void {
  if (endsAt > now.toISOString()) return
  const message = `direct order ${orderId} is completed: its flight ended at ${endsAt}; change its dates to go on with it`
  throw new AdcpError('INVALID_STATE', message, { field: 'state' })
}

const STATE_TEXT: Readonly<Record<ServingState, string>> = { active: 'resumed', paused: 'paused', ended: 'ended' }

function requireSense({ lines }: DirectOrder): void {
  const ids = new Set<string>()
  for (const [index, line] of lines.entries()) {
    const field = (name: string) => ({ field: `lines[${index}].${name}` })
    if (ids.has(line.line_id))
      throw new AdcpError('INVALID_REQUEST', `two lines have the id ${line.line_id}; give each its own`, field('line_id'))
    ids.add(line.line_id)
    if (instantOf(line.ends_at, `lines[${index}].ends_at`) <= instantOf(line.starts_at, `lines[${index}].starts_at`))
      throw new AdcpError('INVALID_REQUEST', `${line.ends_at} is not after starts_at (${line.starts_at})`, field('ends_at'))
    for (const [at, { start_hour: start, end_hour: end }] of (line.targeting?.dayparts ?? []).entries())
      if (end <= start)
        throw new AdcpError(
          'INVALID_REQUEST',
          `end_hour ${end} is not after start_hour ${start}; a night over midnight is two dayparts`,
          field(`targeting.dayparts[${at}].end_hour`),
        )
    requirePrice(line, field)
    if ((line.priority ?? 'guaranteed') === 'guaranteed' && line.impressions === undefined)
      throw new AdcpError(
        'INVALID_REQUEST',
        'a guaranteed line needs a goal; give impressions, or priority standard or house',
        field('impressions'),
      )
  }
}

function lineDocumentOf(
  line: DirectLine,
  context: { readonly currency: string; readonly places: readonly string[]; readonly timeZone: string },
  before: LineDocument | undefined,
): LineDocument {
  const settings = settingsOfDirectLine(line)
  const dayRateMicros = dayRateOf(line)
  const isHeld = settings.priority === 'guaranteed' && line.impressions !== undefined
  const openWeek = openWeekOf(line.targeting?.dayparts, localHour(context.timeZone), settings.startsAt)
  return {
    settings,
    terms: termsOfDirectLine(line, context),
    // What was served at a unit price stays charged when the budget is lowered; a flat rate is what it is.
    committedMicros:
      settings.price.model === 'flat_rate'
        ? settings.budgetMicros
        : Math.max(before?.committedMicros ?? 0, settings.budgetMicros),
    ...(dayRateMicros !== undefined && { dayRateMicros }),
    ...(isHeld && { held: holdingOf(line.product_id, line.impressions, settings, openWeek) }),
  }
}

/** What was delivered stays charged by what it was sold by. */
function requireSameModel(line: DirectLine, before: LineDocument | undefined, index: number): void {
  const [was, is] = [before?.settings.price.model, settingsOfDirectLine(line).price.model]
  if (was === undefined || was === is) return
  const message = `line ${line.line_id} is sold by ${was}: end it, and enter a line of another id that is sold by ${is}`
  throw new AdcpError('INVALID_STATE', message, { field: `lines[${index}].price_model` })
}

async function documentsOf(tx: Db, tenantId: string, orderId: string): Promise<Map<string, LineDocument>> {
  const lines = await listEmbeddedLines(tx, tenantId, orderId)
  return new Map(
    lines.map(({ lineId, document }) => {
      const parsed: LineDocument = JSON.parse(document)
      return [lineId, parsed]
    }),
  )
}
