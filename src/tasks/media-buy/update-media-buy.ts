import type { UpdateMediaBuyRequest, UpdateMediaBuyResponse } from '@adcp/sdk/types'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { presentUpdated } from '../../domain/media-buy/present.ts'
import { applyUpdate, type Update } from '../../domain/media-buy/update.ts'
import type { Product } from '../../domain/product/product.ts'
import { defineTask } from '../../pipeline/task.ts'
import { getMediaBuy, saveMediaBuy } from '../../store/media-buys.ts'
import { assign, changeAtAdServer, spentBy } from './change-order.ts'
import { creativeFactsOf, requireCreatives } from './creative-facts.ts'
import { namedMediaBuy } from './find-media-buys.ts'
import { lineOrders, poolOf, requireAvailability, reserve } from './orders.ts'
import { uploadCreatives } from './upload-creatives.ts'

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
    await requireCreatives(context, request, before)
    const grown = update.buy.packages.filter((pkg, index) => pkg.reservedImpressions > 0 && before.packages[index] === undefined)
    await requireAvailability(context, grown, products)
    return { before, update: { ...update, buy: await changeAtAdServer(context, anchor, before, update.buy) }, products }
  },
  async undo(_request, { services, db, principal, anchor }, { before }) {
    const stored = await getMediaBuy(db, principal, before.mediaBuyId)
    if (!stored.cancellation) await services.adServer.change(anchor, stored.orderId, lineOrders(stored.packages))
  },
  async handle(request, context, { before, update, products }): Promise<UpdateMediaBuyResponse> {
    const { tx, principal, now } = context
    const { buy, affected } = update
    if (buy.revision !== before.revision) {
      await saveMediaBuy(tx, principal, before, buy)
      await reserve(tx, poolOf(context), before.packages, buy.packages, products)
      await uploadCreatives(context, buy.accountId, request.packages, 'packages')
      await uploadCreatives(context, buy.accountId, request.new_packages, 'new_packages')
      await assign(tx, principal, update, now)
    }
    const sandbox = context.account?.sandbox === true
    return presentUpdated(buy, { creatives: await creativeFactsOf(tx, principal, [buy]), now, affected, sandbox })
  },
})
