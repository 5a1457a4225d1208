import { blocks, holdEndsAt, observeRevocations } from '../../domain/directory/revocation.ts'
import type { Db } from '../../store/database.ts'
import { listHolds } from '../../store/directory/directory-documents.ts'
import type { DirectoryDocumentRow, DirectoryPublisherRow } from '../../store/directory/rows.ts'

/** `self_blocked_until` of a publisher that its own file still revokes. */
const WHILE_LISTED = '9999-12-31T23:59:59.999Z'

/** How long the publisher's own list keeps every route to it closed. */
export async function selfBlockedUntil(
  tx: Db,
  publisher: DirectoryPublisherRow,
  own: DirectoryDocumentRow,
  listed: ReadonlyMap<string, number> | undefined,
  now: Date,
): Promise<string | null> {
  if (listed === undefined) return publisher.self_blocked_until
  const holds = observeRevocations(await listHolds(tx, own.document_id), listed, now.getTime())
  const hold = holds.find((entry) => entry.publisher === publisher.publisher_domain)
  if (!hold || !blocks(hold, now.getTime())) return null
  return hold.listed ? WHILE_LISTED : new Date(holdEndsAt(hold)).toISOString()
}
