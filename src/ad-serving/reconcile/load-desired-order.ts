import type { DesiredOrder } from '../../domain/ad-serving/desired-order.ts'
import { desiredOrderOf } from '../../domain/ad-serving/desired-order-of.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { MediaBuy, Package } from '../../domain/media-buy/media-buy.ts'
import { assignmentsOf } from '../../store/creative/creative-assignments.ts'
import { findCreatives } from '../../store/creative/creatives.ts'
import type { Db } from '../../store/database.ts'
import { findMediaBuys } from '../../store/media-buy/media-buys.ts'
import { readIds } from '../external-id.ts'

/** Which order of which ad server. */
export interface OrderAt extends PrincipalRef {
  readonly mediaBuyId: string
  readonly adServer: string
}

/** The order that an ad server should have now, from the store. Undefined when there is no such media buy. */
export async function loadDesiredOrder(db: Db, at: OrderAt): Promise<DesiredOrder | undefined> {
  const [buy] = await findMediaBuys(db, at, [at.mediaBuyId])
  if (!buy) return undefined
  const packages = packagesAt(buy, at.adServer)
  const agent = { tenantId: at.tenantId, principalId: at.principalId, sandbox: false }
  const facts = await assignmentsOf(
    db,
    agent,
    packages.map(({ packageId }) => packageId),
  )
  const ids = new Set([...facts.values()].flatMap((assigned) => assigned.map(({ creativeId }) => creativeId)))
  const creatives = await findCreatives(db, at, buy.accountId, [...ids])
  return desiredOrderOf({ tenantId: at.tenantId, buy, facts, creatives, packages })
}

/** The packages of a media buy whose lines lie at an ad server. */
function packagesAt({ packages }: MediaBuy, adServer: string): readonly Package[] {
  return packages.filter(({ lineId }) => readIds(lineId)[0]?.adServer === adServer)
}
