import type { Db } from '../../store/database.ts'
import { findDocumentById, saveDocument } from '../../store/directory/directory-documents.ts'
import { findPublisher, hasDependants } from '../../store/directory/directory-publishers.ts'
import { forgetFile } from './apply-document.ts'
import { wellKnownUrl } from './fetch-adagents.ts'
import { dropFannedOutClaims } from './index-document.ts'

/**
 * Takes back what a file counted for because of a publisher that no longer leads to it, or whose own file it was and that has left the crawl list. A file that
 * nobody leads to is not fetched again, so all its claims go: they would be shown for seven more days. One that only the ads.txt of others leads to speaks for
 * those alone. `documentId`: the file in question; null changes nothing.
 */
export async function dropOrphan(tx: Db, documentId: string | null, now: Date): Promise<void> {
  const row = documentId === null ? undefined : await findDocumentById(tx, documentId)
  if (!row || row.verified_at === null) return
  if (row.url === wellKnownUrl(row.host) && (await findPublisher(tx, row.host)) !== undefined) return
  if (await hasDependants(tx, row.document_id, 'authoritative_location')) return
  if (!(await hasDependants(tx, row.document_id))) {
    await forgetFile(tx, row, { now })
    return
  }
  if (row.fans_out === 0) return
  await saveDocument(tx, { ...row, fans_out: 0 })
  await dropFannedOutClaims(tx, row.document_id, now)
}
