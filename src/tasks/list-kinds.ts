import { changeDocument, type InventoryList, type ListDocument, type ListKind } from '../domain/inventory-list.ts'
import { withoutQuery } from '../domain/webhook-address.ts'
import type { AuthenticatedContext, InTransaction } from '../pipeline/task.ts'
import { getList, saveList } from '../store/inventory-list/inventory-lists.ts'
import { checkListWebhook, createList, followList, listScopeOf, type ProductsContext } from './inventory-lists.ts'

/** How lists of one kind are resolved and shown; their tasks differ in nothing else. */
export interface KindOfList<D extends ListDocument, L> {
  readonly kind: ListKind
  /** Hours for which a resolved list may be used (AdCP property-list.json and collection-list.json, `cache_duration_hours`). */
  readonly cacheHours: number
  /** Keys of the entries that a document resolves to now. */
  members(context: ProductsContext, document: D): Promise<readonly string[]>
  /** The official list object. */
  present(list: InventoryList<D>): L
}

/** Fields of a request that are part of the document; absent ones stay as they are. */
type ChangeOf<D> = { readonly [K in keyof D]?: D[K] | undefined }

/** The document of a new list with the number of its entries. Throws VALIDATION_ERROR. */
export async function prepareNewList<D extends ListDocument, L>(
  { members }: KindOfList<D, L>,
  context: ProductsContext,
  document: D,
): Promise<{ document: D; count: number }> {
  return { document, count: (await members(context, document)).length }
}

/** Stores a new list. */
export async function createListOf<D extends ListDocument, L>(
  { kind, present }: KindOfList<D, L>,
  context: InTransaction<AuthenticatedContext>,
  { document, count }: { readonly document: D; readonly count: number },
): Promise<{ list: L; auth_token: string }> {
  const { list, token } = await createList(context, kind, document, count)
  return { list: present(list), auth_token: token }
}

interface UpdateRequest {
  readonly list_id: string
  readonly webhook_url?: string | undefined
}

/** A list as an update leaves it. */
interface PreparedUpdate<D extends ListDocument> {
  readonly list: InventoryList<D>
  /** Keys of its entries before the update, for a subscriber that begins with it: it is notified of what this very request changes. */
  readonly membersBefore: readonly string[]
}

/** Throws INVALID_REQUEST naming `webhook_url`, REFERENCE_NOT_FOUND, VALIDATION_ERROR. */
export async function prepareListUpdate<D extends ListDocument, L>(
  { kind, members }: KindOfList<D, L>,
  context: AuthenticatedContext & ProductsContext,
  request: UpdateRequest,
  change: ChangeOf<D>,
): Promise<PreparedUpdate<D>> {
  await checkListWebhook(context, request.webhook_url)
  const list = await getList<D>(context.db, listScopeOf(context), kind, request.list_id)
  const document = changeDocument(list.document, change)
  const membersBefore = request.webhook_url === undefined ? [] : await members(context, list.document)
  return { membersBefore, list: { ...list, document, memberCount: (await members(context, document)).length } }
}

/** Stores the update and, where the request names an address, sends changes of the list there from now on. */
export async function updateListOf<D extends ListDocument, L extends object>(
  { present }: KindOfList<D, L>,
  context: InTransaction<AuthenticatedContext>,
  { webhook_url: url }: UpdateRequest,
  { list, membersBefore }: PreparedUpdate<D>,
): Promise<{ list: L & { webhook_url?: string } }> {
  const saved = await saveList(context.tx, context.principal.tenantId, list, context.now)
  await followList(context, saved, url, membersBefore)
  return { list: { ...present(saved), ...(url !== undefined && url !== '' && { webhook_url: withoutQuery(url) }) } }
}
