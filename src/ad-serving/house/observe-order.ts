import type { Association, OrderKey } from '../../domain/ad-serving/desired-order.ts'
import type { ObservedOrder } from '../../domain/ad-serving/observed-order.ts'
import type { Db } from '../../store/database.ts'
import { listHouseAssociations, listHouseCreatives } from '../../store/house/house-creatives.ts'
import { findHouseOrderByAnchor, listHouseLines } from '../../store/house/house-orders.ts'
import type { AssociationDocument, CreativeDocument, LineDocument, OrderDocument } from './stored-documents.ts'

/** The order as the embedded ad server has it; undefined: there is none. */
export async function observeHouseOrder(db: Db, { tenantId, externalId }: OrderKey): Promise<ObservedOrder | undefined> {
  const order = await findHouseOrderByAnchor(db, tenantId, externalId)
  if (!order) return undefined
  const { settings }: OrderDocument = JSON.parse(order.document)
  const lines = await listHouseLines(db, tenantId, order.orderId)
  const associations = await listHouseAssociations(
    db,
    tenantId,
    lines.map(({ lineId }) => lineId),
  )
  return {
    id: order.orderId,
    state: order.state,
    settings,
    lines: lines.map(({ lineId, anchor, state, document }) => {
      const line: LineDocument = JSON.parse(document)
      const own = associations.filter((each) => each.lineId === lineId)
      return {
        id: lineId,
        externalId: anchor,
        state,
        settings: line.settings,
        associations: own.map((each) => associationOf(each.document)),
      }
    }),
    creatives: (await listHouseCreatives(db, tenantId, order.orderId)).map(({ creativeId, document }) => {
      const { externalId: creativeExternalId, contentVersion, rejection: reason }: CreativeDocument = JSON.parse(document)
      const review = reason === undefined ? undefined : { state: 'rejected' as const, reason }
      return { id: creativeId, externalId: creativeExternalId, contentVersion, ...(review && { review }) }
    }),
  }
}

function associationOf(document: string): Association {
  const { association }: AssociationDocument = JSON.parse(document)
  return association
}
