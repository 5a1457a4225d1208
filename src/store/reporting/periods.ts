import { nameOf } from '../../domain/reporting/generation.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import type { ReportOwner } from './generations.ts'
import { CORRECTIONS, recordsOf } from './records.ts'

/** What a record of something owed is found by, without its document. */
export interface ObligationKey {
  readonly seq: number
  readonly obligationId: string
  readonly sliceId: string
}

/** Which obligations are meant, of the records up to `until`. */
export interface ObligationRange {
  readonly generations: readonly Parameters<typeof nameOf>[0][]
  readonly until: number
  /** The first moment of their periods at the earliest. */
  readonly since?: string | undefined
  /** The last moment of their periods at the latest. */
  readonly before?: string | undefined
}

/** Values of one statement of the store, and what is read before others are served. */
const AT_ONCE = 500

/** The keys of obligations, in order of their periods. */
export async function listObligationKeys(
  db: Db,
  owner: ReportOwner,
  { generations, until, since, before }: ObligationRange,
): Promise<ObligationKey[]> {
  if (generations.length === 0) return []
  const rows = await recordsOf(db, owner)
    .select(['seq', 'record_id', 'slice_id'])
    .where('generation', 'in', generations.map(nameOf))
    .where('seq', '<=', until)
    .$if(since !== undefined, (q) => q.where('period_start', '>=', since ?? ''))
    .$if(before !== undefined, (q) => q.where('period_end', '<=', before ?? ''))
    .orderBy('period_start')
    .orderBy('seq')
    .execute()
  return rows.map((row) => ({ seq: row.seq, obligationId: row.record_id, sliceId: row.slice_id }))
}

/** The start of the newest period that each configuration owes, by its name. */
export async function newestPeriods(db: Db, owner: ReportOwner): Promise<ReadonlyMap<string, string>> {
  const rows = await recordsOf(db, owner)
    .select('generation')
    .select((e) => e.fn.max('period_start').as('newest'))
    .where('generation', 'is not', null)
    .groupBy('generation')
    .execute()
  return new Map(rows.map(({ generation, newest }) => [generation ?? '', newest]))
}

/** The slices of which something was recorded behind `after`; with `before`, of periods that begin earlier, and corrections. */
export async function changedSlices(
  db: Db,
  owner: ReportOwner,
  { after, until, before }: { readonly after: number; readonly until: number; readonly before?: string | undefined },
): Promise<ReadonlySet<string>> {
  const rows = await recordsOf(db, owner)
    .select('slice_id')
    .distinct()
    .where('seq', '>', after)
    .where('seq', '<=', until)
    .$if(before !== undefined, (q) => q.where((e) => e.or([e('period_start', '<', before ?? ''), e('kind', 'in', CORRECTIONS)])))
    .execute()
  return new Set(rows.map((row) => row.slice_id))
}

/** The places of what was published and said of some slices behind `after`, in order. */
export async function listEvidence(
  db: Db,
  owner: ReportOwner,
  slices: readonly string[],
  { after, until }: { readonly after: number; readonly until: number },
): Promise<number[]> {
  const found: number[] = []
  for (let from = 0; from < slices.length; from += AT_ONCE) {
    if (from > 0) await yieldToEventLoop()
    const rows = await recordsOf(db, owner)
      .select('seq')
      .where('slice_id', 'in', slices.slice(from, from + AT_ONCE))
      .where('kind', '<>', 'obligation')
      .where('seq', '>', after)
      .where('seq', '<=', until)
      .execute()
    for (const { seq } of rows) found.push(seq)
  }
  return found.sort((a, b) => a - b)
}
