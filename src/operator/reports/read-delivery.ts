import { localCalendar, nextDay } from '../../domain/calendar/local-time.ts'
import { addMetrics, type Metrics, NOTHING } from '../../domain/media-buy/delivery.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import { readSums, type SumDimension, type SumRow } from '../../store/ad-serving/read-sums.ts'
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
  const sums = questions.map(() => new Sums())
  for (const [index, question] of questions.entries())
    for (const row of await readSums(context.store.read, tenantId, { ...question, ...narrowed })) sums[index]?.add(row)
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

/** Sums by currency and values. */
class Sums {
  readonly #sums = new Map<string, SumRow>()

  add({ values, currency, metrics }: SumRow): void {
    const key = JSON.stringify([currency, ...values])
    this.#sums.set(key, { values, currency, metrics: addMetrics(this.#sums.get(key)?.metrics ?? NOTHING, metrics) })
  }

  /** What is not nothing: a correction may leave a day without delivery. */
  rows(): readonly SumRow[] {
    return [...this.#sums.values()].filter(({ metrics }) => isSomething(metrics))
  }
}

function isSomething(metrics: Metrics): boolean {
  return Object.values(metrics).some((count) => count !== 0)
}
