import type { UpdateMediaBuyRequest, UpdateMediaBuyResponse } from '@adcp/sdk/types'
import { deliveryOf } from '../../domain/media-buy/delivery.ts'
import type { CreativeFacts, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { presentUpdated } from '../../domain/media-buy/present.ts'
import { applyUpdate, type Update } from '../../domain/media-buy/update.ts'
import type { Product } from '../../domain/product/product.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import { replaceAssignments } from '../../store/creative-assignments.ts'
import { getMediaBuy, saveMediaBuy } from '../../store/media-buys.ts'
import { creativeFactsOf } from './creative-facts.ts'
import { namedMediaBuy } from './find-media-buys.ts'
import { lineOrders, poolOf, reportsOf, requireAvailability, reserve, withBooking } from './orders.ts'

interface Prepared {
  readonly before: MediaBuy
  readonly update: Update
  readonly products: ReadonlyMap<string, Product>
}

export const updateMediaBuy = defineTask<UpdateMediaBuyRequest, UpdateMediaBuyResponse>()({
  name: 'update_media_buy',
  access: 'authenticated',
  scope: 'media_buys',
  account: 'required',
  summary: 'Change a media buy: budgets, dates, packages, creative assignments, pause, resume, cancel. All or nothing.',
  async prepare(request, context): Promise<Prepared> {
    const { principal, tenant, services, db, now, anchor } = context
    const before = await namedMediaBuy(db, context, request.media_buy_id)
    const creatives = await creativeFactsOf(db, principal, [before])
    const { byId: products } = await services.catalogue.get(db, tenant, principal)
    const update = applyUpdate(before, request, {
      actor: principal.agentUrl ?? principal.name,
      principalId: principal.principalId,
      products,
      creatives,
      spent: request.packages?.some((pkg) => pkg.budget !== undefined) ? await spentBy(context, before, creatives) : new Map(),
      now,
    })
    const grown = update.buy.packages.filter((pkg, index) => pkg.reservedImpressions > 0 && before.packages[index] === undefined)
    await requireAvailability(context, grown, products)
    return { before, update: { ...update, buy: await atAdServer(context, anchor, before, update.buy) }, products }
  },
  async undo(_request, { services, db, principal, anchor }, { before }) {
    const stored = await getMediaBuy(db, principal, before.mediaBuyId)
    if (!stored.cancellation) await services.adServer.change(anchor, stored.orderId, lineOrders(stored.packages))
  },
  async handle(_request, context, { before, update, products }): Promise<UpdateMediaBuyResponse> {
    const { tx, principal, now } = context
    const { buy, affected, assignments } = update
    if (buy.revision !== before.revision) {
      await saveMediaBuy(tx, principal, before, buy)
      await reserve(tx, poolOf(context), before.packages, buy.packages, products)
      for (const [packageId, list] of assignments) await replaceAssignments(tx, principal, packageId, list, now)
    }
    const sandbox = context.account?.sandbox === true
    return presentUpdated(buy, { creatives: await creativeFactsOf(tx, principal, [buy]), now, affected, sandbox })
  },
})

async function spentBy(context: AuthenticatedContext, buy: MediaBuy, creatives: CreativeFacts): Promise<Map<string, number>> {
  const reports = await reportsOf(context, [buy], creatives)
  const { packages } = deliveryOf(buy, reports.get(buy.mediaBuyId) ?? [])
  return new Map([...packages].map(([packageId, { total }]) => [packageId, total.spendMicros]))
}

/** Brings the order to its new state: canceled, or with its lines as they are now. Nothing is sent when nothing changed. */
async function atAdServer(
  { services }: AuthenticatedContext,
  anchor: string,
  before: MediaBuy,
  buy: MediaBuy,
): Promise<MediaBuy> {
  const { adServer } = services
  if (buy.revision === before.revision) return buy
  if (buy.cancellation) {
    await adServer.cancel(anchor, buy.orderId)
    return buy
  }
  const ended = buy.packages.filter((pkg, index) => pkg.cancellation && !before.packages[index]?.cancellation)
  if (ended.length > 0)
    await adServer.cancel(
      anchor,
      buy.orderId,
      ended.map((pkg) => pkg.lineId),
    )
  return withBooking(buy, await adServer.change(anchor, buy.orderId, lineOrders(buy.packages)))
}
