import { sql } from 'kysely'
import type { EventType } from '../../domain/event/event-type.ts'
import { type DayRange, inRange } from '../../domain/media-buy/delivery.ts'
import { ConversionCount, type ConversionTotals } from '../../domain/media-buy/report-conversions.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import { pageOfSize } from '../page-size.ts'

/** Conversions that one statement sums: some milliseconds. A buyer may report any number of them. */
const PART = 5_000

/** What the conversions of a media buy come to, in a report about a range of days. */
export async function sumConversions(
  db: Db,
  tenantId: string,
  mediaBuyId: string,
  range: DayRange = {},
): Promise<ConversionTotals> {
  const conversions = db.selectFrom('conversions').where('tenant_id', '=', tenantId).where('media_buy_id', '=', mediaBuyId)
  const count = new ConversionCount(range)
  let after = conversions
  for (;;) {
    const last = await after
      .select(['package_id', 'event_type', 'event_key'])
      .orderBy('package_id')
      .orderBy('event_type')
      .orderBy('event_key')
      .limit(1)
      .offset(PART - 1)
      .executeTakeFirst()
    const place = last && sql`(${last.package_id}, ${last.event_type}, ${last.event_key})`
    const part = place ? after.where(sql<boolean>`(package_id, event_type, event_key) <= ${place}`) : after
    const rows = await part
      .select(['package_id', 'day', 'event_type', 'event_source_id'])
      .select((eb) => eb.fn.countAll<number | string>().as('count'))
      // No sum of integers: a value has no bound, and theirs may have too many digits for one.
      .select(sql<number | string | null>`sum(value_micros * 1.0)`.as('value_micros'))
      .groupBy(['package_id', 'day', 'event_type', 'event_source_id'])
      .execute()
    for (const row of rows)
      count.add({
        packageId: row.package_id,
        day: row.day,
        // Written from a validated request.
        eventType: row.event_type as EventType,
        eventSourceId: row.event_source_id,
        count: Number(row.count),
        valueMicros: Number(row.value_micros ?? 0),
      })
    if (!place) return count.totals()
    after = conversions.where(sql<boolean>`(package_id, event_type, event_key) > ${place}`)
    await yieldToEventLoop()
  }
}

/** Conversions about one thing. */
export interface ContentConversions {
  readonly conversions: number
  readonly valueMicros: number
}

/** Conversions of a package in a range of days by what they are about, of the content ids that are asked for; of none there is no entry. */
export async function sumContents(
  db: Db,
  tenantId: string,
  { mediaBuyId, packageId }: { readonly mediaBuyId: string; readonly packageId: string },
  contentIds: ReadonlySet<string>,
  range: DayRange = {},
): Promise<ReadonlyMap<string, ContentConversions>> {
  const conversions = db
    .selectFrom('conversions')
    .select(['event_type', 'event_key', 'day', 'value_micros', 'content_ids'])
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', mediaBuyId)
    .where('package_id', '=', packageId)
    .orderBy('event_type')
    .orderBy('event_key')
  const sums = new Map<string, ContentConversions>()
  let after = conversions
  for (;;) {
    const { rows, isCut } = await pageOfSize(after, ['content_ids'], PART)
    for (const row of rows) {
      if (!inRange(row.day, range)) continue
      for (const id of new Set<string>(JSON.parse(row.content_ids))) {
        if (!contentIds.has(id)) continue
        const sum = sums.get(id) ?? { conversions: 0, valueMicros: 0 }
        sums.set(id, { conversions: sum.conversions + 1, valueMicros: sum.valueMicros + Number(row.value_micros ?? 0) })
      }
    }
    const last = rows.at(-1)
    if (!isCut || !last) return sums
    after = conversions.where(sql<boolean>`(event_type, event_key) > (${last.event_type}, ${last.event_key})`)
    await yieldToEventLoop()
  }
}
