import { DAY_MS } from '../../src/domain/calendar/instant.ts'
import type { Generation } from '../../src/domain/reporting/generation.ts'
import { mismatchOf } from '../../src/domain/reporting/mismatch.ts'
import { obligationOf, sliceOf } from '../../src/domain/reporting/obligation.ts'
import { revisionOf } from '../../src/domain/reporting/revision.ts'
import type { Store } from '../../src/store/database.ts'
import { accountMediaBuys } from '../../src/store/media-buy/list-media-buys.ts'
import { addRecords } from '../../src/store/reporting/add-records.ts'
import { type ReportOwner, saveGenerations } from '../../src/store/reporting/generations.ts'
import { newestRecord } from '../../src/store/reporting/records.ts'

/** A report of the day before `now` that the buyer of an account calls contradictory, as both would have recorded it. Gives the id of the issue; `code` is why. */
export async function contradicted(store: Store, owner: ReportOwner, now: Date, code = 'coverage_short'): Promise<string> {
  const end = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  const period = { start: new Date(end - DAY_MS).toISOString(), end: new Date(end).toISOString() }
  const before = await newestRecord(store.read, owner)
  const generation: Generation = {
    ...{ configId: `daily-${before}`, version: 1, activatedAt: new Date(end - 2 * DAY_MS).toISOString() },
    config: {
      ...{ delivery_config_id: `daily-${before}`, delivery_config_version: 1, offering_id: 'delivery-daily-snapshot' },
      scope: { all_media_buys: true },
    },
  }
  const buys = await accountMediaBuys(store.read, owner, owner.accountId, now)
  const scope = buys.length > 0 ? { media_buy_ids: buys.map(({ mediaBuyId }) => mediaBuyId) } : generation.config.scope
  const obligation = obligationOf(
    { accountId: owner.accountId, destinationRef: 'd' },
    { ...generation, config: { ...generation.config, scope } },
    period,
    buys,
  )
  const place = { finality: 'snapshot' as const, supersedes: undefined, origin: 'https://seller.example', now }
  const revision = revisionOf(obligation, [], place)
  const statement = {
    ...{
      reporting_status_id: `statement-contradicts-${before}`,
      delivery_config_id: generation.configId,
      delivery_config_version: 1,
    },
    ...{ report_definition_id: revision.report_definition_id, period: { ...period, source_timezone: 'UTC' } },
    ...{ reporting_obligation_id: obligation.obligationId, reporting_revision_id: revision.reporting_revision_id },
    ...{ observed_revision_content_sha256: revision.revision_content_sha256, consumer_status: 'content_mismatch' as const },
    ...{ mismatch_code: code, status_as_of: now.toISOString(), recorded_at: now.toISOString() },
  }
  await store.transaction(async (tx) => {
    await saveGenerations(tx, owner, [generation])
    const sliceId = sliceOf(obligation)
    await addRecords(
      tx,
      owner,
      [
        { kind: 'obligation', sliceId, obligation },
        { kind: 'revision', sliceId, revision, rows: [] },
        { kind: 'consumer_status', sliceId: obligation.obligationId, statement },
      ],
      { after: before, now },
    )
  })
  return mismatchOf(obligation, [revision], [statement], now)?.issueId ?? ''
}
