import { groupBy } from '../domain/group-by.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { AdServer, Booking } from './ad-server.ts'
import { type ExternalId, readIds, writeIds } from './external-id.ts'

/** The ad servers of one publisher. */
export interface Routes {
  /** Serves every product without an ad server of its own. */
  readonly main: AdServer
  /** Ad servers of single products, by product id. */
  readonly byProduct: ReadonlyMap<string, AdServer>
  /** Every ad server in which an order of the publisher may be booked, by name. */
  readonly byName: ReadonlyMap<string, AdServer>
}

/**
 * One ad server over several: new lines go to the ad server of their product, lines that are booked stay where they are. An order whose lines lie in
 * several ad servers is one order in each. Throws SERVICE_UNAVAILABLE for an order in an ad server that is no longer configured.
 */
export function createRoutedAdServer(routes: Routes): AdServer {
  const { main, byProduct } = routes
  const used = [...new Set([main, ...byProduct.values()])]
  const serverOf = ({ lineId, productId }: { readonly lineId?: string; readonly productId: string }) =>
    lineId === undefined ? (byProduct.get(productId) ?? main) : named(routes, nameIn(lineId))
  const inEach = async (orderId: string, act: (server: AdServer, id: string) => Promise<void>) => {
    for (const { adServer, id } of readIds(orderId)) await act(named(routes, adServer), id)
  }
  return {
    name: used.map(({ name }) => name).join('+'),
    description: used.map(({ description }) => description).join(' '),
    simulated: used.every(({ simulated }) => simulated),
    requireKeepable(lines) {
      for (const [server, group] of groupBy(lines, serverOf)) server.requireKeepable?.(group.map(withOwnId))
    },
    async checkAvailability(queries) {
      const answers = await Promise.all(
        [...groupBy(queries, serverOf)].map(async ([server, group]) => {
          const found = await server.checkAvailability(group)
          return group.map((query, index) => [query, found[index]] as const)
        }),
      )
      const byQuery = new Map(answers.flat())
      return queries.flatMap((query) => byQuery.get(query) ?? [])
    },
    async book(anchor, mediaBuyId, lines) {
      const done: Part[] = []
      try {
        for (const [server, group] of groupBy(lines, serverOf))
          done.push({ server, booking: await server.book(anchor, mediaBuyId, group) })
      } catch (error) {
        // An order is booked as a whole or not at all.
        for (const { server, booking } of done) await server.cancel(anchor, booking.orderId).catch(() => undefined)
        throw error
      }
      return joined(done, [])
    },
    async change(anchor, orderId, lines, mediaBuyId) {
      const orders = readIds(orderId)
      const done: Part[] = []
      for (const [server, group] of groupBy(lines, serverOf)) {
        const order = orders.find(({ adServer }) => adServer === server.name)
        const own = group.map(withOwnId)
        const booking = order
          ? await server.change(anchor, order.id, own, mediaBuyId)
          : await server.book(anchor, mediaBuyId, own)
        done.push({ server, booking })
      }
      return joined(done, orders)
    },
    pause: (anchor, orderId) => inEach(orderId, (server, id) => server.pause(anchor, id)),
    resume: (anchor, orderId) => inEach(orderId, (server, id) => server.resume(anchor, id)),
    cancel: (anchor, orderId, lineIds) =>
      inEach(orderId, async (server, id) => {
        const own = lineIds?.flatMap(readIds).flatMap((line) => (line.adServer === server.name ? [line.id] : []))
        if (own?.length !== 0) await server.cancel(anchor, id, own)
      }),
    async reportDelivery(lines, now, timeZone) {
      const groups = groupBy(lines, ({ lineId }) => (lineId === '' ? main : named(routes, nameIn(lineId))))
      const reports = await Promise.all(
        [...groups].map(([server, group]) => server.reportDelivery(group.map(withOwnId), now, timeZone)),
      )
      return reports.flat()
    },
    ...(used.every(({ reportHours }) => reportHours) && {
      async reportHours(lines, hours) {
        const groups = groupBy(lines, ({ lineId }) => (lineId === '' ? main : named(routes, nameIn(lineId))))
        const reports = await Promise.all([...groups].map(([server, group]) => hoursOf(server)(group.map(withOwnId), hours)))
        return reports.flat()
      },
    }),
  }
}

/** Of an order that was booked before the publisher's ad servers were others, the ad server may count by day. */
function hoursOf(server: AdServer): NonNullable<AdServer['reportHours']> {
  if (server.reportHours) return server.reportHours
  throw new AdcpError('SERVICE_UNAVAILABLE', 'an ad server that an order of this account is booked in counts by day', {
    cause: new Error(`the ad server "${server.name}" does not report hours`),
  })
}

/** What one ad server booked of an order. */
interface Part {
  readonly server: AdServer
  readonly booking: Booking
}

/** One booking of several, with ids that say where each is; `before` are the orders that the lines may leave out. */
function joined(parts: readonly Part[], before: readonly ExternalId[]): Booking {
  const now = parts.map(({ server, booking }) => ({ adServer: server.name, id: booking.orderId }))
  const rest = before.filter((order) => now.every(({ adServer }) => adServer !== order.adServer))
  const lineIds = parts.flatMap(({ server, booking }) =>
    [...booking.lineIds].map(([packageId, id]) => [packageId, writeIds([{ adServer: server.name, id }])] as const),
  )
  return { orderId: writeIds([...rest, ...now]), lineIds: new Map(lineIds) }
}

function named({ byName }: Routes, name: string): AdServer {
  const server = byName.get(name)
  if (server) return server
  throw new AdcpError('SERVICE_UNAVAILABLE', 'the ad server that this order is booked in cannot be reached', {
    cause: new Error(`an order is booked in the ad server "${name}", which the configuration does not name; name it again`),
  })
}

function nameIn(lineId: string): string {
  return readIds(lineId)[0]?.adServer ?? ''
}

/** The line with its id as its own ad server knows it. */
function withOwnId<L extends { readonly lineId?: string }>(line: L): L {
  const id = line.lineId === undefined ? undefined : readIds(line.lineId)[0]?.id
  return id === undefined || id === line.lineId ? line : { ...line, lineId: id }
}
