import { chunksInTurns } from '../chunks.ts'
import type { Db } from '../database.ts'
import { findShutOut } from './directory-shown.ts'
import type { DirectoryClaimRow } from './rows.ts'

/** Why a row is no longer shown although no file revokes it; `reason` of the feed's `authorization.revoked`. */
export type EndReason =
  /** An operator of this directory removed or blocked the publisher. */
  | 'removed_from_directory'
  /** The publisher was listed by the file of a manager alone that an operator removed or blocked, and that no publisher on the crawl list leads to. */
  | 'manager_removed_from_directory'
  /** The publisher was listed by a manager's file alone, to which no publisher on the crawl list leads any longer. */
  | 'manager_file_not_followed'
  /** What the files say grants nothing any longer, or they cannot be verified. */
  | 'no_longer_authorized'

/** Says why each of some rows has ended, as the store is in the transaction of the change. */
export async function endReasons(
  tx: Db,
  ended: readonly DirectoryClaimRow[],
): Promise<(row: Pick<DirectoryClaimRow, 'publisher_domain' | 'document_id' | 'route'>) => EndReason> {
  const gone = await findShutOut(tx, [...new Set(ended.map((row) => row.publisher_domain))])
  const named = ended.filter(({ route }) => route === 'fanout')
  const hosts = await unfollowedFiles(tx, [...new Set(named.map((row) => row.document_id))])
  const managers = await findShutOut(tx, [...new Set(hosts.values())])
  return ({ publisher_domain, document_id, route }) => {
    if (gone.has(publisher_domain)) return 'removed_from_directory'
    const host = route === 'fanout' ? hosts.get(document_id) : undefined
    if (host === undefined) return 'no_longer_authorized'
    return managers.has(host) ? 'manager_removed_from_directory' : 'manager_file_not_followed'
  }
}

/** Hosts of those of some files, by file, that speak for whom they name no longer because nobody leads to them. */
async function unfollowedFiles(tx: Db, documentIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const hosts = new Map<string, string>()
  for await (const chunk of chunksInTurns(documentIds)) {
    const files = await tx
      .selectFrom('directory_documents')
      .select(['document_id', 'host', 'verified_at', 'fans_out'])
      .where('document_id', 'in', chunk)
      .execute()
    const forgotten = files.filter((file) => file.verified_at === null)
    const led = await ledTo(tx, forgotten)
    for (const file of files) {
      const isFollowed = file.verified_at === null ? led.has(file.document_id) : file.fans_out === 1
      if (!isFollowed) hosts.set(file.document_id, file.host)
    }
  }
  return hosts
}

/** Of some files those whose host, or a publisher that leads to them, is on the crawl list: they are asked for again. */
async function ledTo(
  tx: Db,
  files: readonly { readonly document_id: string; readonly host: string }[],
): Promise<ReadonlySet<string>> {
  if (files.length === 0) return new Set()
  const [leading, owners] = await Promise.all([
    tx
      .selectFrom('directory_publishers')
      .select('route_document_id')
      .distinct()
      .where(
        'route_document_id',
        'in',
        files.map((file) => file.document_id),
      )
      .execute(),
    tx
      .selectFrom('directory_publishers')
      .select('publisher_domain')
      .where('publisher_domain', 'in', [...new Set(files.map((file) => file.host))])
      .execute(),
  ])
  const documents = new Set(leading.map((row) => row.route_document_id))
  const hosts = new Set(owners.map((row) => row.publisher_domain))
  return new Set(files.filter((file) => documents.has(file.document_id) || hosts.has(file.host)).map((file) => file.document_id))
}
