import { createHash, randomBytes } from 'node:crypto'
import type { ListKind } from '../../domain/inventory-list.ts'
import type { Db } from '../database.ts'

/** Tells the token of a list from other Bearer values at sight. */
const PREFIX: Readonly<Record<ListKind, string>> = { property: 'plt_', collection: 'clt_' }

/** A whole token of {@link newListToken} anywhere in a text. */
export const LIST_TOKEN_FORM = /(?<![A-Za-z0-9])[pc]lt_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/

const WHOLE_LIST_TOKEN = /^[pc]lt_[A-Za-z0-9_-]{43}$/

/** A token whose holder may fetch one list: 256 random bits. It exists only here and in the answer; the store keeps its hash. */
export function newListToken(kind: ListKind): string {
  return `${PREFIX[kind]}${randomBytes(32).toString('base64url')}`
}

/** Whether a Bearer value has the form of a list's token. */
export function isListToken(token: string): boolean {
  return WHOLE_LIST_TOKEN.test(token)
}

/** SHA-256 of a token, hex. A fast hash is right: there is nothing to guess in 256 random bits. */
export function hashListToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** The list that a token is for; undefined for a token of none, or when the list's owner is suspended. */
export async function findListByToken(db: Db, token: string): Promise<{ tenantId: string; listId: string } | undefined> {
  const row = await db
    .selectFrom('inventory_lists as l')
    .innerJoin('principals as p', (join) =>
      join.onRef('p.tenant_id', '=', 'l.tenant_id').onRef('p.principal_id', '=', 'l.principal_id'),
    )
    .select(['l.tenant_id', 'l.list_id'])
    .where('l.token_hash', '=', hashListToken(token))
    .where('p.status', '=', 'active')
    .executeTakeFirst()
  return row && { tenantId: row.tenant_id, listId: row.list_id }
}
