import { localCalendar } from '../../domain/calendar/local-time.ts'
import { groupBy } from '../../domain/group-by.ts'
import { type BuyDelivery, deliveryInSteps } from '../../domain/media-buy/delivery.ts'
import type { CreativeFacts, MediaBuy, Package } from '../../domain/media-buy/media-buy.ts'
import { withConversions } from '../../domain/media-buy/report-conversions.ts'
import { formOf, type Obligation } from '../../domain/reporting/obligation.ts'
import type { ReportRow } from '../../domain/reporting/report-row.ts'
import { hourRowsOf, rowsOf } from '../../domain/reporting/revision.ts'
import type { Services } from '../../pipeline/services.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Store } from '../../store/database.ts'
import { sumConversions } from '../../store/event/conversion-sums.ts'
import type { ReportOwner } from '../../store/reporting/generations.ts'
import { creativeFactsOf } from './creative-facts.ts'
import { hoursOf, reportsOf } from './orders.ts'

/** Whose delivery is read, and when. */
interface Asked {
  readonly store: Pick<Store, 'read'>
  readonly services: Pick<Services, 'adServers' | 'wiring'>
  readonly now: Date
  readonly buyer: ReportOwner & { readonly sandbox: boolean }
  readonly buys: readonly MediaBuy[]
  readonly creatives: CreativeFacts
}

/** Reads what the ad servers count of the periods of obligations, and gives the rows of each of them. Throws SERVICE_UNAVAILABLE when one does not report. */
export async function readReportRows(
  asked: Omit<Asked, 'creatives'>,
  open: readonly Obligation[],
): Promise<(obligation: Obligation) => readonly ReportRow[]> {
  const { store, buyer, buys } = asked
  const creatives = await creativeFactsOf(store.read, { ...buyer, conformance: undefined }, buys)
  const readers = new Map<string, (obligation: Obligation) => readonly ReportRow[]>()
  for (const [key, group] of groupBy(open, keyOf)) {
    const isOfHours = group.some((obligation) => formOf(obligation).period === 'PT1H')
    readers.set(key, await (isOfHours ? hourReader : dayReader)({ ...asked, creatives }, group))
  }
  return (obligation) => readers.get(keyOf(obligation))?.(obligation) ?? []
}

/** What obligations that are read together have in common. */
function keyOf(obligation: Obligation): string {
  const { period, alignment } = formOf(obligation)
  return `${period} ${alignment} ${obligation.timeZone ?? 'UTC'}`
}

async function hourReader({ services, buyer, buys, creatives }: Asked, open: readonly Obligation[]) {
  const hours = [...new Set(open.map(({ period }) => hourOf(period.start)))].sort()
  const reported = await hoursOf({ services, principal: buyer }, buys, creatives, hours)
  return (obligation: Obligation) => {
    const hour = hourOf(obligation.period.start)
    return hourRowsOf(obligation, buys, (_buy, { packageId, recorded }: Package) => {
      const counted = [reported.get(packageId)?.get(hour) ?? [], recorded.filter(({ at }) => hourOf(at) === hour)].flat()
      const sum = (name: 'impressions' | 'clicks') => counted.reduce((total, each) => total + each[name], 0)
      return { impressions: sum('impressions'), clicks: sum('clicks') }
    })
  }
}

const hourOf = (moment: string) => moment.slice(0, 'YYYY-MM-DDTHH'.length)

async function dayReader({ store, services, now, buyer, buys, creatives }: Asked, open: readonly Obligation[]) {
  const timeZone = open[0]?.timeZone ?? 'UTC'
  const { dayOf } = localCalendar(timeZone)
  const reports = await reportsOf({ services, principal: buyer, now, timeZone }, buys, creatives)
  // Events are credited to days of UTC: no other day has them.
  const isUtc = open.every((obligation) => formOf(obligation).alignment === 'utc')
  const deliveries = new Map<string, BuyDelivery>()
  for (const buy of buys) {
    const reported = reports.get(buy.mediaBuyId) ?? []
    const lines = isUtc
      ? withConversions(reported, (await sumConversions(store.read, buyer.tenantId, buy.mediaBuyId)).lines)
      : reported
    const delivery = await inTurns(deliveryInSteps(buy, lines, {}, (at) => dayOf(new Date(at))))
    deliveries.set(buy.mediaBuyId, delivery)
  }
  return (obligation: Obligation) =>
    rowsOf(obligation, buys, {
      day: dayOf(new Date(obligation.period.start)),
      daysOf: ({ mediaBuyId }, packageId) => deliveries.get(mediaBuyId)?.packages.get(packageId)?.days ?? [],
    })
}
