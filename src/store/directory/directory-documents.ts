import type { FileContent } from '../../domain/directory/crawled-publisher.ts'
import type { Hold } from '../../domain/directory/revocation.ts'
import { afterText } from '../../platform/concurrency/yield-to-event-loop.ts'
import { forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { leasedTo, NOT_LEASED, unleased } from '../leases.ts'
import { bumpAgents, directoryId } from './directory-agents.ts'
import { setVerified } from './document-claims.ts'
import type { DirectoryDocumentRow } from './rows.ts'

const documentById = hotQuery(['documentId'], (db, value) =>
  db.selectFrom('directory_documents').selectAll().where('document_id', '=', value('documentId')),
)

/** What is known of the file at a URL; a fresh row when it was never asked for. Nothing is written. */
export async function findDocument(db: Db, url: string): Promise<DirectoryDocumentRow> {
  const documentId = directoryId(url)
  return (
    (await findDocumentById(db, documentId)) ?? {
      document_id: documentId,
      url,
      host: new URL(url).hostname,
      fans_out: 0,
      refresh: 0,
      verified_at: null,
      attempted_at: null,
      failing_since: null,
      expires_at: null,
      rederive: 0,
      soonest_at: null,
      content: null,
      short_form: 0,
      digest: null,
      last_updated: null,
      etag: null,
      last_modified: null,
      ...NOT_LEASED,
    }
  )
}

export async function findDocumentById(db: Db, documentId: string): Promise<DirectoryDocumentRow | undefined> {
  return (await documentById(db, { documentId })).rows[0]
}

const DOCUMENT_COLUMNS = [
  'document_id',
  'url',
  'host',
  'fans_out',
  'refresh',
  'verified_at',
  'attempted_at',
  'failing_since',
  'expires_at',
  'rederive',
  'soonest_at',
  'content',
  'short_form',
  'digest',
  'last_updated',
  'etag',
  'last_modified',
  'lease_owner',
  'lease_until',
] as const satisfies (keyof DirectoryDocumentRow)[]

const upsertDocument = hotQuery(DOCUMENT_COLUMNS, (tx, value) => {
  const values = {
    url: value('url'),
    host: value('host'),
    fans_out: value.of<number>('fans_out'),
    refresh: value.of<number>('refresh'),
    verified_at: value('verified_at'),
    attempted_at: value('attempted_at'),
    failing_since: value('failing_since'),
    expires_at: value('expires_at'),
    rederive: value.of<number>('rederive'),
    soonest_at: value('soonest_at'),
    content: value.of<FileContent | null>('content'),
    short_form: value.of<number>('short_form'),
    digest: value('digest'),
    last_updated: value('last_updated'),
    etag: value('etag'),
    last_modified: value('last_modified'),
    lease_owner: value('lease_owner'),
    lease_until: value('lease_until'),
  }
  return tx
    .insertInto('directory_documents')
    .values({ document_id: value('document_id'), ...values })
    .onConflict((conflict) => conflict.column('document_id').doUpdateSet(values))
})

export async function saveDocument(tx: Db, row: DirectoryDocumentRow): Promise<void> {
  await upsertDocument(tx, { ...row })
}

/**
 * Takes the right to fetch a file, so that several processes do not all fetch it. False while another owner's lease
 * runs; a lease that ran out is taken over.
 */
export async function leaseDocument(tx: Db, url: string, owner: string, now: Date, leaseMs: number): Promise<boolean> {
  const row = await findDocument(tx, url)
  const lease = leasedTo(owner, now, leaseMs)
  const taken = await tx
    .insertInto('directory_documents')
    .values({ ...row, ...lease })
    .onConflict((conflict) =>
      conflict
        .column('document_id')
        .doUpdateSet(lease)
        .where((eb) => eb.or([unleased('directory_documents', now), eb('directory_documents.lease_owner', '=', owner)])),
    )
    .returning('document_id')
    .execute()
  return taken.length > 0
}

/** The text of a file as far as it is kept. */
export async function findBody(db: Db, documentId: string): Promise<string | undefined> {
  const { rows } = await textOf(db, { documentId })
  return rows.length === 0 ? undefined : rows.map(({ body }) => body).join('')
}

const textOf = hotQuery(['documentId'], (db, value) =>
  db.selectFrom('directory_texts').select('body').where('document_id', '=', value('documentId')).orderBy('part'),
)

/** Characters of a part of a stored text: some milliseconds to write. */
const CHARACTERS_OF_A_PART = 500_000

/** Keeps or, with undefined, forgets the text of a file. */
export async function saveBody(tx: Db, documentId: string, text: string | undefined): Promise<void> {
  await tx.deleteFrom('directory_texts').where('document_id', '=', documentId).execute()
  if (text === undefined) return
  let part = 0
  for (const body of partsOfText(text)) {
    await tx.insertInto('directory_texts').values({ document_id: documentId, part, body }).execute()
    part += 1
    await afterText(body)
  }
}

/** The parts of a text, one at least, none of which ends in half of a surrogate pair. */
function* partsOfText(text: string): Generator<string> {
  let start = 0
  do {
    const end = start + CHARACTERS_OF_A_PART
    const splits = /[\ud800-\udbff]/.test(text.charAt(end - 1)) && end < text.length
    const body = text.slice(start, splits ? end + 1 : end)
    yield body
    start += body.length
  } while (start < text.length)
}

const firstPartOf = hotQuery(['documentId'], (db, value) =>
  db.selectFrom('directory_texts').select('part').where('document_id', '=', value('documentId')).limit(1),
)

/** Renews the text of a file that is stored; one that is not stays so. */
export async function replaceBody(tx: Db, documentId: string, text: string): Promise<void> {
  const { rows } = await firstPartOf(tx, { documentId })
  if (rows.length > 0) await saveBody(tx, documentId, text)
}

const holdsOf = hotQuery(['documentId'], (db, value) =>
  db.selectFrom('directory_holds').selectAll().where('document_id', '=', value('documentId')),
)

export async function listHolds(db: Db, documentId: string): Promise<Hold[]> {
  const { rows } = await holdsOf(db, { documentId })
  return rows.map((row) => ({
    publisher: row.publisher_domain,
    listed: row.listed === 1,
    firstObservedAt: Date.parse(row.first_observed_at),
    earliestRevokedAt: Date.parse(row.earliest_revoked_at),
  }))
}

export async function saveHolds(tx: Db, documentId: string, holds: readonly Hold[]): Promise<void> {
  await tx.deleteFrom('directory_holds').where('document_id', '=', documentId).execute()
  const rows = holds.map((hold) => ({
    document_id: documentId,
    publisher_domain: hold.publisher,
    listed: hold.listed ? 1 : 0,
    first_observed_at: new Date(hold.firstObservedAt).toISOString(),
    earliest_revoked_at: new Date(hold.earliestRevokedAt).toISOString(),
  }))
  await forEachChunk(rows, (chunk) => tx.insertInto('directory_holds').values(chunk).execute())
}

const agentsOfDocument = hotQuery(['documentId'], (tx, value) =>
  tx.selectFrom('directory_claims').select('agent_id').distinct().where('document_id', '=', value('documentId')),
)

/** The file was verified again: the time moves for every claim derived from it, and with it the answers about their agents. */
export async function touchVerified(tx: Db, documentId: string, now: Date): Promise<void> {
  const { rows } = await agentsOfDocument(tx, { documentId })
  if (rows.length === 0) return
  await setVerified(tx, documentId, now)
  const agentIds = rows.map((row) => row.agent_id)
  await bumpAgents(tx, agentIds, now)
}

/** Files whose rows must go because no fetch has succeeded for too long. */
export async function listExpiredDocuments(db: Db, now: Date, limit: number): Promise<DirectoryDocumentRow[]> {
  return db
    .selectFrom('directory_documents')
    .selectAll()
    .where('expires_at', '<=', now.toISOString())
    .orderBy('expires_at')
    .limit(limit)
    .execute()
}
