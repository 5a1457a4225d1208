import { randomUUID } from 'node:crypto'
import { accountScopeOf } from '../domain/account/account.ts'
import { decodeCursor, encodeCursor } from '../domain/cursor.ts'
import { checkDocument, type InventoryList, type ListDocument, type ListKind, owningAccount } from '../domain/inventory-list.ts'
import type { AuthenticatedContext, InTransaction } from '../pipeline/task.ts'
import { listAccounts } from '../store/account/accounts.ts'
import type { Db } from '../store/database.ts'
import { insertList, type ListScope, listLists } from '../store/inventory-list/inventory-lists.ts'
import { hashListToken, newListToken } from '../store/inventory-list/list-tokens.ts'
import type { ProductCache } from '../store/product/product-cache.ts'

/** AdCP core/pagination-request.json, `max_results`. */
const DEFAULT_PAGE = 50

/** Whose lists a call can reach. */
export function listScopeOf({ principal, account }: AuthenticatedContext): ListScope {
  return { ...accountScopeOf(principal, account), confinedTo: principal.confinedTo }
}

/** Stores a new list for the call's agent. Returns it with the token that is shown this once. */
export async function createList<D extends ListDocument>(
  context: InTransaction<AuthenticatedContext>,
  kind: ListKind,
  document: D,
  memberCount: number,
): Promise<{ list: InventoryList<D>; token: string }> {
  const { tx, principal, account, now } = context
  const own = await listAccounts(tx, principal, {}, { after: undefined, limit: 2 })
  const list: InventoryList<D> = {
    kind,
    listId: `${kind === 'property' ? 'pl' : 'cl'}_${randomUUID()}`,
    principalId: principal.principalId,
    accountId: owningAccount(account, own.accounts, principal.conformance === true),
    document: checkDocument(document),
    memberCount,
    revision: 1,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  }
  const token = newListToken(kind)
  await insertList(tx, principal.tenantId, list, hashListToken(token))
  return { list, token }
}

interface ListingRequest {
  readonly name_contains?: string | undefined
  readonly pagination?: { readonly max_results?: number | undefined; readonly cursor?: string | undefined } | undefined
}

/** One page of the lists within reach, newest last, with its wire pagination. */
export async function pageOfLists<D extends ListDocument>(
  context: InTransaction<AuthenticatedContext>,
  kind: ListKind,
  { name_contains, pagination }: ListingRequest,
) {
  const reach = listScopeOf(context)
  const query = [kind, reach.tenantId, reach.principalId, reach.accountId, name_contains]
  const page = await listLists<D>(
    context.tx,
    reach,
    kind,
    { nameContains: name_contains },
    { after: decodeCursor(query, pagination?.cursor), limit: pagination?.max_results ?? DEFAULT_PAGE },
  )
  return {
    lists: page.lists,
    pagination: {
      has_more: page.after !== undefined,
      ...(page.after !== undefined && { cursor: encodeCursor(query, page.after) }),
      total_count: page.total,
    },
  }
}

/** Where what lists are made of is looked up. */
export interface ProductsContext {
  readonly db: Db
  readonly tenant: { readonly tenantId: string; readonly productsRevision: number }
  readonly services: { readonly products: ProductCache }
}

/** Checks the address of a change webhook. Throws INVALID_REQUEST naming `webhook_url`. An empty text is none. */
export async function checkListWebhook({ services, principal }: AuthenticatedContext, url: string | undefined): Promise<void> {
  if (url !== undefined && url !== '') await services.webhooks.checkAddress(principal, url, 'webhook_url')
}

/** Lets the agent follow a list at this address, instead of the one before; with an empty text it follows no more. */
export async function followList(
  { services, principal, tx, now }: InTransaction<AuthenticatedContext>,
  { kind, listId, principalId }: InventoryList<ListDocument>,
  url: string | undefined,
  members: readonly string[],
): Promise<void> {
  if (url !== undefined)
    await services.webhooks.followList(tx, { principal: { ...principal, principalId }, kind, listId, url, members, now })
}
