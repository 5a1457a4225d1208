import { faultOfReported } from '../domain/ad-serving/report-faults.ts'
import { isDay } from '../domain/calendar/instant.ts'
import { type DayMetrics, type LineReport, NOTHING } from '../domain/media-buy/delivery.ts'
import { asAdcpError, type KnowsCode, memberOf } from '../protocol/foreign-error.ts'
import type { AdServer, Availability, Booking, LineOrder } from './ad-server.ts'
import { reportedCount } from './checked-lines.ts'
import type { AdServerLog } from './define-ad-server.ts'
import { RefusedRows } from './reconcile/refused-rows.ts'
import { requireUncapped } from './require-kept.ts'

/** What buyers read when an ad server fails without a code of AdCP. */
export const UNREACHABLE = 'the ad server of the publisher cannot be reached at the moment; try again later'

/**
 * An ad server that this project did not write: what it answers is checked before anything is stored or shown. An answer of another shape, and an
 * error without a code of AdCP, become SERVICE_UNAVAILABLE for the buyer; the log has the reason. Days that cannot be what was delivered do not count, which the log says once.
 */
export function createCheckedAdServer(
  name: string,
  inner: AdServer,
  knowsCode: KnowsCode,
  log: Pick<AdServerLog, 'warn'>,
): AdServer {
  let isSaid = false
  const sayOnce = (reason: string) => {
    if (!isSaid) log.warn({ adServer: name, reason }, 'rows of a report do not count; this is said once')
    isSaid = true
  }
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
    requireKeepable: requireUncapped,
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
    reportDelivery: (lines, now) =>
      run(
        'reportDelivery',
        () => inner.reportDelivery(lines, now),
        (answer) => {
          const refused = new RefusedRows()
          const reports = readReports(answer, now, refused)
          if (refused.reason !== undefined) sayOnce(refused.reason)
          return reports
        },
      ),
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

/** The days that can count; those that cannot are in `refused`. Throws TypeError for another shape. */
function readReports(answer: unknown, now: Date, refused: RefusedRows): readonly LineReport[] {
  if (!Array.isArray(answer)) throw new TypeError('the report must be a list of lines')
  return answer.map((line: unknown) => {
    const days = memberOf(line, 'days')
    if (!Array.isArray(days)) throw new TypeError('a line of the report must have days')
    const packageId = readId(memberOf(line, 'packageId'), 'packageId')
    return { packageId, days: days.flatMap((row: unknown) => readDay(row, packageId, { now, refused }) ?? []) }
  })
}

/** One day of a report; figures that the ad server does not know count as 0. */
function readDay(
  row: unknown,
  packageId: string,
  { now, refused }: { readonly now: Date; readonly refused: RefusedRows },
): DayMetrics | undefined {
  const day = memberOf(row, 'day')
  const figures = Object.fromEntries(Object.keys(NOTHING).map((name) => [name, reportedCount(memberOf(row, name))]))
  const fault = faultOfReported(day, figures, now)
  if (fault === undefined && isDay(day)) return { ...NOTHING, ...figures, day }
  refused.add(packageId, fault ?? `period ${String(day)} is an hour; a day is reported as a whole`)
  return undefined
}
