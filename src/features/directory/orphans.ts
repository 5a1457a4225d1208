import type { Db } from '../../store/database.ts'
import { findDocumentById, saveDocument } from '../../store/directory/directory-documents.ts'
import { findPublisher, hasDependants } from '../../store/directory/directory-publishers.ts'
import { forgetFile } from './apply-document.ts'
import { wellKnownUrl } from './fetch-adagents.ts'
import { dropFannedOutClaims } from './index-document.ts'

/**
 * Takes back what a file counted for because of a publisher that no longer leads to it, or whose own file it was and that has left the crawl list. From then on it
 * speaks for those alone whose ads.txt leads to it, also when that happens later. A file that nobody leads to is not fetched again, so all its claims go: they
 * would be shown for seven more days. `documentId`: the file in question; null changes nothing.
 */
export async function dropOrphan(tx: Db, documentId: string | null, now: Date): Promise<void> {
  const found = documentId === null ? undefined : await findDocumentById(tx, documentId)
  if (!found) return
  if (found.url === wellKnownUrl(found.host) && (await findPublisher(tx, found.host)) !== undefined) return
  if (await hasDependants(tx, found.document_id, 'authoritative_location')) return
  const row = { ...found, fans_out: 0 }
  const counts = found.verified_at !== null
  if (counts && !(await hasDependants(tx, row.document_id))) {
    await forgetFile(tx, row, { now })
  } else if (found.fans_out === 1) {
    await saveDocument(tx, row)
    if (counts) await dropFannedOutClaims(tx, row.document_id, now)
  }
}
