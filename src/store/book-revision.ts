import { AdcpError } from '../protocol/errors.ts'
import type { Db } from './database.ts'

/** The books of a publisher changed since they were read: what was decided from them is read and decided again. */
export class BookChanged extends AdcpError {
  constructor() {
    super('CONFLICT', 'another invoice, credit or charge was written just now; look at it and try again')
  }
}

/** How often the books of a publisher changed; 0: never. What is read after it is as old as this number, or newer. */
export async function bookRevision(db: Db, tenantId: string): Promise<number> {
  const row = await db.selectFrom('billing_books').select('revision').where('tenant_id', '=', tenantId).executeTakeFirst()
  return Number(row?.revision ?? 0)
}

/**
 * Notes a change of the books: an invoice, a credit, a charge that is taken back, or an offer of a credit. All of them write the same row, so that no two of them commit side by side on either
 * engine. `seen`: the revision that the change was decided from. Throws BookChanged when it is another one.
 */
export async function advanceBook(tx: Db, tenantId: string, seen?: number): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('billing_books')
    .values({ tenant_id: tenantId, revision: 1 })
    .onConflict((conflict) => {
      const next = conflict.column('tenant_id').doUpdateSet((e) => ({ revision: e('billing_books.revision', '+', 1) }))
      return seen === undefined ? next : next.where('billing_books.revision', '=', seen)
    })
    .executeTakeFirst()
  if (Number(numInsertedOrUpdatedRows) === 0) throw new BookChanged()
}
