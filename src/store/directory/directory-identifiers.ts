import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { FEW_ROWS, forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import type { DirectoryIdentifierRow } from './rows.ts'

const deleteIdentifiers = hotQuery(['documentId'], (tx, value) =>
  tx.deleteFrom('directory_identifiers').where('document_id', '=', value('documentId')),
)

const insertIdentifier = hotQuery(
  ['document_id', 'publisher_domain', 'property_id', 'identifier_type', 'identifier_value'],
  (tx, value) =>
    tx
      .insertInto('directory_identifiers')
      .values({
        document_id: value('document_id'),
        publisher_domain: value('publisher_domain'),
        property_id: value('property_id'),
        identifier_type: value('identifier_type'),
        identifier_value: value('identifier_value'),
      })
      .onConflict((conflict) => conflict.doNothing()),
)

/** Replaces what is known of the identifiers that one file declares. */
export async function replaceIdentifiers(
  tx: Db,
  documentId: string,
  rows: readonly Omit<DirectoryIdentifierRow, 'document_id'>[],
): Promise<void> {
  await deleteIdentifiers(tx, { documentId })
  if (rows.length <= FEW_ROWS) {
    for (const row of rows) await insertIdentifier(tx, { ...row, document_id: documentId })
    return
  }
  await forEachChunk(rows, (chunk) =>
    tx
      .insertInto('directory_identifiers')
      .values(chunk.map((row) => ({ ...row, document_id: documentId })))
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
}

/** Ids of one statement: some milliseconds. */
const IDS_OF_A_PAGE = 2_000

/**
 * Ids of the properties that a file declares for a publisher and that are not among some, in their order, `most` at most; `implied`: those of which it leaves
 * the publisher to its place are the publisher's too.
 */
export async function listOtherPropertyIds(
  db: Db,
  { documentId, publisher, implied }: { readonly documentId: string; readonly publisher: string; readonly implied: boolean },
  known: ReadonlySet<string>,
  most: number,
): Promise<readonly string[]> {
  const others = new Set<string>()
  for (const domain of implied ? ['', publisher] : [publisher]) {
    let wanted = most
    for (let after: string | undefined = ''; after !== undefined && wanted > 0; ) {
      const page: { property_id: string }[] = await db
        .selectFrom('directory_identifiers')
        .select('property_id')
        .distinct()
        .where('document_id', '=', documentId)
        .where('publisher_domain', '=', domain)
        .where('property_id', '>', after)
        .orderBy('property_id')
        .limit(IDS_OF_A_PAGE)
        .execute()
      for (const { property_id } of page) {
        if (known.has(property_id) || wanted === 0) continue
        others.add(property_id)
        wanted -= 1
      }
      after = page.length < IDS_OF_A_PAGE ? undefined : page.at(-1)?.property_id
      if (after !== undefined) await yieldToEventLoop()
    }
  }
  return [...others].sort().slice(0, most)
}
