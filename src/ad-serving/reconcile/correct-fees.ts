import { feeCorrection, withCorrectedFee } from '../../domain/billing/corrected-fee.ts'
import { groupBy } from '../../domain/group-by.ts'
import { type Charge, feeIdOf, type NewCharge } from '../../domain/media-buy/charge.ts'
import { readSums } from '../../store/ad-serving/read-sums.ts'
import { chargesInForce, findCharges, insertCharge, listCharges } from '../../store/billing/charges.ts'
import { advanceBook } from '../../store/book-revision.ts'
import { readChunks } from '../../store/chunks.ts'
import type { Db, Store } from '../../store/database.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { saveMediaBuy } from '../../store/media-buy/media-buys.ts'
import { findTenantOrders } from '../../store/media-buy/order-list.ts'

/**
 * Corrects the fees of canceled lines of which something was counted after they were canceled: see {@link feeCorrection}. It looks at what the ledger has, so that whoever imports next corrects what an import that was cut short
 * did not. Writes, and reads alone where nothing differs.
 */
export async function correctFees(store: Store, tenantId: string, lineIds: readonly string[], now: Date): Promise<void> {
  const fees = await readChunks(lineIds, (some) => findCharges(store.read, tenantId, some.map(feeIdOf)))
  for (const [orderId, own] of groupBy(fees, (fee) => fee.orderId)) {
    const lines = own.map(({ lineId }) => lineId)
    if ((await correctionsOf(store.read, tenantId, orderId, lines, now)).length === 0) continue
    await store.transaction(async (tx) => {
      // First, so that of several imports at once one corrects.
      await advanceBook(tx, tenantId)
      for (const correction of await correctionsOf(tx, tenantId, orderId, lines, now)) await write(tx, tenantId, correction, now)
    })
  }
}

/** The correction of a fee; what it gives back goes to whom the fee was billed. */
interface Correction {
  readonly charge: NewCharge
  readonly creditedTo: string | undefined
}

async function correctionsOf(
  db: Db,
  tenantId: string,
  orderId: string,
  lines: readonly string[],
  now: Date,
): Promise<readonly Correction[]> {
  const ofLine = (charges: readonly Charge[], line: string) =>
    charges.filter(({ kind, lineId }) => kind === 'cancellation' && lineId === line)
  const all = await listCharges(db, tenantId, { orderIds: [orderId], withSandbox: true })
  const counting = await chargesInForce(db, tenantId, orderId)
  const ever = { by: ['package'] as const, first: '2000-01-01', last: '9999-12-31', packages: lines, sandbox: true }
  const spent = new Map(
    (await readSums(db, tenantId, ever)).map(({ values: [line = ''], metrics }) => [line, metrics.spendMicros]),
  )
  return lines.flatMap((line) => {
    const [fees, written] = [ofLine(counting, line), ofLine(all, line).length]
    const charge = feeCorrection(fees, { written, spentMicros: spent.get(line) ?? 0, now })
    const billed = fees.find(({ state }) => state === 'billed')
    return charge ? { charge, creditedTo: charge.micros < 0 ? billed?.accountId : undefined } : []
  })
}

/** Writes a correction, and says it on the order of a buyer. */
async function write(tx: Db, tenantId: string, { charge: correction, creditedTo }: Correction, now: Date): Promise<void> {
  await insertCharge(tx, tenantId, correction, creditedTo)
  const [order] = await findTenantOrders(tx, tenantId, [correction.orderId])
  if (!order) return
  const actor = (await findTenant(tx, tenantId))?.name ?? tenantId
  const corrected = withCorrectedFee(order.buy, correction, { actor, now })
  if (corrected !== order.buy) await saveMediaBuy(tx, { tenantId, principalId: order.principalId }, order.buy, corrected)
}
