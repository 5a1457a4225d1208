import type { ListKind } from '../../domain/inventory-list.ts'

export interface InventoryListTables {
  inventory_lists: {
    tenant_id: string
    kind: ListKind
    list_id: string
    principal_id: string
    account_id: string
    /** The name in lower case: both engines compare it alike. */
    name_folded: string
    /** The list's document as JSON. */
    document: string
    member_count: number
    /** SHA-256 of the token that lets somebody else fetch this list. */
    token_hash: string
    revision: number
    created_at: string
    updated_at: string
  }
}
