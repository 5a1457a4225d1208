import { type DayMetrics, type LineReport, NOTHING } from '../domain/media-buy/delivery.ts'
import { asAdcpError, type KnowsCode, memberOf } from '../protocol/foreign-error.ts'
import type { AdServer, Availability, Booking, LineOrder } from './ad-server.ts'

/** What buyers read when an ad server fails without a code of AdCP. */
export const UNREACHABLE = 'the ad server of the publisher cannot be reached at the moment; try again later'

/**
 * An ad server that this project did not write: what it answers is checked before anything is stored or shown. An answer of another shape, and an
 * error without a code of AdCP, become SERVICE_UNAVAILABLE for the buyer; the log has the reason.
 */
export function createCheckedAdServer(name: string, inner: AdServer, knowsCode: KnowsCode): AdServer {
  const { description, simulated } = inner
  const run = async <T>(method: string, work: () => Promise<unknown>, read: (answer: unknown) => T): Promise<T> => {
    try {
      return read(await work())
    } catch (error) {
      throw asAdcpError(error, `${name}.${method}`, knowsCode, UNREACHABLE)
    }
  }
  const nothing = () => undefined
  return {
    name,
    description,
    simulated,
    checkAvailability: (queries) =>
      run(
        'checkAvailability',
        () => inner.checkAvailability(queries),
        (answer) =>
          queries.map(({ productId }, index) => readAvailability(productId, Array.isArray(answer) ? answer[index] : answer)),
      ),
    book: (anchor, mediaBuyId, lines) =>
      run(
        'book',
        () => inner.book(anchor, mediaBuyId, lines),
        (answer) => readBooking(answer, lines),
      ),
    change: (anchor, orderId, lines, mediaBuyId) =>
      run(
        'change',
        () => inner.change(anchor, orderId, lines, mediaBuyId),
        (answer) => readBooking(answer, lines),
      ),
    pause: (anchor, orderId) => run('pause', () => inner.pause(anchor, orderId), nothing),
    resume: (anchor, orderId) => run('resume', () => inner.resume(anchor, orderId), nothing),
    cancel: (anchor, orderId, lineIds) => run('cancel', () => inner.cancel(anchor, orderId, lineIds), nothing),
    reportDelivery: (lines, now) => run('reportDelivery', () => inner.reportDelivery(lines, now), readReports),
  }
}

export function readAvailability(productId: string, answer: unknown): Availability {
  const available = memberOf(answer, 'available')
  const sufficient = memberOf(answer, 'sufficient')
  if (typeof available !== 'number' || !(available >= 0)) throw new TypeError(`available of ${productId} must be a number from 0`)
  if (typeof sufficient !== 'boolean') throw new TypeError(`sufficient of ${productId} must be true or false`)
  return { productId, available, sufficient, ...(memberOf(answer, 'forTargeting') === true && { forTargeting: true }) }
}

function readBooking(answer: unknown, lines: readonly LineOrder[]): Booking {
  const lineIds = memberOf(answer, 'lineIds')
  const orderId = readId(memberOf(answer, 'orderId'), 'orderId')
  if (!(lineIds instanceof Map)) throw new TypeError('lineIds must be a Map of line ids by package id')
  return {
    orderId,
    lineIds: new Map(lines.map(({ packageId }) => [packageId, readId(lineIds.get(packageId), `the line id of ${packageId}`)])),
  }
}

/** Longer than the ids of any ad server; they are stored with every media buy. */
const LONGEST_ID = 512

function readId(id: unknown, what: string): string {
  if (typeof id === 'string' && id !== '' && id.length <= LONGEST_ID) return id
  throw new TypeError(`${what} must be a text of 1 to ${LONGEST_ID} characters`)
}

function readReports(answer: unknown): readonly LineReport[] {
  if (!Array.isArray(answer)) throw new TypeError('the report must be a list of lines')
  return answer.map((line: unknown) => {
    const days = memberOf(line, 'days')
    if (!Array.isArray(days)) throw new TypeError('a line of the report must have days')
    return { packageId: readId(memberOf(line, 'packageId'), 'packageId'), days: days.map(readDay) }
  })
}

/** One day of a report; figures that the ad server does not know count as 0. */
function readDay(row: unknown): DayMetrics {
  const day = memberOf(row, 'day')
  if (typeof day !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new TypeError('day must be a UTC day, YYYY-MM-DD')
  const figures = Object.entries(NOTHING).map(([name, none]) => {
    const value = memberOf(row, name) ?? none
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new TypeError(`${name} of ${day} must be a whole number`)
    return [name, value]
  })
  return { ...NOTHING, ...Object.fromEntries(figures), day }
}
