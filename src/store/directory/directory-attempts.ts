import type { Db } from '../database.ts'
import type { DirectoryAttemptRow } from './directory-tables.ts'

/** Attempts that `directory status` can show. */
const ATTEMPTS = 10

/** Notes an attempt and forgets all but the last ten. */
export async function recordAttempt(tx: Db, attempt: DirectoryAttemptRow): Promise<void> {
  await tx
    .insertInto('directory_attempts')
    .values(attempt)
    .onConflict((conflict) =>
      conflict.columns(['publisher_domain', 'attempted_at']).doUpdateSet({ result: attempt.result, reason: attempt.reason }),
    )
    .execute()
  const last = await tx
    .selectFrom('directory_attempts')
    .select('attempted_at')
    .where('publisher_domain', '=', attempt.publisher_domain)
    .orderBy('attempted_at', 'desc')
    .offset(ATTEMPTS)
    .limit(1)
    .executeTakeFirst()
  if (!last) return
  await tx
    .deleteFrom('directory_attempts')
    .where('publisher_domain', '=', attempt.publisher_domain)
    .where('attempted_at', '<=', last.attempted_at)
    .execute()
}

export async function listAttempts(db: Db, domain: string): Promise<DirectoryAttemptRow[]> {
  return db
    .selectFrom('directory_attempts')
    .selectAll()
    .where('publisher_domain', '=', domain)
    .orderBy('attempted_at', 'desc')
    .execute()
}
