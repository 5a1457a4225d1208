import type { Db } from '../database.ts'

/** An ad of a line with a frequency cap that a visitor gets. */
export interface Exposure {
  readonly decisionId: string
  readonly viewer: string
  readonly lineId: string
}

/** How long a decision counts as an impression although none has come: a page that shows it late shows it within this time. */
export const UNCONFIRMED_MS = 600_000

/**
 * Times (milliseconds) at which a visitor had ads of each line since `since`: counted impressions when they were shown, and decisions whose impression
 * may still come as if it came now, since it can fall into any window.
 */
export async function exposuresOf(
  tx: Db,
  { tenantId, viewer }: { readonly tenantId: string; readonly viewer: string },
  since: Date,
  now: Date,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const waiting = new Date(now.getTime() - UNCONFIRMED_MS).toISOString()
  const rows = await tx
    .selectFrom('embedded_exposures')
    .select(['line_id', 'seen_at', 'confirmed'])
    .where('tenant_id', '=', tenantId)
    .where('viewer', '=', viewer)
    .where((e) =>
      e.or([
        e.and([e('confirmed', '=', 1), e('seen_at', '>', since.toISOString())]),
        e.and([e('confirmed', '=', 0), e('seen_at', '>=', waiting)]),
      ]),
    )
    .execute()
  const times = new Map<string, number[]>()
  for (const row of rows) {
    const at = row.confirmed === 1 ? Date.parse(row.seen_at) : now.getTime()
    const known = times.get(row.line_id)
    if (known) known.push(at)
    else times.set(row.line_id, [at])
  }
  return times
}

export async function addExposures(tx: Db, tenantId: string, exposures: readonly Exposure[], now: Date): Promise<void> {
  if (exposures.length === 0) return
  const seen_at = now.toISOString()
  await tx
    .insertInto('embedded_exposures')
    .values(
      exposures.map(({ decisionId, viewer, lineId }) => ({
        decision_id: decisionId,
        tenant_id: tenantId,
        viewer,
        line_id: lineId,
        seen_at,
        confirmed: 0,
      })),
    )
    .execute()
}

/** Drops exposures from before a time: no cap covers an earlier time. */
export async function sweepExposures(tx: Db, before: Date): Promise<void> {
  await tx.deleteFrom('embedded_exposures').where('seen_at', '<', before.toISOString()).execute()
}
