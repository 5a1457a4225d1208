import type { Db } from '../database.ts'

/** An ad of a line with a frequency cap that a visitor gets. */
export interface Exposure {
  readonly decisionId: string
  readonly viewer: string
  readonly lineId: string
  /** Of the decision. */
  readonly decidedAt: Date
}

/** What visitors have had, by visitor and line: times in milliseconds. */
export type ExposureTimes = ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>

/** How long a decision counts as an impression although none has come: a page that shows it late shows it within this time. */
export const UNCONFIRMED_MS = 600_000

/**
 * Times (milliseconds) at which visitors had ads of each line since `since`: counted impressions when they were shown, and decisions whose impression may still come as
 * infinite, since it can fall into any window. `now`: the earliest moment that a decision is made for.
 */
export async function exposuresOf(
  tx: Db,
  { tenantId, viewers }: { readonly tenantId: string; readonly viewers: readonly string[] },
  since: Date,
  now: Date,
): Promise<ExposureTimes> {
  const waiting = new Date(now.getTime() - UNCONFIRMED_MS).toISOString()
  const rows = await tx
    .selectFrom('embedded_exposures')
    .select(['viewer', 'line_id', 'seen_at', 'confirmed'])
    .where('tenant_id', '=', tenantId)
    .where('viewer', 'in', viewers)
    .where((e) =>
      e.or([
        e.and([e('confirmed', '=', 1), e('seen_at', '>', since.toISOString())]),
        e.and([e('confirmed', '=', 0), e('seen_at', '>=', waiting)]),
      ]),
    )
    .execute()
  const times = new Map<string, Map<string, number[]>>()
  for (const row of rows) {
    const lines = times.get(row.viewer) ?? new Map<string, number[]>()
    times.set(row.viewer, lines)
    const at = row.confirmed === 1 ? Date.parse(row.seen_at) : Number.POSITIVE_INFINITY
    const known = lines.get(row.line_id)
    if (known) known.push(at)
    else lines.set(row.line_id, [at])
  }
  return times
}

export async function addExposures(tx: Db, tenantId: string, exposures: readonly Exposure[]): Promise<void> {
  for (let at = 0; at < exposures.length; at += ROWS)
    await tx
      .insertInto('embedded_exposures')
      .values(
        exposures.slice(at, at + ROWS).map(({ decisionId, viewer, lineId, decidedAt }) => ({
          decision_id: decisionId,
          tenant_id: tenantId,
          viewer,
          line_id: lineId,
          seen_at: decidedAt.toISOString(),
          confirmed: 0,
        })),
      )
      .execute()
}

/** Rows of one statement: six parameters each, far below the limits of both engines. */
const ROWS = 500

/** Drops exposures from before a time: no cap covers an earlier time. */
export async function sweepExposures(tx: Db, before: Date): Promise<void> {
  await tx.deleteFrom('embedded_exposures').where('seen_at', '<', before.toISOString()).execute()
}
