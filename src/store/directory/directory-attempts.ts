import { chunksInTurns } from '../chunks.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import type { DirectoryAttemptRow } from './rows.ts'

/** Attempts that `directory status` can show. */
const ATTEMPTS = 10

const insertAttempt = hotQuery(['publisher_domain', 'attempted_at', 'result', 'reason', 'duration_ms'], (tx, value) => {
  const outcome = { result: value.of<DirectoryAttemptRow['result']>('result'), reason: value('reason') }
  return tx
    .insertInto('directory_attempts')
    .values({
      publisher_domain: value('publisher_domain'),
      attempted_at: value('attempted_at'),
      duration_ms: value.of<number>('duration_ms'),
      ...outcome,
    })
    .onConflict((conflict) => conflict.columns(['publisher_domain', 'attempted_at']).doUpdateSet(outcome))
})

const deleteOldAttempts = hotQuery(['domain'], (tx, value) =>
  tx
    .deleteFrom('directory_attempts')
    .where('publisher_domain', '=', value('domain'))
    .where('attempted_at', '<=', (eb) =>
      eb
        .selectFrom('directory_attempts')
        .select('attempted_at')
        .where('publisher_domain', '=', value('domain'))
        .orderBy('attempted_at', 'desc')
        .offset(ATTEMPTS)
        .limit(1),
    ),
)

/** Notes an attempt and forgets all but the last ten. */
export async function recordAttempt(tx: Db, attempt: DirectoryAttemptRow): Promise<void> {
  await insertAttempt(tx, { ...attempt })
  await deleteOldAttempts(tx, { domain: attempt.publisher_domain })
}

export async function listAttempts(db: Db, domain: string): Promise<DirectoryAttemptRow[]> {
  return db
    .selectFrom('directory_attempts')
    .selectAll()
    .where('publisher_domain', '=', domain)
    .orderBy('attempted_at', 'desc')
    .execute()
}

/** The last attempt at each of some publishers, of those that ended at or after a time, by domain. */
export async function listLatestAttempts(
  db: Db,
  domains: readonly string[],
  since: Date,
): Promise<readonly DirectoryAttemptRow[]> {
  const latest = new Map<string, DirectoryAttemptRow>()
  for await (const chunk of chunksInTurns(domains)) {
    const rows = await db
      .selectFrom('directory_attempts')
      .selectAll()
      .where('publisher_domain', 'in', chunk)
      .orderBy('publisher_domain')
      .orderBy('attempted_at')
      .execute()
    for (const row of rows) latest.set(row.publisher_domain, row)
  }
  return [...latest.values()].filter((row) => Date.parse(row.attempted_at) + row.duration_ms >= since.getTime())
}
