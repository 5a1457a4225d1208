import { hash } from 'node:crypto'
import type { Db } from '../database.ts'
import type { OauthTables } from './rows.ts'

/** A record of the authorization server. `id` and `grantId` may be secrets; the store keeps their hashes. */
export interface OauthRecord {
  readonly kind: string
  readonly id: string
  /** JSON text. */
  readonly document: string
  readonly uid?: string | undefined
  readonly grantId?: string | undefined
  /** Absent: stored until it is deleted. */
  readonly expiresAt?: Date | undefined
}

export interface StoredOauthRecord {
  readonly document: string
  readonly consumedAt: string | null
  readonly createdAt: string
  readonly usedAt: string
  /** Of a grant: the agent that the person chose; undefined where there was no choice. */
  readonly principalId: string | undefined
}

/** A client is registered to be used at once. */
const UNUSED_CLIENT_MS = 24 * 60 * 60_000
/** How long a client keeps its place when others want it: a login takes minutes, and grants end after 30 days. */
const LOGIN_MS = 15 * 60_000
const IDLE_CLIENT_MS = 31 * 24 * 60 * 60_000

const RECORD_COLUMNS = ['document', 'consumed_at', 'created_at', 'used_at', 'principal_id'] as const

function storedOf(row: Pick<OauthTables['oauth_records'], (typeof RECORD_COLUMNS)[number]>): StoredOauthRecord {
  const { document, consumed_at: consumedAt, created_at: createdAt, used_at: usedAt, principal_id } = row
  return { document, consumedAt, createdAt, usedAt, principalId: principal_id ?? undefined }
}

const hashOf = (id: string): string => hash('sha256', id, 'base64url')

/** Writes a record, over one of the same kind and id. */
export async function saveOauthRecord(tx: Db, record: OauthRecord, now: Date): Promise<void> {
  const values = {
    document: record.document,
    uid_hash: record.uid === undefined ? null : hashOf(record.uid),
    grant_hash: record.grantId === undefined ? null : hashOf(record.grantId),
    used_at: now.toISOString(),
    expires_at: record.expiresAt?.toISOString() ?? null,
  }
  await tx
    .insertInto('oauth_records')
    .values({
      kind: record.kind,
      record_hash: hashOf(record.id),
      ...values,
      consumed_at: null,
      created_at: now.toISOString(),
    })
    .onConflict((c) => c.columns(['kind', 'record_hash']).doUpdateSet(values))
    .execute()
}

/** Writes a record unless there is one of this kind and id. It counts as never used. */
export async function addOauthRecord(tx: Db, { kind, id, document }: OauthRecord, now: Date): Promise<void> {
  await tx
    .insertInto('oauth_records')
    .values({
      kind,
      record_hash: hashOf(id),
      document,
      uid_hash: null,
      grant_hash: null,
      consumed_at: null,
      created_at: now.toISOString(),
      used_at: '',
      expires_at: null,
    })
    .onConflict((c) => c.doNothing())
    .execute()
}

/** The record, unless its time is over. */
export async function findOauthRecord(db: Db, kind: string, id: string, now: Date): Promise<StoredOauthRecord | undefined> {
  return find(db, kind, 'record_hash', id, now)
}

export async function findOauthRecordByUid(db: Db, kind: string, uid: string, now: Date): Promise<StoredOauthRecord | undefined> {
  return find(db, kind, 'uid_hash', uid, now)
}

async function find(db: Db, kind: string, column: 'record_hash' | 'uid_hash', id: string, now: Date) {
  const row = await db
    .selectFrom('oauth_records')
    .select(RECORD_COLUMNS)
    .where('kind', '=', kind)
    .where(column, '=', hashOf(id))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now.toISOString())]))
    .executeTakeFirst()
  return row && storedOf(row)
}

/** Keeps the agent that a grant is for. */
export async function chooseGrantPrincipal(tx: Db, grantId: string, principalId: string): Promise<void> {
  await tx
    .updateTable('oauth_records')
    .set({ principal_id: principalId })
    .where('kind', '=', 'Grant')
    .where('record_hash', '=', hashOf(grantId))
    .execute()
}

/** Marks a code or a refresh token as used. Returns whether this call was the first to. */
export async function consumeOauthRecord(tx: Db, kind: string, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('oauth_records')
    .set({ consumed_at: now.toISOString() })
    .where('kind', '=', kind)
    .where('record_hash', '=', hashOf(id))
    .where('consumed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function deleteOauthRecord(tx: Db, kind: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('oauth_records')
    .where('kind', '=', kind)
    .where('record_hash', '=', hashOf(id))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Ends everything that a grant gave out: codes and refresh tokens. */
export async function deleteByGrant(tx: Db, grantId: string): Promise<void> {
  await tx.deleteFrom('oauth_records').where('grant_hash', '=', hashOf(grantId)).execute()
}

/** Documents of a kind whose time is not over, oldest first. */
export async function listOauthRecords(db: Db, kind: string, now: Date): Promise<StoredOauthRecord[]> {
  const rows = await db
    .selectFrom('oauth_records')
    .select(RECORD_COLUMNS)
    .where('kind', '=', kind)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now.toISOString())]))
    .orderBy('created_at')
    .execute()
  return rows.map(storedOf)
}

/** Notes that a record was of use. */
export async function touchOauthRecord(tx: Db, kind: string, id: string, now: Date): Promise<void> {
  await tx
    .updateTable('oauth_records')
    .set({ used_at: now.toISOString() })
    .where('kind', '=', kind)
    .where('record_hash', '=', hashOf(id))
    .execute()
}

/** Counts a client's day from now on when it was never used. */
export async function renewClient(tx: Db, id: string, now: Date): Promise<void> {
  await tx
    .updateTable('oauth_records')
    .set({ created_at: now.toISOString() })
    .where('kind', '=', 'Client')
    .where('record_hash', '=', hashOf(id))
    .where('used_at', '=', '')
    .execute()
}

/**
 * Makes room for one client: the oldest that was not used within a quarter of an hour goes, else the one that was used last longest ago, when
 * that is more than a month. Returns false when all are needed.
 */
export async function evictClient(tx: Db, now: Date): Promise<boolean> {
  const before = (ms: number) => new Date(now.getTime() - ms).toISOString()
  const idle = await tx
    .selectFrom('oauth_records')
    .select('record_hash')
    .where('kind', '=', 'Client')
    .where((eb) =>
      eb.or([
        eb.and([eb('used_at', '=', ''), eb('created_at', '<', before(LOGIN_MS))]),
        eb.and([eb('used_at', '<>', ''), eb('used_at', '<', before(IDLE_CLIENT_MS))]),
      ]),
    )
    .orderBy('used_at')
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
  if (!idle) return false
  await tx.deleteFrom('oauth_records').where('kind', '=', 'Client').where('record_hash', '=', idle.record_hash).execute()
  return true
}

/** How many records of a kind there are. */
export async function countOauthRecords(db: Db, kind: string): Promise<number> {
  const row = await db
    .selectFrom('oauth_records')
    .select((eb) => eb.fn.countAll<number>().as('records'))
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow()
  return Number(row.records)
}

/** Drops what has expired, and clients that were not used within a day of their registration. */
export async function sweepOauth(tx: Db, now: Date): Promise<void> {
  await tx.deleteFrom('oauth_records').where('expires_at', '<=', now.toISOString()).execute()
  const dayAgo = new Date(now.getTime() - UNUSED_CLIENT_MS).toISOString()
  await tx
    .deleteFrom('oauth_records')
    .where('kind', '=', 'Client')
    .where('used_at', '=', '')
    .where('created_at', '<', dayAgo)
    .execute()
}
