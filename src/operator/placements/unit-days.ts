import type { UnitDay } from '../../domain/ad-serving/unit-day.ts'
import type { LocalCalendar } from '../../domain/calendar/local-time.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { PlaceHour } from '../../store/embedded/place-hours.ts'
import { askAdServer } from '../ask-ad-server.ts'
import type { OperatorContext } from '../operator-context.ts'

/** What a person waits for a report of an ad server; most take some seconds. */
const MOST_WAIT_MS = 60_000

interface Asked {
  readonly adServer: string
  readonly first: string
  readonly last: string
  /** Only this unit, by the ad server's id. */
  readonly place?: string | undefined
  /** Rows that are read at most; one more is read when there are. */
  readonly most: number
}

/**
 * What the ad units of an ad server were asked for and showed, as sums of placements that begin with their days: the days are those of its own time zone. Nothing is stored. Throws
 * UNSUPPORTED_FEATURE for an ad server that does not count it, SERVICE_UNAVAILABLE while its report is not made.
 */
export async function listUnitDays(
  context: OperatorContext & { readonly tenantId: string },
  { adServer, first, last, place, most }: Asked,
  calendar: LocalCalendar,
) {
  const { reportUnits } = await countingBackend(context, adServer)
  const names = new Map<string, string>()
  const sums: PlaceHour[] = []
  const until = Date.now() + MOST_WAIT_MS
  let [timeZone, after]: [string, string | undefined] = ['', undefined]
  do {
    if (Date.now() > until)
      throw new AdcpError('SERVICE_UNAVAILABLE', `${adServer} still makes the report; ask for fewer days, or again in a minute`)
    const part = await askAdServer(adServer, () => reportUnits({ first, last, ...(after !== undefined && { after }) }))
    for (const row of part.rows)
      if (place === undefined || row.unitId === place) {
        names.set(row.unitId, row.unitName)
        sums.push(sumOf(row, context.tenantId, calendar))
      }
    timeZone = part.timeZone
    after = part.next
  } while (after !== undefined && sums.length <= most)
  return { sums, names, timeZone }
}

async function countingBackend({ services, tenantId }: OperatorContext & { readonly tenantId: string }, adServer: string) {
  const backends = (await services.adServers()).backends(tenantId)
  const { reportUnits } = backends.get(adServer)?.backend ?? {}
  if (reportUnits) return { reportUnits }
  const counting = [...backends].flatMap(([name, { backend }]) => (backend.reportUnits ? name : []))
  const message = `ad_server: ${adServer} counts no requests of ad units; those that do: ${counting.join(', ') || 'none'}`
  throw new AdcpError(backends.has(adServer) ? 'UNSUPPORTED_FEATURE' : 'REFERENCE_NOT_FOUND', message, { field: 'ad_server' })
}

function sumOf({ unitId, day, requests, unfilled, ...counts }: UnitDay, tenantId: string, calendar: LocalCalendar): PlaceHour {
  return {
    ...{ tenantId, place: unitId, hour: calendar.startOf(day).toISOString() },
    // One request may ask for several ads: more of them may be unfilled than there are requests.
    ...{ requests, filled: Math.max(0, requests - unfilled), impressions: counts.impressions },
    ...{ viewable_impressions: counts.viewableImpressions, clicks: counts.clicks, completed_views: counts.completedViews },
  }
}
