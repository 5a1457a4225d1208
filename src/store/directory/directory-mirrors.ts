import { chunksInTurns } from '../chunks.ts'
import type { Db } from '../database.ts'
import { type PageOfSize, pageOfSize } from '../page-size.ts'
import type { DirectoryMirrorClaimRow, DirectoryMirrorRow } from './rows.ts'

/** Rows that one transaction drops, so that other writers do not wait long for it. */
const DROPPED_AT_ONCE = 5_000

export async function listMirrors(db: Db): Promise<readonly DirectoryMirrorRow[]> {
  return db.selectFrom('directory_mirrors').selectAll().where('generation', 'is not', null).orderBy('source').execute()
}

/** Adds rows of an import that does not count yet; of two for the same agent and publisher the first counts. */
export async function addMirrorRows(tx: Db, rows: readonly DirectoryMirrorClaimRow[]): Promise<void> {
  for await (const chunk of chunksInTurns(rows)) {
    await tx
      .insertInto('directory_mirror_rows')
      .values(chunk)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** Begins an import; the rows of one of the same source that is under way, or was broken off, may be dropped from now on. */
export async function beginMirror(tx: Db, source: string, pending: string): Promise<void> {
  await tx
    .insertInto('directory_mirrors')
    .values({ source, generation: null, pending, imported_at: null, sync_cursor: null, row_count: 0 })
    .onConflict((conflict) => conflict.column('source').doUpdateSet({ pending }))
    .execute()
}

/** Lets the import under way count in place of the one before; false when another one of the same source has begun since. */
export async function finishMirror(
  tx: Db,
  source: string,
  generation: string,
  values: Pick<DirectoryMirrorRow, 'imported_at' | 'sync_cursor' | 'row_count'>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('directory_mirrors')
    .set({ ...values, generation, pending: null })
    .where('source', '=', source)
    .where('pending', '=', generation)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Whether there was a mirror of this source. */
export async function deleteMirror(tx: Db, source: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('directory_mirrors').where('source', '=', source).executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Drops some rows of imports that count for nothing and are not under way; says whether there may be more. */
export async function dropUncounted(tx: Db): Promise<boolean> {
  const mirrors = await tx.selectFrom('directory_mirrors').select(['generation', 'pending']).execute()
  const current = mirrors.flatMap(({ generation, pending }) => [generation ?? [], pending ?? []].flat())
  let rows = tx.selectFrom('directory_mirror_rows').select(['agent_url', 'publisher_domain', 'generation'])
  if (current.length > 0) rows = rows.where('generation', 'not in', current)
  const dropped = await rows.limit(DROPPED_AT_ONCE).execute()
  for (const { agent_url, publisher_domain, generation } of dropped) {
    await tx
      .deleteFrom('directory_mirror_rows')
      .where('agent_url', '=', agent_url)
      .where('publisher_domain', '=', publisher_domain)
      .where('generation', '=', generation)
      .execute()
  }
  return dropped.length === DROPPED_AT_ONCE
}

/** What other directories say of an agent, in byte order of publishers, after one of them. */
export async function pageMirrorRows(
  db: Db,
  { agentUrl, after, limit }: { readonly agentUrl: string; readonly after: readonly [string, string]; readonly limit: number },
): Promise<PageOfSize<DirectoryMirrorClaimRow & Pick<DirectoryMirrorRow, 'source' | 'imported_at'>>> {
  const [domain, source] = after
  const rows = db
    .selectFrom('directory_mirror_rows as r')
    .innerJoin('directory_mirrors as m', 'm.generation', 'r.generation')
    .select(['r.agent_url', 'r.publisher_domain', 'r.generation', 'r.claim', 'm.source', 'm.imported_at'])
    .where('r.agent_url', '=', agentUrl)
    .where((eb) =>
      eb.or([
        eb('r.publisher_domain', '>', domain),
        eb.and([eb('r.publisher_domain', '=', domain), eb('m.source', '>', source)]),
      ]),
    )
    .orderBy('r.publisher_domain')
    .orderBy('m.source')
  return pageOfSize(rows, ['r.claim'], limit)
}
