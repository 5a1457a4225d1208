import type { Selectable } from 'kysely'
import type { Db } from '../database.ts'

export interface OrderNoteTables {
  /** What colleagues write about an order; its buyer never sees it. */
  order_notes: {
    tenant_id: string
    media_buy_id: string
    note_id: string
    /** The person, as the audit log names them. */
    author: string
    note: string
    created_at: string
  }
}

export type OrderNoteRow = Selectable<OrderNoteTables['order_notes']>

export async function addOrderNote(tx: Db, note: OrderNoteRow): Promise<void> {
  await tx.insertInto('order_notes').values(note).execute()
}

/** Notes on an order, newest first. */
export function listOrderNotes(db: Db, tenantId: string, mediaBuyId: string, limit: number): Promise<OrderNoteRow[]> {
  return db
    .selectFrom('order_notes')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', mediaBuyId)
    .orderBy('created_at', 'desc')
    .orderBy('note_id', 'desc')
    .limit(limit)
    .execute()
}
