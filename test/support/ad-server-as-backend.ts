import type { AdServer, BookedLine, LineOrder } from '../../src/ad-serving/ad-server.ts'
import type { AdServerBackend } from '../../src/ad-serving/backend.ts'
import type { LineSettings, OrderKey, OrderSettings, ServingState } from '../../src/domain/ad-serving/desired-order.ts'
import type { OrderTerms, Pricing } from '../../src/domain/media-buy/media-buy.ts'

/** A line under the id that the ad server gave it, with every version of its terms. */
interface SeenLine {
  readonly externalId: string
  state: ServingState
  settings: LineSettings
  terms: readonly OrderTerms[]
}

/** An order under the id that the ad server gave it. */
interface SeenOrder {
  readonly key: OrderKey
  state: ServingState
  settings: OrderSettings
  readonly lines: Map<string, SeenLine>
}

/** What an ad server answered, by its ids of orders: two ids for one order are two orders. */
export type Bookings = Map<string, SeenOrder>

/** When orders are written and when they are reported. */
interface Clocks {
  readonly booking: () => Date
  readonly report: () => Date
}

export function newBookings(): Bookings {
  return new Map()
}

/**
 * An ad server that is called with each order, as the contract suite asks reconciled ones: what is "there" is what its answers say is booked, under the
 * ids that it gave. So one that gives another id to a repeated call, one id to two publishers, or loses a line is found out.
 */
export function adServerAsBackend(adServer: AdServer, bookings: Bookings, clocks: Clocks): AdServerBackend {
  const anchorOf = ({ tenantId, externalId }: OrderKey) => JSON.stringify([tenantId, externalId])
  const ordersOf = (key: OrderKey) => [...bookings].filter(([, order]) => anchorOf(order.key) === anchorOf(key))
  const getOrder = (key: OrderKey) => {
    const [found] = ordersOf(key)
    if (!found) throw new Error(`no order ${key.externalId}`)
    return { orderId: found[0], order: found[1] }
  }
  /** Has the ad server change a line to these settings and this state, and takes note of the id that it answers with. */
  const write = async (key: OrderKey, externalId: string, settings: LineSettings, state: ServingState) => {
    const { orderId, order } = getOrder(key)
    const line = lineOrderOf(externalId, settings, state, clocks.booking())
    const booking = await adServer.change(anchorOf(key), orderId, [line], key.externalId)
    const lineId = booking.lineIds.get(externalId)
    if (lineId === undefined) return
    const known = order.lines.get(lineId)
    if (known) Object.assign(known, { settings, state, terms: [...known.terms, line.terms] })
    else order.lines.set(lineId, { externalId, settings, state, terms: [line.terms] })
  }
  const settingsIn = (key: OrderKey, externalId: string): LineSettings => {
    const found = [...getOrder(key).order.lines.values()].find((line) => line.externalId === externalId)
    if (!found) throw new Error(`no line ${externalId}`)
    return found.settings
  }
  return {
    name: adServer.name,
    description: adServer.description,
    simulated: adServer.simulated,
    capabilities: CAPABILITIES,
    check: async () => {},
    listInventory: async () => ({ units: [{ id: 'homepage', name: 'Any product', kind: 'ad_unit' }] }),
    forecast: (_tenantId, queries) => adServer.checkAvailability(queries),
    async observe(key) {
      const [first, ...others] = ordersOf(key)
      if (!first) return undefined
      const [id, { state, settings, lines }] = first
      return {
        id,
        state,
        settings,
        lines: [...lines].map(([lineId, { externalId, settings: own, state: has }]) => ({
          id: lineId,
          externalId,
          state: has,
          settings: own,
          associations: [],
        })),
        creatives: [],
        ...(others.length > 0 && { duplicateIds: others.map(([other]) => other) }),
      }
    },
    async putOrder(key, settings) {
      const { orderId } = await adServer.book(anchorOf(key), key.externalId, [])
      const known = bookings.get(orderId)
      if (known) known.settings = settings
      else bookings.set(orderId, { key, state: 'active', settings, lines: new Map() })
    },
    async setOrderState(key, state) {
      const { orderId, order } = getOrder(key)
      const anchor = anchorOf(key)
      if (state === 'active') await adServer.resume(anchor, orderId)
      else if (state === 'paused') await adServer.pause(anchor, orderId)
      else await adServer.cancel(anchor, orderId)
      order.state = state
    },
    putCreative: async () => {},
    putLine: (key, { externalId }, settings) => write(key, externalId, settings, stateIn(getOrder(key).order, externalId)),
    associate: async () => {},
    async setLineState(key, { externalId }, state) {
      await write(key, externalId, settingsIn(key, externalId), state)
    },
    async report({ orderExternalIds }) {
      const lines = [...bookings.values()]
        .filter(({ key }) => orderExternalIds.includes(key.externalId))
        .flatMap((order) => [...order.lines].map(([lineId, line]) => bookedLineOf(lineId, line)))
      const reports = await adServer.reportDelivery(lines, clocks.report())
      return {
        rows: reports.flatMap(({ packageId, days }) =>
          days.map(({ day, ...metrics }) => ({ ...metrics, lineExternalId: packageId, period: day })),
        ),
      }
    },
  }
}

const CAPABILITIES: AdServerBackend['capabilities'] = {
  booking: 'at_once',
  pricing: ['cpm'],
  pacing: ['even', 'asap', 'front_loaded'],
  targeting: ['geo_countries'],
  changesLines: true,
  pauses: true,
  ends: true,
  // Creatives do not reach an ad server of this port.
  creatives: false,
  dissociates: false,
  reports: { by: 'line', period: 'day' },
}

/** A new line is paused. */
function stateIn({ lines }: SeenOrder, externalId: string): ServingState {
  return [...lines.values()].find((line) => line.externalId === externalId)?.state ?? 'paused'
}

function lineOrderOf(packageId: string, settings: LineSettings, state: ServingState, now: Date): LineOrder {
  const { productId, startsAt, endsAt, budgetMicros, pacing, priority } = settings
  const { rateMicros } = settings.price
  const terms = { from: now.toISOString(), startsAt, endsAt, budgetMicros, rateMicros, pacing, running: state === 'active' }
  return { packageId, productId, pricing: pricingOf(settings), guaranteed: priority === 'guaranteed', terms }
}

function pricingOf({ price: { model, basis, rateMicros } }: LineSettings): Pricing {
  return { pricingOptionId: 'price', model, basis, currency: 'USD', fixedMicros: rateMicros, maxBid: false }
}

function bookedLineOf(lineId: string, { externalId, settings, terms }: SeenLine): BookedLine {
  const serving = [{ from: settings.startsAt }]
  return { packageId: externalId, lineId, pricing: pricingOf(settings), channels: ['display'], terms, serving, recorded: [] }
}
