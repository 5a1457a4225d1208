import type { Flight } from '../../domain/calendar/flight.ts'
import type { OpenWeek } from '../../domain/calendar/open-week.ts'
import { HeldInventory } from '../../domain/media-buy/held-inventory.ts'
import { type Holding, requireCapacity, reservationSteps } from '../../domain/media-buy/inventory.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../store/database.ts'
import { listEmbeddedLines, putEmbeddedLine } from '../../store/embedded/orders.ts'
import { moveReservation } from '../../store/media-buy/inventory.ts'
import type { LineDocument } from './stored-documents.ts'

/** What a guaranteed line holds of its product's inventory, in the hours of a week in which it is shown. */
export function holdingOf(
  productId: string,
  reservedImpressions: number,
  { startsAt, endsAt }: Flight,
  openWeek: OpenWeek | undefined,
): Holding {
  return { productId, reservedImpressions, terms: { startsAt, endsAt }, ...(openWeek !== undefined && { openWeek }) }
}

/** Moves what lines hold of the real inventory; by product, how much more is held than before. Throws PRODUCT_UNAVAILABLE for the first day that would be sold twice. */
export async function moveHoldings(
  tx: Db,
  tenantId: string,
  before: readonly LineDocument[],
  after: readonly LineDocument[],
  productOf: (productId: string) => { readonly dailyCapacity: number } | undefined,
): Promise<ReadonlyMap<string, number>> {
  const moved = new Map<string, number>()
  const heldBy = (documents: readonly LineDocument[]) => documents.flatMap(({ held }) => (held ? [held] : []))
  for (const [productId, changes] of await inTurns(reservationSteps(heldBy(before), heldBy(after)))) {
    const held = new HeldInventory(await moveReservation(tx, { tenantId, pool: '' }, productId, changes))
    const index = after.findIndex(({ settings }) => settings.productId === productId)
    const product = productOf(productId)
    if (product) requireCapacity(productId, product.dailyCapacity, { changes, held }, `lines[${index}]`)
    moved.set(
      productId,
      changes.reduce((sum, { delta }) => sum + delta, 0),
    )
  }
  return moved
}

/** A line that ended holds nothing any more. */
export async function release(tx: Db, tenantId: string, orderId: string, lineId: string, now: Date): Promise<void> {
  const line = (await listEmbeddedLines(tx, tenantId, orderId)).find((each) => each.lineId === lineId)
  if (!line) return
  const { held: _held, ...document }: LineDocument = JSON.parse(line.document)
  await putEmbeddedLine(tx, tenantId, { ...line, document: JSON.stringify(document) }, now)
}
