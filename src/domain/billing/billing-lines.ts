import { groupBy } from '../group-by.ts'
import { addMetrics, difference, type Metrics, NOTHING } from '../media-buy/delivery.ts'

/** What a package delivered in one month of service; amounts in micros of `currency`. */
export interface BilledService {
  readonly accountId: string
  readonly currency: string
  readonly mediaBuyId: string
  readonly packageId: string
  readonly productId: string
  /** `YYYY-MM`. */
  readonly serviceMonth: string
  readonly impressions: number
  readonly amountMicros: number
  /** Everything that was counted, where it is known: invoices from before it was kept know impressions alone. */
  readonly counts?: Metrics | undefined
}

/** Names a package in a month of service. */
export function serviceKey({ packageId, serviceMonth }: Pick<BilledService, 'packageId' | 'serviceMonth'>): string {
  return JSON.stringify([packageId, serviceMonth])
}

/**
 * What is still to be billed: what is delivered now less what was billed before. For a month that was closed the difference is a correction, and
 * may be negative. What was billed and is no longer reported at all is taken back: `billed` gives its rows, in the order of their invoices. Nothing is left out, so that all
 * invoices together are the delivery of all months, to the micro. A correction is of who was billed: the ledger says who pays for what is delivered.
 */
export function unbilled(delivered: readonly BilledService[], billed: readonly BilledService[]): readonly BilledService[] {
  const before = new Map<string, BilledService>()
  for (const [key, rows] of groupBy(billed, serviceKey)) {
    const net = rows.reduce((sum, row) => added(sum, row, 1))
    before.set(key, { ...net, accountId: payerOf(rows) ?? net.accountId })
  }
  const now = new Set(delivered.map(serviceKey))
  const taken = [...before.values()].filter((row) => !now.has(serviceKey(row))).map(takenBack)
  const due = delivered.map((row) => {
    const known = before.get(serviceKey(row))
    return known ? added(row, known, -1) : row
  })
  return [...due, ...taken].filter((row) => !isNothing(row))
}

function isNothing({ impressions, amountMicros }: BilledService): boolean {
  return impressions === 0 && amountMicros === 0
}

/** Who was billed last for a service, and was not given all of it back; undefined: nobody is left. */
function payerOf(rows: readonly BilledService[]): string | undefined {
  const accounts = groupBy(rows, ({ accountId }) => accountId)
  return [...accounts].findLast(([, own]) => !isNothing(own.reduce((sum, row) => added(sum, row, 1))))?.[0]
}

/** What takes a service back: with it, nothing of the service is billed. */
export function takenBack(row: BilledService): BilledService {
  return added({ ...row, impressions: 0, amountMicros: 0, counts: NOTHING }, row, -1)
}

function added(to: BilledService, row: BilledService, sign: 1 | -1): BilledService {
  const sum = sign === 1 ? addMetrics : difference
  return {
    ...to,
    impressions: to.impressions + sign * row.impressions,
    amountMicros: to.amountMicros + sign * row.amountMicros,
    counts: to.counts && row.counts && sum(to.counts, row.counts),
  }
}

/** The month after, `YYYY-MM`. */
export function nextMonth(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7)
}

/** The month before, `YYYY-MM`. */
export function monthBefore(month: string): string {
  return new Date(Date.parse(`${month}-01T00:00:00.000Z`) - 1).toISOString().slice(0, 7)
}

/** The first and the last day of a month. */
export function daysOfMonth(month: string): { readonly first: string; readonly last: string } {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return { first: `${month}-01`, last: new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10) }
}
