import type { Db } from '../../store/database.ts'
import { findDocumentById } from '../../store/directory/directory-documents.ts'
import { findPublisher, hasDependants } from '../../store/directory/directory-publishers.ts'
import { forgetFile } from './apply-document.ts'
import { wellKnownUrl } from './fetch-adagents.ts'

/**
 * Drops the claims of a file that no publisher points at any longer. Such a file is not fetched again, and without a publisher that
 * delegates to it an address that is not well-known has no authority: its claims would be shown for seven more days.
 * `documentId` is where a publisher's walk ended before it changed.
 */
export async function dropOrphan(tx: Db, documentId: string | null, now: Date): Promise<void> {
  if (documentId === null || (await hasDependants(tx, documentId))) return
  const row = await findDocumentById(tx, documentId)
  // A file opened only through ads.txt makes no claims but those of the publishers that lead to it.
  if (!row || row.verified_at === null || row.fans_out === 0) return
  const isOwn = row.url === wellKnownUrl(row.host) && (await findPublisher(tx, row.host)) !== undefined
  if (!isOwn) await forgetFile(tx, row, { now })
}
