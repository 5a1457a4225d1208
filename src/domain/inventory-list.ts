import { AdcpError } from '../protocol/errors.ts'
import type { Account } from './account/account.ts'

/** Property lists name where ads may run, collection lists name the programmes. */
export type ListKind = 'property' | 'collection'

/** Longest name and description, in characters; the protocol sets no bound, and a listing shows a hundred of them. */
const MAX_NAME = 500
const MAX_DESCRIPTION = 5000

/** What the parts of every list document have in common (AdCP property-list.json, collection-list.json). */
export interface ListDocument {
  readonly name: string
  readonly description?: string | undefined
}

/** A stored list. `document` is the official object without what the store keeps beside it (ids, times, count). */
export interface InventoryList<D extends ListDocument> {
  readonly kind: ListKind
  readonly listId: string
  readonly principalId: string
  /** Empty for a sandbox agent that named no account. */
  readonly accountId: string
  readonly document: D
  /** Entries when it was last resolved. */
  readonly memberCount: number
  readonly revision: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** Changes of an update that are present replace the field whole; absent ones leave it. Throws VALIDATION_ERROR for a text that is too long. */
export function changeDocument<D extends ListDocument>(current: D, change: { readonly [K in keyof D]?: D[K] | undefined }): D {
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  return checkDocument({ ...current, ...Object.fromEntries(given) })
}

/** Throws VALIDATION_ERROR when a list has no usable name or too long a text. */
export function checkDocument<D extends ListDocument>(document: D): D {
  if (document.name.trim() === '') throw new AdcpError('VALIDATION_ERROR', 'name is blank', { field: 'name' })
  const long = (field: 'name' | 'description', most: number) => {
    if ((document[field]?.length ?? 0) > most)
      throw new AdcpError('VALIDATION_ERROR', `${field} has more than ${most} characters`, { field })
  }
  long('name', MAX_NAME)
  long('description', MAX_DESCRIPTION)
  return document
}

/**
 * The account that a new list belongs to: the named one, else the agent's only one. With `conformance` a sandbox agent
 * needs none. Throws ACCOUNT_NOT_FOUND or ACCOUNT_AMBIGUOUS. Source: AdCP create-property-list-request.json, `account`.
 */
export function owningAccount(named: Account | undefined, own: readonly Account[], conformance: boolean): string {
  if (named) return named.accountId
  const [only, another] = own
  if (only && !another) return only.accountId
  if (conformance) return ''
  if (another)
    throw new AdcpError('ACCOUNT_AMBIGUOUS', 'you have several accounts: name the one that owns the list', { field: 'account' })
  throw new AdcpError('ACCOUNT_NOT_FOUND', 'you have no account that could own the list', {
    field: 'account',
    suggestion: 'declare one with sync_accounts',
  })
}

/** The fields of the official list object that are not its own document. */
export function presentStamps({ listId, accountId, createdAt, updatedAt }: InventoryList<ListDocument>) {
  return {
    list_id: listId,
    ...(accountId !== '' && { account: { account_id: accountId } }),
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

/** When a list resolved at `now` should be asked for again, ISO 8601. */
export function cacheValidUntil(now: Date, hours: number): string {
  return new Date(now.getTime() + hours * 3_600_000).toISOString()
}
