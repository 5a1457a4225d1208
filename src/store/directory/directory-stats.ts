import type { RowStatus } from '../../domain/directory/lookup-query.ts'
import type { Db } from '../database.ts'
import type { DirectoryPublisherRow } from './rows.ts'

/** How much a directory holds. Reads whole tables: for people, not for pages. */
export interface DirectoryStats {
  /** Names on the crawl list, by what their well-known address serves. */
  readonly publishers: Readonly<Record<string, number>>
  readonly due: number
  readonly leased: number
  /** Names that only a selector mentions. */
  readonly mentioned: number
  /** Names that are not on the list, by why. */
  readonly excluded: Readonly<Record<string, number>>
  readonly agents: number
  readonly authorized: number
  readonly revoked: number
  /** Files that count at the moment. */
  readonly files: number
}

export async function directoryStats(db: Db, now: Date): Promise<DirectoryStats> {
  const at = now.toISOString()
  const count = async (rows: Promise<{ readonly rows: number | string }[]>) => Number((await rows)[0]?.rows ?? 0)
  const publishers = await db
    .selectFrom('directory_publishers')
    .select((eb) => ['serves as name', eb.fn.countAll<number>().as('rows')])
    .groupBy('serves')
    .execute()
  const excluded = await db
    .selectFrom('directory_exclusions')
    .select((eb) => ['kind as name', eb.fn.countAll<number>().as('rows')])
    .groupBy('kind')
    .execute()
  const listed = () => db.selectFrom('directory_publishers').select((eb) => eb.fn.countAll<number>().as('rows'))
  const claims = (shown: RowStatus) =>
    db
      .selectFrom('directory_claims')
      .select((eb) => eb.fn.countAll<number>().as('rows'))
      .where('shown', '=', shown)
      .execute()
  const all = db.selectFrom('directory_agents').select((eb) => eb.fn.countAll<number>().as('rows'))
  const files = db.selectFrom('directory_documents').select((eb) => eb.fn.countAll<number>().as('rows'))
  return {
    publishers: byName(publishers),
    due: await count(listed().where('next_attempt_at', '<=', at).execute()),
    leased: await count(listed().where('lease_until', '>=', at).execute()),
    mentioned: await count(listed().where('priority', '=', 1).execute()),
    excluded: byName(excluded),
    agents: await count(all.execute()),
    authorized: await count(claims('authorized')),
    revoked: await count(claims('revoked')),
    files: await count(files.where('content', '=', 'inline').execute()),
  }
}

/** Publishers of the crawl list in byte order, after one of them. */
export async function pagePublisherRows(db: Db, after: string, limit: number): Promise<DirectoryPublisherRow[]> {
  return db
    .selectFrom('directory_publishers')
    .selectAll()
    .where('publisher_domain', '>', after)
    .orderBy('publisher_domain')
    .limit(limit)
    .execute()
}

function byName(rows: readonly { readonly name: string; readonly rows: number | string }[]): Readonly<Record<string, number>> {
  return Object.fromEntries(rows.map(({ name, rows: counted }) => [name, Number(counted)]))
}
