import { DISCOVERY_METHODS } from '../../domain/directory/claim.ts'
import { stringsOf } from '../../domain/directory/property.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { DirectoryEnvelope, PublisherEntry } from './envelope.ts'

/** A row of a directory's answer that has passed the checks of this client. */
export type DirectoryRow = PublisherEntry

export interface DirectoryPage {
  readonly agentUrl: string
  readonly directoryIndexedAt: string | null
  readonly publishers: readonly DirectoryRow[]
  /** Rows left out because they are not what the contract says. */
  readonly skipped: number
  readonly cursor: { readonly value: string; readonly receivedAt: Date } | undefined
  /** The directory confirmed the copy at hand (304). */
  readonly notModified: boolean
}

/** A directory that does not answer the question. `code` is its own error code, or `unreachable`, `bad_answer`, `stale_cursor`. */
export class DirectoryError extends Error {
  readonly code: string
  readonly status: number | undefined

  constructor(code: string, message: string, status?: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'DirectoryError'
    this.code = code
    this.status = status
  }
}

/** Checks an answer. Throws DirectoryError `bad_answer` when it is no page. */
export function readPage(body: unknown, receivedAt: Date, notModified: boolean): DirectoryPage {
  if (!isObject(body) || typeof body.agent_url !== 'string' || !Array.isArray(body.publishers)) {
    throw new DirectoryError('bad_answer', 'the answer is not a directory page', 200)
  }
  const publishers = body.publishers.map(readRow).filter((row) => row !== undefined)
  const envelope: Partial<DirectoryEnvelope> = body
  return {
    agentUrl: body.agent_url,
    directoryIndexedAt: envelope.directory_indexed_at ?? null,
    publishers,
    skipped: body.publishers.length - publishers.length,
    cursor: typeof body.next_cursor === 'string' ? { value: body.next_cursor, receivedAt } : undefined,
    notModified,
  }
}

/** One bad row must not cost the page. */
function readRow(row: unknown): DirectoryRow | undefined {
  if (!isObject(row) || typeof row.publisher_domain !== 'string' || typeof row.last_verified_at !== 'string') return undefined
  const { discovery_method: method, manager_domain: manager = null, status } = row
  if (
    typeof method !== 'string' ||
    !DISCOVERY_METHODS.some((each) => each === method) ||
    (status !== 'authorized' && status !== 'revoked')
  )
    return undefined
  if ((method === 'direct') !== (manager === null) || (manager !== null && typeof manager !== 'string')) return undefined
  const { properties_authorized: authorized, properties_total: total } = row
  if (!isCount(authorized) || !isCount(total) || Number.isNaN(Date.parse(row.last_verified_at))) return undefined
  return {
    publisher_domain: row.publisher_domain,
    discovery_method: method,
    manager_domain: manager,
    properties_authorized: authorized,
    properties_total: total,
    ...(Array.isArray(row.property_ids) && { property_ids: stringsOf(row.property_ids) }),
    ...((row.file_form === 'official' || row.file_form === 'short') && { file_form: row.file_form }),
    signing_keys_pinned: row.signing_keys_pinned === true,
    status,
    last_verified_at: row.last_verified_at,
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}
