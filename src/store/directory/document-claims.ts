import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { CLAIM_COLUMNS, type DirectoryClaimRow } from './rows.ts'

/** Claims of one statement: some milliseconds. */
const PAGE = 500

/** The order in which the claims of a file are read and changed: that of their index. */
const KEY = ['agent_id', 'publisher_domain', 'route'] as const
type Key = Pick<DirectoryClaimRow, (typeof KEY)[number]>

const firstClaims = hotQuery(['documentId'], (db, value) =>
  pageOf(db).select(CLAIM_COLUMNS).where('document_id', '=', value('documentId')).limit(PAGE),
)

/** Every claim of a file, with a turn for others between parts. */
export async function listDocumentClaims(db: Db, documentId: string): Promise<DirectoryClaimRow[]> {
  const { rows } = await firstClaims(db, { documentId })
  for (let page = rows; page.length === PAGE; ) {
    await yieldToEventLoop()
    page = await laterPage(db, documentId, lastOf(page)).select(CLAIM_COLUMNS).limit(PAGE).execute()
    for (const row of page) rows.push(row)
  }
  return rows
}

const verifyAll = hotQuery(['documentId', 'now'], (tx, value) =>
  tx
    .updateTable('directory_claims')
    .set({ verified_at: value('now') })
    .where('document_id', '=', value('documentId'))
    .where('verified_at', '!=', value('now')),
)

const lastOfFirst = hotQuery(['documentId'], (db, value) =>
  pageOf(db).select(KEY).where('document_id', '=', value('documentId')).limit(1).offset(PAGE),
)

/** Sets the time of verification of every claim of a file, with a turn for others between parts. */
export async function setVerified(tx: Db, documentId: string, now: Date): Promise<void> {
  const verified_at = now.toISOString()
  const [first] = (await lastOfFirst(tx, { documentId })).rows
  if (!first) {
    await verifyAll(tx, { documentId, now: verified_at })
    return
  }
  const from = (key: Key | undefined, to: Key | undefined) => {
    const all = tx
      .updateTable('directory_claims')
      .set({ verified_at })
      .where('document_id', '=', documentId)
      .where('verified_at', '!=', verified_at)
    const after = key
      ? all.where((eb) => eb(eb.refTuple(...KEY), '>', eb.tuple(key.agent_id, key.publisher_domain, key.route)))
      : all
    return to ? after.where((eb) => eb(eb.refTuple(...KEY), '<=', eb.tuple(to.agent_id, to.publisher_domain, to.route))) : after
  }
  await from(undefined, first).execute()
  for (let key: Key | undefined = first; key; ) {
    await yieldToEventLoop()
    const to: Key | undefined = await laterPage(tx, documentId, key).select(KEY).limit(1).offset(PAGE).executeTakeFirst()
    await from(key, to).execute()
    key = to
  }
}

function pageOf(db: Db) {
  return db.selectFrom('directory_claims').orderBy('agent_id').orderBy('publisher_domain').orderBy('route')
}

function laterPage(db: Db, documentId: string, { agent_id, publisher_domain, route }: Key) {
  return pageOf(db)
    .where('document_id', '=', documentId)
    .where((eb) => eb(eb.refTuple(...KEY), '>', eb.tuple(agent_id, publisher_domain, route)))
}

function lastOf(page: readonly DirectoryClaimRow[]): DirectoryClaimRow {
  const last = page.at(-1)
  if (!last) throw new Error('a full page has a last claim')
  return last
}
