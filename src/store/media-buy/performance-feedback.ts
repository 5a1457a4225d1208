import { randomUUID } from 'node:crypto'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'

/** A buyer's judgement of how a media buy, a package or a creative performed. */
export interface PerformanceFeedback {
  readonly mediaBuyId: string
  readonly packageId?: string
  readonly creativeId?: string
  readonly periodStart: string
  readonly periodEnd: string
  /** 0 = no value, 1 = as expected, above = better. */
  readonly performanceIndex: number
  readonly metricType: string
  readonly feedbackSource: string
}

/** Keeps a piece of feedback. Append-only. */
export async function insertPerformanceFeedback(
  tx: Db,
  owner: PrincipalRef,
  feedback: PerformanceFeedback,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('performance_feedback')
    .values({
      tenant_id: owner.tenantId,
      feedback_id: `fb_${randomUUID()}`,
      media_buy_id: feedback.mediaBuyId,
      created_at: now.toISOString(),
      document: JSON.stringify(feedback),
    })
    .execute()
}

/** Feedback on a media buy, oldest first. */
export async function listPerformanceFeedback(db: Db, tenantId: string, mediaBuyId: string): Promise<PerformanceFeedback[]> {
  const rows = await db
    .selectFrom('performance_feedback')
    .select('document')
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', mediaBuyId)
    .orderBy('created_at')
    .execute()
  return rows.map((row) => JSON.parse(row.document))
}
