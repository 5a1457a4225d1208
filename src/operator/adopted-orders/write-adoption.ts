import { nextMonth } from '../../domain/billing/billing-lines.ts'
import { localDay } from '../../domain/calendar/local-time.ts'
import { type AdoptedLine, plannedMicros, wholeOf, withPriceOf } from '../../domain/order/adopted-line.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { closedMonths } from '../../store/billing/invoices.ts'
import type { Db } from '../../store/database.ts'
import {
  adoptedIds,
  adoptedKey,
  adoptedLineKey,
  adoptedOrderOf,
  findAdoptedOrder,
  isLineOfOther,
  listAdoptedLines,
} from '../../store/order/adopted-orders.ts'
import { partyOfOrder } from '../../store/order/order-terms.ts'
import { findOrderRow, isOrderOfBuyer, type OrderRow, putOrder, type WrittenOrder } from '../../store/order/orders.ts'
import type { ActContext } from '../act.ts'
import { publisherCalendar } from '../flight.ts'

import type { Adoption, AskedAdoption } from './read-adoption.ts'

/** A line whose price at the ad server is another one than was adopted. */
export interface PriceThere {
  readonly id: string
  readonly adopted: AdoptedLine
  readonly there: AdoptedLine
}

/** What writing an adoption came to. */
export interface WrittenAdoption {
  readonly orderId: string
  readonly isNew: boolean
  readonly before: Readonly<Record<string, string>> | undefined
  readonly after: Readonly<Record<string, string>>
  readonly prices: readonly PriceThere[]
}

/**
 * Writes an order that was read to the book. Of one that was adopted before, names, flights, goals and states follow the ad server, and lines are added; the id, the advertiser, the currency, the first month that is billed and the prices stay. Throws INVALID_REQUEST
 * for an id that another order has, for an advertiser that nobody names, and for a month that is closed.
 */
export async function writeAdoption(tx: Db, context: ActContext, adoption: Adoption): Promise<WrittenAdoption> {
  const { tenantId, clock, actor } = context
  const { adServer, there, asked } = adoption
  const now = clock()
  const knownId = (await adoptedIds(tx, tenantId, adServer, [there])).get(there)
  const known = knownId === undefined ? undefined : await findAdoptedOrder(tx, tenantId, knownId)
  const orderId = known?.order_id ?? (await freeId(tx, tenantId, asked.order_id ?? `${adServer}-${there}`))
  if (known) requireUnchanged(known, asked)
  const before = known ? await listAdoptedLines(tx, tenantId, { orderIds: [orderId] }) : []
  const prices: PriceThere[] = []
  const had = new Map(before.map((row) => [row.line.booked.id, row]))
  const keyOf = ({ booked: { id } }: AdoptedLine) => had.get(id)?.lineId ?? adoptedLineKey(adServer, orderId, id)
  if (await isLineOfOther(tx, tenantId, orderId, adoption.lines.map(keyOf)))
    throw new AdcpError('INVALID_STATE', `a line of order ${there} has the key of a line of another order; name another id`, {
      field: 'order_id',
    })
  const lines = adoption.lines.map((line) => {
    const adopted = had.get(line.booked.id)?.line
    // A price that cannot be read was adopted by nobody.
    if (!adopted || (adopted.booked.fault !== undefined && adopted.rateMicros === 0)) return line
    if (adopted.model !== line.model || perUnit(adopted) !== perUnit(line) || flightPriceOf(adopted) !== flightPriceOf(line))
      prices.push({ id: line.booked.id, adopted, there: line })
    return withPriceOf(line, adopted)
  })
  if (known && known.currency !== adoption.currency)
    throw new AdcpError(
      'INVALID_STATE',
      `order ${there} was adopted in ${known.currency}, and is in ${adoption.currency} at ${adServer}`,
      { field: 'there' },
    )
  const advertiser = known?.advertiser ?? asked.billed_party ?? adoption.advertiser
  if (advertiser === '')
    throw new AdcpError('INVALID_REQUEST', `${adServer} names no advertiser of order ${there}; say who it is billed to`, {
      field: 'billed_party',
    })
  const row = await orderRow(tx, context, adoption, { orderId, advertiser, known, lines })
  const stored = known ? adoptedOrderOf(known) : { id: there, adoptions: [] }
  const adoptions = [...stored.adoptions, { at: now.toISOString(), person: actor.credential }].slice(-MOST_ADOPTIONS)
  const billedFrom = known ? known.billed_from : await firstBilled(tx, context, asked.billed_from)
  await putOrder(
    tx,
    tenantId,
    { ...row, document: JSON.stringify({ ...stored, adoptions }) },
    lines.map((line) => ({ line_id: keyOf(line), product_id: '', document: JSON.stringify(line) })),
    now,
    billedFrom,
  )
  return {
    ...{ orderId, isNew: known === undefined, prices },
    before:
      known &&
      watched(
        known.name,
        before.map(({ line }) => line),
      ),
    after: watched(adoption.name, lines),
  }
}

/** Readings of the history of an order. */
const MOST_ADOPTIONS = 200

async function orderRow(
  tx: Db,
  { tenantId, clock }: ActContext,
  { adServer, there, name, currency }: Adoption,
  of: {
    readonly orderId: string
    readonly advertiser: string
    readonly known: OrderRow | undefined
    readonly lines: readonly AdoptedLine[]
  },
): Promise<Omit<WrittenOrder, 'document'>> {
  const { orderId, advertiser, lines } = of
  const { startsAt, endsAt } = wholeOf(lines)
  const isPriced = lines.some(({ rateMicros }) => rateMicros > 0)
  const planned = lines.map((line) => plannedMicros(line) ?? Number.MAX_SAFE_INTEGER)
  const budget = planned.reduce((sum, each) => sum + each, 0)
  return {
    ...{ order_id: orderId, origin: 'adopted', ad_server: adServer, external_id: adoptedKey(adServer, there) },
    ...{ name, advertiser, currency, starts_at: startsAt, ends_at: endsAt },
    // Orders that cost nothing are not billed.
    party: await partyOfOrder(tx, tenantId, orderId, { advertiser, isPriced, isDelivered: false }),
    budget_micros: Math.min(budget, Number.MAX_SAFE_INTEGER),
    search: [orderId, name, advertiser, there].join(' ').toLowerCase(),
    report_at: clock().toISOString(),
  }
}

/** The id of an order that is new. Throws INVALID_REQUEST for one that another order has. */
async function freeId(tx: Db, tenantId: string, id: string): Promise<string> {
  if (!(await findOrderRow(tx, tenantId, id)) && !(await isOrderOfBuyer(tx, tenantId, id))) return id
  throw new AdcpError('INVALID_REQUEST', `another order has the id ${id}; name a free one`, { field: 'order_id' })
}

/** Throws INVALID_REQUEST for what stays as it was adopted. */
function requireUnchanged(known: OrderRow, { order_id: id, billed_party: party, billed_from: from }: AskedAdoption): void {
  const refuse = (field: string, is: string) => {
    throw new AdcpError('INVALID_REQUEST', `the order was adopted with ${field} ${is}, which stays; leave ${field} out`, {
      field,
    })
  }
  if (id !== undefined && id !== known.order_id) refuse('order_id', known.order_id)
  if (party !== undefined && party !== known.advertiser) refuse('billed_party', known.advertiser)
  if (from !== undefined && from !== known.billed_from) refuse('billed_from', known.billed_from)
}

/** The first month that is billed of a new order: the one in which it is adopted, unless it is said; never one that is closed. */
async function firstBilled(tx: Db, context: ActContext, asked: string | undefined): Promise<string> {
  const { tenantId, clock } = context
  const { timeZone } = await publisherCalendar(context, tenantId)
  const closed = (await closedMonths(tx, tenantId)).at(-1)?.month
  const open = closed === undefined ? '' : nextMonth(closed)
  const month = asked ?? localDay(clock(), timeZone).slice(0, 7)
  if (month >= open) return month
  if (asked === undefined) return open
  throw new AdcpError('INVALID_REQUEST', `${asked} is closed; the first month that can be billed is ${open}`, {
    field: 'billed_from',
  })
}

function perUnit({ rateMicros, dayRateMicros }: AdoptedLine): number {
  return dayRateMicros ?? rateMicros
}

/** What the whole flight costs of a flat price: another flight is another price. */
function flightPriceOf({ model, rateMicros }: AdoptedLine): number | undefined {
  return model === 'flat_rate' ? rateMicros : undefined
}

/** Members that the audit log names when they change. */
function watched(name: string, lines: readonly AdoptedLine[]): Readonly<Record<string, string>> {
  const members = lines.flatMap(({ booked }): [string, string][] => {
    const flight = `${booked.startsAt} – ${booked.endsAt}`
    return [[booked.id, [booked.name, booked.state, flight, booked.goal?.units ?? 'no goal'].join(', ')]]
  })
  return { name, ...Object.fromEntries(members) }
}
