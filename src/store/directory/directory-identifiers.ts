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
  await forEachChunk(
    rows.map((row) => ({ ...row, document_id: documentId })),
    (chunk) =>
      tx
        .insertInto('directory_identifiers')
        .values(chunk)
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
  )
}

/** A property with an identifier, and an authorisation that lookups show for its publisher by the same file. */
export interface IdentifiedProperty {
  readonly publisher_domain: string
  readonly property_id: string
  readonly agent_url: string
  readonly discovery_method: string
  /** JSON array: what the agent may sell of the publisher. */
  readonly property_ids: string
}

/** Authorisations around the properties with an identifier, in the order of publishers and agents. */
export async function findByIdentifier(
  db: Db,
  { type, value, limit }: { readonly type: string; readonly value: string; readonly limit: number },
): Promise<readonly IdentifiedProperty[]> {
  return (
    db
      .selectFrom('directory_identifiers as i')
      .innerJoin('directory_claims as c', 'c.document_id', 'i.document_id')
      .innerJoin('directory_agents as a', 'a.agent_id', 'c.agent_id')
      .select(['c.publisher_domain', 'i.property_id', 'a.agent_url', 'c.discovery_method', 'c.property_ids'])
      .where('i.identifier_type', '=', type)
      .where('i.identifier_value', '=', value)
      .where('c.shown', '=', 'authorized')
      // A file that leaves the publisher of a property to its place declares it for every publisher of the file.
      .where((eb) => eb.or([eb('i.publisher_domain', '=', ''), eb('i.publisher_domain', '=', eb.ref('c.publisher_domain'))]))
      .orderBy('c.publisher_domain')
      .orderBy('a.agent_url')
      .limit(limit)
      .execute()
  )
}

/**
 * Ids of the properties that a file declares for a publisher, in their order; `implied`: those of which it leaves the publisher to its place are
 * the publisher's too.
 */
export async function listPropertyIds(
  db: Db,
  { documentId, publisher, implied }: { readonly documentId: string; readonly publisher: string; readonly implied: boolean },
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('directory_identifiers')
    .select('property_id')
    .distinct()
    .where('document_id', '=', documentId)
    .where('publisher_domain', 'in', implied ? ['', publisher] : [publisher])
    .orderBy('property_id')
    .execute()
  return rows.map((row) => row.property_id)
}
