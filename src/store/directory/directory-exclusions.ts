import { chunksInTurns } from '../chunks.ts'
import type { Db } from '../database.ts'
import type { DirectoryExclusionRow } from './rows.ts'

/** After this time a name that was dropped may be put on the crawl list again by a file that mentions it. */
const DROPPED_FOR_MS = 90 * 24 * 3_600_000

/** Records why a name is not on the crawl list; a later record replaces an earlier one. */
export async function exclude(tx: Db, row: DirectoryExclusionRow): Promise<void> {
  const { publisher_domain, ...values } = row
  await tx
    .insertInto('directory_exclusions')
    .values(row)
    .onConflict((conflict) => conflict.column('publisher_domain').doUpdateSet(values))
    .execute()
}

export async function findExclusion(db: Db, domain: string): Promise<DirectoryExclusionRow | undefined> {
  return db.selectFrom('directory_exclusions').selectAll().where('publisher_domain', '=', domain).executeTakeFirst()
}

/** Records in byte order of their domains, after one of them. */
export async function pageExclusions(db: Db, after: string, limit: number): Promise<DirectoryExclusionRow[]> {
  return db
    .selectFrom('directory_exclusions')
    .selectAll()
    .where('publisher_domain', '>', after)
    .orderBy('publisher_domain')
    .limit(limit)
    .execute()
}

export async function forgetExclusions(tx: Db, domains: readonly string[]): Promise<void> {
  for await (const chunk of chunksInTurns(domains)) {
    await tx.deleteFrom('directory_exclusions').where('publisher_domain', 'in', chunk).execute()
  }
}

/**
 * Those of some names that a file's mention must not put on the crawl list now. A dropped name may come back after 90 days, and at once where the file
 * grants something of it (`granted`): that counts only when its own address has been asked.
 */
export async function listExcluded(
  db: Db,
  { domains, granted }: { readonly domains: readonly string[]; readonly granted: ReadonlySet<string> },
  now: Date,
): Promise<ReadonlySet<string>> {
  const excluded = new Set<string>()
  const since = new Date(now.getTime() - DROPPED_FOR_MS).toISOString()
  for await (const chunk of chunksInTurns(domains)) {
    const rows = await db
      .selectFrom('directory_exclusions')
      .select(['publisher_domain', 'kind', 'excluded_at'])
      .where('publisher_domain', 'in', chunk)
      .execute()
    for (const { publisher_domain: name, kind, excluded_at: at } of rows)
      if (kind !== 'dropped' || (at > since && !granted.has(name))) excluded.add(name)
  }
  return excluded
}
