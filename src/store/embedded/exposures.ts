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

/** What a visitor had of a line, or may have had: an impression that was counted, or a decision whose impression may still come. */
export interface StoredExposure {
  readonly decisionId: string
  readonly viewer: string
  readonly lineId: string
  /** Of the impression, or of the decision, in milliseconds. */
  readonly at: number
  readonly isConfirmed: boolean
}

/** What visitors have had since `since`, and decisions whose impression may still come at `now`: the earliest moment that a decision is made for. */
export async function listExposures(
  db: Db,
  { tenantId, viewers }: { readonly tenantId: string; readonly viewers: readonly string[] },
  since: Date,
  now: Date,
): Promise<readonly StoredExposure[]> {
  const waiting = new Date(now.getTime() - UNCONFIRMED_MS).toISOString()
  const rows = await db
    .selectFrom('embedded_exposures')
    .select(['decision_id', 'viewer', 'line_id', 'seen_at', 'confirmed'])
    .where('tenant_id', '=', tenantId)
    .where('viewer', 'in', viewers)
    .where((e) =>
      e.or([
        e.and([e('confirmed', '=', 1), e('seen_at', '>', since.toISOString())]),
        e.and([e('confirmed', '=', 0), e('seen_at', '>=', waiting)]),
      ]),
    )
    .execute()
  return rows.map((row) => ({
    ...{ decisionId: row.decision_id, viewer: row.viewer, lineId: row.line_id },
    ...{ at: Date.parse(row.seen_at), isConfirmed: row.confirmed === 1 },
  }))
}

/**
 * Times (milliseconds) at which visitors had ads of each line since `since`: counted impressions when they were shown, and decisions whose impression may still come as
 * infinite, since it can fall into any window. `now`: the earliest moment that a decision is made for.
 */
export async function exposuresOf(
  tx: Db,
  of: Parameters<typeof listExposures>[1],
  since: Date,
  now: Date,
): Promise<ExposureTimes> {
  const times = new Map<string, Map<string, number[]>>()
  for (const { viewer, lineId, at, isConfirmed } of await listExposures(tx, of, since, now)) {
    const lines = times.get(viewer) ?? new Map<string, number[]>()
    times.set(viewer, lines)
    const time = isConfirmed ? at : Number.POSITIVE_INFINITY
    const known = lines.get(lineId)
    if (known) known.push(time)
    else lines.set(lineId, [time])
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

/** Drops what a visitor had, and gives how much that was. */
export async function eraseExposures(tx: Db, tenantId: string, viewer: string): Promise<number> {
  const own = tx
    .selectFrom('embedded_exposures')
    .select('decision_id')
    .where('tenant_id', '=', tenantId)
    .where('viewer', '=', viewer)
  if ((await own.limit(1).execute()).length === 0) return 0
  const { numDeletedRows } = await tx.deleteFrom('embedded_exposures').where('decision_id', 'in', own).executeTakeFirst()
  return Number(numDeletedRows)
}
