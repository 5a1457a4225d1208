import type { Db } from '../../store/database.ts'
import { findDocument, listExpiredDocuments } from '../../store/directory/directory-documents.ts'
import { findPublisher, savePublisher } from '../../store/directory/directory-publishers.ts'
import type { DirectoryDocumentRow, DirectoryPublisherRow } from '../../store/directory/rows.ts'
import { forgetFile } from './apply-document.ts'
import { wellKnownUrl } from './fetch-adagents.ts'
import { indexPublisher } from './index-document.ts'
import { dropOrphan } from './orphans.ts'
import { selfBlockedUntil } from './self-block.ts'
import type { RefreshDeps } from './shared-documents.ts'

/** Files taken out in one go, between which others get their turn. */
const EXPIRY_BATCH = 100

/**
 * Takes files out of the answers whose last success is too long ago (they fail closed even when no crawler runs).
 * Returns how many.
 */
export async function expireStale(deps: Pick<RefreshDeps, 'store' | 'clock'>): Promise<number> {
  const now = deps.clock()
  for (let total = 0; ; ) {
    const expired = await listExpiredDocuments(deps.store.read, now, EXPIRY_BATCH)
    for (const { url } of expired) await deps.store.transaction((tx) => expireDocument(tx, url, now))
    total += expired.length
    if (expired.length < EXPIRY_BATCH) return total
  }
}

async function expireDocument(tx: Db, url: string, now: Date): Promise<void> {
  const row = await findDocument(tx, url)
  if (row.expires_at === null || row.expires_at > now.toISOString()) return
  const owner = url === wellKnownUrl(row.host) ? await findPublisher(tx, row.host) : undefined
  if (owner) await unroute(tx, owner, row, now)
  await forgetFile(tx, row, { now, owner: owner?.publisher_domain })
}

async function unroute(tx: Db, publisher: DirectoryPublisherRow, own: DirectoryDocumentRow, now: Date): Promise<void> {
  const routed: DirectoryPublisherRow = {
    ...publisher,
    serves: 'unknown',
    self_blocked_until: await selfBlockedUntil(tx, publisher, own, new Map(), now),
    route_method: null,
    route_manager: null,
    route_document_id: null,
  }
  await savePublisher(tx, routed)
  await indexPublisher(tx, routed, undefined, now)
  await dropOrphan(tx, publisher.route_document_id, now)
}
