import { listCharges } from '../../store/billing/charges.ts'
import { invoicesOfLine, listCreditNotes } from '../../store/billing/credit-notes.ts'
import type { Db } from '../../store/database.ts'
import { readInvoice } from '../billing/read-document.ts'

/** What is given back of a line already, in micros: amounts of credit notes, and credits that are billed or will be. */
export async function givenBackMicros(db: Db, tenantId: string, orderId: string, lineId: string): Promise<number> {
  const charges = await listCharges(db, tenantId, { orderIds: [orderId], withSandbox: true })
  let sum = 0
  for (const { lineId: of, micros, state } of charges) if (of === lineId && micros < 0 && state !== 'taken_back') sum -= micros
  for (const invoiceId of await invoicesOfLine(db, tenantId, orderId, lineId))
    for (const note of await listCreditNotes(db, tenantId, invoiceId)) {
      const { document } = await readInvoice(db, tenantId, note.invoiceId)
      for (const line of document.lines)
        if (line.kind === 'credit' && line.orderId === orderId && line.lineId === lineId) sum += line.grossMicros
    }
  return sum
}
