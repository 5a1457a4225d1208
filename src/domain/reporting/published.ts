import { DELIVERY_READY, LEDGER_CHANGED, type Published } from '../account/report-event.ts'
import type { Adjustment } from './adjustment.ts'
import type { Materialization } from './materialization.ts'
import type { Finality } from './offering.ts'
import type { Revision } from './revision.ts'

/** What subscribers are told of a published report. */
export function publishedRevision(revision: Revision): Published {
  const { reporting_revision_id: id, supersedes_reporting_revision_id: supersedes, finality } = revision
  const about = { change_kind: 'revision_published', reporting_revision_id: id, finality }
  return {
    ...{ type: LEDGER_CHANGED, id },
    about: { ...about, ...(supersedes !== undefined && { supersedes_reporting_revision_id: supersedes }) },
  }
}

/** What subscribers are told of a correction. */
export function publishedAdjustment({ reporting_adjustment_id: id, adjusts_reporting_revision_id }: Adjustment): Published {
  const about = { change_kind: 'adjustment_published', reporting_adjustment_id: id, adjusts_reporting_revision_id }
  return { type: LEDGER_CHANGED, id, about }
}

/** What subscribers are told of the files of a report; `finality`: that of the report. */
export function publishedFiles(materialization: Materialization, finality: Finality): Published {
  const { delivery_config_id, delivery_config_version, feed_purpose, reporting_revision_id } = materialization
  const { reporting_materialization_id: id } = materialization
  const about = {
    ...{ delivery_config_id, delivery_config_version, feed_purpose, reporting_revision_id },
    // Ad servers do not say up to which event they have counted.
    ...{ reporting_materialization_id: id, readiness: 'available', finality, data_through: null },
  }
  return { type: DELIVERY_READY, id, about }
}
