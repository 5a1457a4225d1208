import type { Published } from '../../domain/account/report-event.ts'
import { publishedAdjustment, publishedFiles, publishedRevision } from '../../domain/reporting/published.ts'
import type { Db } from '../database.ts'
import { enqueue } from '../webhook/outbox.ts'
import { endpointsOfAccount } from '../webhook/webhook-endpoints.ts'
import type { NewRecord } from './add-records.ts'
import type { ReportOwner } from './generations.ts'

/** Writes the webhooks about records for the buyer's subscribers of the account, in the transaction that publishes them. */
export async function tellSubscribers(tx: Db, owner: ReportOwner, records: readonly NewRecord[], now: Date): Promise<void> {
  const published = records.flatMap(publishedIn)
  if (published.length === 0) return
  const { tenantId, principalId, accountId } = owner
  const own = (await endpointsOfAccount(tx, tenantId, accountId)).filter((each) => each.principalId === principalId)
  for (const endpoint of own) {
    const { subscriber } = endpoint.settings
    if (!subscriber) continue
    for (const each of published.filter(({ type }) => subscriber.eventTypes.includes(type)))
      await enqueue(tx, endpoint, { published: each, accountId, subscriberId: subscriber.id, at: now }, now)
  }
}

/** What of a record subscribers are told; what buyers said themselves is told to nobody. */
function publishedIn(record: NewRecord): readonly Published[] {
  if (record.kind === 'revision') return [publishedRevision(record.revision)]
  if (record.kind === 'adjustment') return [publishedAdjustment(record.adjustment)]
  return record.kind === 'materialization' ? [publishedFiles(record.materialization, record.finality ?? 'snapshot')] : []
}
