import type { Selectable } from 'kysely'
import type { Db } from '../database.ts'
import type { OrderNoteTables } from './rows.ts'

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
