import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { flatRow } from '../../domain/reporting/flat-rows.ts'
import { materializationOf, partsOf } from '../../domain/reporting/materialization.ts'
import type { ReportRow } from '../../domain/reporting/report-row.ts'
import type { FilesToMake, Publication } from '../../domain/reporting/settle.ts'
import type { Services } from '../../pipeline/services.ts'
import type { Store } from '../../store/database.ts'
import type { NewRecord } from '../../store/reporting/add-records.ts'
import type { ReportOwner } from '../../store/reporting/generations.ts'
import { findRevision } from '../../store/reporting/records.ts'

const compress = promisify(gzip)

/** What making files takes. */
interface Parts {
  readonly store: Pick<Store, 'read'>
  readonly services: Pick<Services, 'wiring'>
  readonly now: Date
}

/** The records of the files of reports, with their content. Rows are those of `published`, else of the stored report. */
export async function makeFiles(
  { store, services, now }: Parts,
  owner: ReportOwner,
  wanted: readonly FilesToMake[],
  published: readonly Publication[],
): Promise<readonly NewRecord[]> {
  const { origin } = new URL(services.wiring.agentUrl)
  const fresh = new Map(
    published.flatMap((each) => (each.kind === 'revision' ? [[each.revision.reporting_revision_id, each.rows] as const] : [])),
  )
  const records: NewRecord[] = []
  for (const { obligation, revision } of wanted) {
    const rows = fresh.get(revision.reporting_revision_id) ?? (await storedRows(store, owner, revision.reporting_revision_id))
    const compressed = await Promise.all(
      partsOf(obligation, rows.map(flatRow)).map(async ({ text, ...part }) => ({ ...part, bytes: await compress(text) })),
    )
    const made = materializationOf({ obligation, revision, owner, origin, now }, compressed)
    records.push({
      ...{ kind: 'materialization', sliceId: obligation.obligationId, periodStart: obligation.period.start },
      ...{ materialization: made.materialization, files: made.files, finality: revision.finality },
    })
  }
  return records
}

async function storedRows(store: Pick<Store, 'read'>, owner: ReportOwner, revisionId: string): Promise<readonly ReportRow[]> {
  const found = await findRevision(store.read, owner, revisionId)
  if (!found) throw new Error(`${revisionId} is recorded and not there`)
  return found.rows
}
