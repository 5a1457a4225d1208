import { withTimeLimit } from '../../ad-serving/reconcile/timed-backend.ts'
import type { ExistingLine } from '../../domain/ad-serving/existing-line.ts'
import { type AdoptedLine, adoptable, isLeftOut, type LeftOut, nameThere } from '../../domain/order/adopted-line.ts'
import { faultOfIds, faultOfLine } from '../../domain/order/line-faults.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { ActContext } from '../act.ts'
import { getBackend } from '../ad-servers/show-ad-servers.ts'
import { askAdServer } from '../ask-ad-server.ts'
import { publisherCalendar } from '../flight.ts'

/** What a person asks for. */
export interface AskedAdoption {
  /** Name of the ad server. */
  readonly name: string
  /** The ad server's own id of the order. */
  readonly there: string
  /** Of a new order here. */
  readonly order_id?: string
  /** Who it is billed to, as direct orders name the advertiser. */
  readonly billed_party?: string
  readonly billed_from?: string
}

/** An order of an ad server as it was read, ready to be written. */
export interface Adoption {
  readonly adServer: string
  readonly there: string
  readonly asked: AskedAdoption
  readonly name: string
  /** '': the ad server does not name it. */
  readonly advertiser: string
  readonly currency: string
  readonly lines: readonly AdoptedLine[]
  readonly leftOut: readonly LeftOut[]
}

/** Longest call, in milliseconds. */
const CALL_MS = 30_000
/** Lines of one order; the ad servers themselves allow fewer. */
const MOST_LINES = 1_000

/** Reads an order of an ad server. Throws UNSUPPORTED_FEATURE, REFERENCE_NOT_FOUND, INVALID_STATE for one of this program or one of which no line can be adopted, and what the ad server throws. */
export async function readAdoption(context: ActContext, asked: AskedAdoption): Promise<Adoption> {
  const { tenantId } = context
  const { name: adServer, backend } = await getBackend(context, tenantId, asked.name)
  const { readOrder, reportOrders } = withTimeLimit(backend, CALL_MS)
  if (!readOrder || !reportOrders)
    throw new AdcpError('UNSUPPORTED_FEATURE', `${adServer} does not give orders that people booked there`, { field: 'name' })
  const found = await askAdServer(adServer, () => readOrder(asked.there))
  const field = 'there'
  if (!found)
    throw new AdcpError(
      'REFERENCE_NOT_FOUND',
      `${adServer} has no order ${asked.there}; adservers existing lists the orders with their lines`,
      { field },
    )
  if (found.lines.some(({ isOurs }) => isOurs))
    throw new AdcpError(
      'INVALID_STATE',
      `order ${asked.there} of ${adServer} was booked by this program: it is in the book already`,
      { field },
    )
  if (found.lines.length > MOST_LINES)
    throw new AdcpError(
      'INVALID_STATE',
      `order ${asked.there} has ${found.lines.length} lines; at most ${MOST_LINES} can be adopted`,
      { field },
    )
  requireSound(found.lines, `order ${asked.there} of ${adServer}`)
  const zone = await publisherCalendar(context, tenantId)
  const read = found.lines.map((line) => ({ line: adoptable(line, zone), currency: line.currency }))
  const currency = read.find(({ line }) => !isLeftOut(line))?.currency ?? ''
  const lines = read.map((each): AdoptedLine | LeftOut =>
    isLeftOut(each.line) || each.currency === currency
      ? each.line
      : {
          id: each.line.booked.id,
          name: each.line.booked.name,
          reason: `its price is in ${each.currency}, that of the order in ${currency}`,
        },
  )
  const leftOut = lines.filter(isLeftOut)
  if (leftOut.length === lines.length) {
    const why = leftOut.slice(0, 3).map(({ id, reason }) => `${id}: ${reason}`)
    const reason = lines.length === 0 ? 'it has none' : why.join('; ')
    throw new AdcpError('INVALID_STATE', `no line of order ${asked.there} can be adopted: ${reason}`, { field })
  }
  return {
    ...{
      adServer,
      there: asked.there,
      asked,
      name: nameThere(found.name) || asked.there,
      advertiser: nameThere(found.advertiser),
    },
    ...{ currency, lines: lines.filter((line): line is AdoptedLine => !isLeftOut(line)), leftOut },
  }
}

/** Throws INVALID_STATE for lines that cannot be stored as the ad server gives them, naming the first with its member. */
function requireSound(lines: readonly ExistingLine[], of: string): void {
  const refuse = (line: string, fault: string): never => {
    throw new AdcpError('INVALID_STATE', `${of} cannot be adopted: ${line}: ${fault}`, { field: 'there' })
  }
  const ids = faultOfIds(lines)
  if (ids) refuse(`line ${ids.index + 1} of ${lines.length}`, ids.fault)
  for (const line of lines) {
    const fault = faultOfLine(line)
    if (fault !== undefined) refuse(`line ${line.id}`, fault)
  }
}
