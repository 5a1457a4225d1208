import { localCalendar, nextDay } from '../../domain/calendar/local-time.ts'
import { addMetrics, type Metrics, NOTHING } from '../../domain/media-buy/delivery.ts'
import { eachInTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import { type SumDimension, type SumRow, sumsInParts } from '../../store/ad-serving/read-sums.ts'
import type { DeliverySource } from '../../store/ad-serving/rows.ts'
import { type DeliveryRow, deliveryRows } from '../../tasks/media-buy/delivery-rows.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Where a row of delivery has each dimension. */
const VALUES = {
  order: ({ order }) => order.buy.mediaBuyId,
  package: ({ packageId }) => packageId,
  product: ({ productId }) => productId,
  buyer: ({ order }) => order.principalId,
  advertiser: ({ order }) => order.buy.brand?.domain ?? '',
  account: ({ order }) => order.buy.accountId,
  creative: ({ creativeId }) => creativeId,
  day: ({ day }) => day,
  month: ({ day }) => day.slice(0, 7),
} satisfies Record<SumDimension, (row: DeliveryRow) => string>

/** What is asked of one reading. */
export interface DeliveryQuestion {
  readonly by: readonly SumDimension[]
  /** Days of the publisher, both included. */
  readonly first: string
  readonly last: string
  /** Rows that are wanted at most: an answer that is longer is not whole. Default: all. */
  readonly most?: number | undefined
}

export interface DeliveryFilter {
  readonly tenantId: string
  readonly buyer?: string | undefined
  readonly product?: string | undefined
  readonly order?: string | undefined
  /** Also what sandbox buyers and accounts bought, which costs nobody money. */
  readonly sandbox?: boolean | undefined
}

/**
 * What was delivered and earned, for several questions at once: the one definition of revenue, which reports, the console and the month close share. Days are
 * those of the publisher's time zone. What is over, and what ad servers reported, is read as daily sums; the ad server of everything else is asked. Throws
 * SERVICE_UNAVAILABLE when it does not report.
 */
export async function readDelivery(
  context: OperatorContext,
  filter: DeliveryFilter,
  questions: readonly DeliveryQuestion[],
): Promise<readonly (readonly SumRow[])[]> {
  const { tenantId, ...narrowed } = filter
  const { importOnRead } = await context.services.adServers()
  await importOnRead(tenantId)
  const sums = questions.map(({ most }) => new Sums(most))
  for (const [index, question] of questions.entries())
    for await (const part of sumsInParts(context.store.read, tenantId, { ...narrowed, ...question })) {
      await eachInTurns(part, (row) => sums[index]?.add(row))
      if (sums[index]?.isFull) break
    }
  for await (const row of liveRows(context, filter, questions)) {
    const { currency } = row.order.buy
    for (const [index, { by, first, last }] of questions.entries()) {
      if (row.day < first || row.day > last) continue
      sums[index]?.add({ values: by.map((name) => VALUES[name](row)), currency, metrics: row.metrics })
    }
  }
  return sums.map((each) => each.rows())
}

/** What ad servers count now of orders whose delivery is not in the daily sums, as {@link readDelivery} adds it. Throws SERVICE_UNAVAILABLE when one does not report. */
export async function readLiveDelivery(
  context: OperatorContext,
  filter: DeliveryFilter,
  question: DeliveryQuestion,
): Promise<readonly SumRow[]> {
  const sums = new Sums()
  for await (const row of liveRows(context, filter, [question]))
    if (row.day >= question.first && row.day <= question.last)
      sums.add({
        values: question.by.map((name) => VALUES[name](row)),
        currency: row.order.buy.currency,
        metrics: row.metrics,
      })
  return sums.rows()
}

async function* liveRows(
  context: OperatorContext,
  { order, sandbox = false, ...filter }: DeliveryFilter,
  questions: readonly DeliveryQuestion[],
): AsyncGenerator<DeliveryRow> {
  const { store, clock, config, services } = context
  const firsts = questions.map(({ first }) => first).sort()
  const lasts = questions.map(({ last }) => last).sort()
  const { startOf } = localCalendar(await deliveryZone(store.read, filter.tenantId))
  const sources: DeliverySource[] = sandbox ? ['live', 'sandbox'] : ['live']
  const wanted = {
    ...filter,
    sandbox,
    sources,
    from: startOf(firsts[0] ?? '').toISOString(),
    until: startOf(nextDay(lasts.at(-1) ?? '')).toISOString(),
    byCreative: questions.some(({ by }) => by.includes('creative')),
    conformance: config.conformance,
    now: clock(),
  }
  for await (const row of deliveryRows(store.read, await services.adServers(), wanted)) {
    if (order !== undefined && row.order.buy.mediaBuyId !== order) continue
    if (filter.product === undefined || row.productId === filter.product) yield row
  }
}

/** Sums by currency and values: of so many rows at most, and one more where there are more. */
class Sums {
  readonly #sums = new Map<string, SumRow>()
  readonly #most: number

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most
  }

  add({ values, currency, metrics }: SumRow): void {
    if (this.isFull || !isSomething(metrics)) return
    const key = JSON.stringify([currency, ...values])
    this.#sums.set(key, { values, currency, metrics: addMetrics(this.#sums.get(key)?.metrics ?? NOTHING, metrics) })
  }

  /** There are more than were asked for: no more count. */
  get isFull(): boolean {
    return this.#sums.size > this.#most
  }

  /** What is not nothing: a correction may leave a day without delivery. */
  rows(): readonly SumRow[] {
    const rows = [...this.#sums.values()]
    return rows.length > this.#most ? rows : rows.filter(({ metrics }) => isSomething(metrics))
  }
}

function isSomething(metrics: Metrics): boolean {
  return Object.values(metrics).some((count) => count !== 0)
}
