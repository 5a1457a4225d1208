import { hash } from 'node:crypto'
import { foreignJsonIn } from '../platform/decode/foreign-json.ts'
import { AdcpError } from '../protocol/errors.ts'

/** A short fingerprint of what a listing asked for, so that a cursor cannot be used with another query. */
function fingerprint(query: unknown): string {
  return hash('sha256', JSON.stringify(query), 'base64url').slice(0, 12)
}

/** An opaque cursor: the keyset position of the last row shown, bound to the query (tenant, filters, order). */
export function encodeCursor(query: unknown, after: string): string {
  return Buffer.from(JSON.stringify([fingerprint(query), after])).toString('base64url')
}

/** The position behind a cursor; undefined without one. Throws INVALID_REQUEST naming `field` for a foreign or mangled cursor. */
export function decodeCursor(query: unknown, cursor: string | undefined, field = 'pagination.cursor'): string | undefined {
  if (cursor === undefined) return undefined
  const parsed = foreignJsonIn(Buffer.from(cursor, 'base64url').toString('utf8'))
  const after: unknown = Array.isArray(parsed) ? parsed[1] : undefined
  // Base64 and JSON read many texts as the same value; only the one that was given out is taken.
  if (typeof after === 'string' && cursor === encodeCursor(query, after)) return after
  throw new AdcpError('INVALID_REQUEST', 'the cursor does not belong to this query; start again without it', { field })
}
