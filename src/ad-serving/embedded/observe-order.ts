import type { Association, OrderKey } from '../../domain/ad-serving/desired-order.ts'
import type { ObservedOrder } from '../../domain/ad-serving/observed-order.ts'
import type { Db } from '../../store/database.ts'
import { listEmbeddedAssociations, listEmbeddedCreatives } from '../../store/embedded/creatives.ts'
import { type EmbeddedLineRow, findEmbeddedOrderByAnchor, listEmbeddedLines } from '../../store/embedded/orders.ts'
import { billedKind } from './billing.ts'
import { uncounted } from './counted-creative.ts'
import type { AssociationDocument, CreativeDocument, LineDocument, OrderDocument } from './stored-documents.ts'

/** The order as the embedded ad server has it; undefined: there is none. */
export async function observeEmbeddedOrder(db: Db, { tenantId, externalId }: OrderKey): Promise<ObservedOrder | undefined> {
  const order = await findEmbeddedOrderByAnchor(db, tenantId, externalId)
  if (!order) return undefined
  const { settings }: OrderDocument = JSON.parse(order.document)
  const lines = await listEmbeddedLines(db, tenantId, order.orderId)
  const associations = await listEmbeddedAssociations(
    db,
    tenantId,
    lines.map(({ lineId }) => lineId),
  )
  const unpaid = uncountedOf(lines, associations)
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
        // Said where there is none, so that one that was ordered since is missed.
        settings: { ...line.settings, dailyCap: line.settings.dailyCap ?? null },
        associations: own.map((each) => associationOf(each.document)),
      }
    }),
    creatives: (await listEmbeddedCreatives(db, tenantId, order.orderId)).map(({ creativeId, document }) => {
      const { externalId: creativeExternalId, contentVersion, rejection }: CreativeDocument = JSON.parse(document)
      const reason = rejection ?? unpaid.get(creativeId)
      const review = reason === undefined ? undefined : { state: 'rejected' as const, reason }
      return { id: creativeId, externalId: creativeExternalId, contentVersion, ...(review && { review }) }
    }),
  }
}

/** Why creatives are not served on an open line that shows them: they never make the event that it is charged for. By creative id. */
function uncountedOf(
  lines: readonly EmbeddedLineRow[],
  associations: readonly { readonly lineId: string; readonly creativeId: string; readonly creative: string }[],
): ReadonlyMap<string, string> {
  const models = new Map(
    lines.flatMap(({ lineId, state, document }) => {
      const { settings }: LineDocument = JSON.parse(document)
      const { model } = settings.price
      return state === 'ended' || billedKind(model) === 'impression' ? [] : [[lineId, model] as const]
    }),
  )
  return new Map(
    associations.flatMap(({ lineId, creativeId, creative }) => {
      const model = models.get(lineId)
      if (model === undefined) return []
      const { terms }: CreativeDocument = JSON.parse(creative)
      const reason = terms && uncounted(model, terms)
      return reason === undefined ? [] : [[creativeId, reason] as const]
    }),
  )
}

function associationOf(document: string): Association {
  const { association }: AssociationDocument = JSON.parse(document)
  return association
}
