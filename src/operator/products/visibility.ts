import { publicOrigin } from '../../config/config.ts'
import { keepsReader, keptProduct } from '../../domain/ad-serving/kept-offer.ts'
import { declarer } from '../../domain/creative/canonical/declaration.ts'
import { customFormat } from '../../domain/creative/formats/custom-format.ts'
import { standardFormats } from '../../domain/creative/formats/standard-formats.ts'
import { type NotOffered, type Product, whyNotOffered, whyOver } from '../../domain/product/product.ts'
import { type ProductDocument, productOf } from '../../domain/product/products-file.ts'
import { publicProducts } from '../../domain/product/public-view.ts'
import { isStandardFormatOf } from '../../domain/product/standard-format.ts'
import { loadCustomFormats } from '../../store/product/custom-formats.ts'
import { defineAct } from '../act.ts'
import { buyerId } from '../named-buyer.ts'
import type { OperatorContext } from '../operator-context.ts'
import { closedPlacements } from '../placements/read-placements.ts'
import { READERS } from '../roles.ts'
import { about, list, listOf, type Of, object, pageOf, string, word } from '../shape.ts'
import { INVENTORY_DAYS, inventoryOf } from './inventory.ts'
import { listProducts, PRODUCT_QUERY } from './list-products.ts'

const CODES = [
  'paused',
  'archived',
  'not_served',
  'exclusive',
  'needs_key',
  'no_public_view',
  'ended',
  'expired',
  'sold_out',
  'closed_placements',
] as const

const visibility = object({
  product_id: string,
  name: string,
  seen: about('yes: by every caller of get_products; partly: by some; no: by nobody', word('yes', 'partly', 'no')),
  buyable: about('whether those who see it can order it for the next days', word('yes', 'no')),
  reasons: about(
    'why it is not seen by all, not bought, or not shown when it is bought',
    listOf(object({ code: word(...CODES), text: string })),
  ),
})
/** Who sees a product, and why others do not. */
export type Visibility = Of<typeof visibility>
type Reason = Visibility['reasons'][number]

/** Who sees each product of a page, and why others do not. Throws as {@link listProducts} does; ConfigError when an ad server cannot be loaded. */
export const listProductVisibility = defineAct({
  name: 'products.visibility',
  route: 'GET /product-visibility',
  id: 'listProductVisibility',
  roles: READERS,
  summary: 'Which products buyers see in get_products, and why they do not see the others, by pages.',
  fields: { ...PRODUCT_QUERY, buyer: buyerId('as this buyer sees them, by its id; default: every caller') },
  answer: pageOf(visibility),
  command: {
    columns: [
      ['PRODUCT', (row) => row.product_id],
      ['SEEN', (row) => row.seen],
      ['BOUGHT', (row) => row.buyable],
      ['WHY', ({ reasons }) => reasons.map((each) => each.text).join('; ')],
    ],
  },
  async run(context, { buyer, ...query }) {
    const { tenantId } = context
    const { products, next_cursor: next } = await listProducts(context, { tenantId, ...query })
    return list(await visibilityOf(context, tenantId, products, buyer), next)
  },
})

/**
 * Who sees some products, in their order: what discovery asks of each ({@link whyNotOffered}), of the product as its ad server can serve it. `buyer`: as one
 * buyer sees them; absent: every caller, with and without a key. Throws ConfigError when an ad server cannot be loaded.
 */
export async function visibilityOf(
  context: OperatorContext,
  tenantId: string,
  documents: readonly ProductDocument[],
  buyer?: string,
): Promise<readonly Visibility[]> {
  const { store, config, services, clock } = context
  const agentUrl = `${publicOrigin(config)}/mcp`
  const custom = await loadCustomFormats(store.read, tenantId)
  const declare = declarer([...standardFormats(agentUrl), ...custom.map((document) => customFormat(document, agentUrl))])
  const keepsOf = keepsReader((await services.adServers()).list(tenantId))
  const isStandard = isStandardFormatOf(agentUrl)
  const inventory = await inventoryOf(context, tenantId, documents)
  const closed = await closedPlacements(store.read, tenantId, clock())
  return documents.map((document, index) => {
    const own = productOf(document, agentUrl)
    const product = keptProduct(own, keepsOf(own.id), (format) => declare(format)?.format_kind)
    const hidden = buyer === undefined ? hiddenFromSome(product, isStandard) : hiddenFrom(product, buyer)
    const unsold = unsoldReasons(product, clock(), inventory[index]?.left ?? 0)
    return {
      product_id: own.id,
      name: own.offer.name,
      seen: hidden.seen,
      buyable: hidden.seen === 'no' || unsold.length > 0 ? ('no' as const) : ('yes' as const),
      reasons: [...hidden.reasons, ...unsold, ...closedReasons(document, closed)],
    }
  })
}

/** Who orders a product of which every placement is closed gets nothing of it. */
function closedReasons({ placements = [] }: ProductDocument, closed: ReadonlySet<string>): readonly Reason[] {
  if (placements.length === 0 || !placements.every(({ placement_id: id }) => closed.has(id))) return []
  return [{ code: 'closed_placements', text: 'all of its placements are paused or over: what is ordered is not shown' }]
}

type Hidden = Pick<Visibility, 'seen' | 'reasons'>

function hiddenFrom(product: Product, buyer: string): Hidden {
  const code = whyNotOffered(product, buyer)
  return code === undefined ? { seen: 'yes', reasons: [] } : { seen: 'no', reasons: [reasonOf(code, product)] }
}

/** What callers with a key that no list names, and those without a key, do not see. */
function hiddenFromSome(product: Product, isStandard: Parameters<typeof publicProducts>[1]): Hidden {
  const code = whyNotOffered(product, undefined)
  if (code === undefined) {
    if (publicProducts([product], isStandard).length > 0) return { seen: 'yes', reasons: [] }
    const text = 'callers without a key do not see it: none of its prices and formats can be shown to anybody'
    return { seen: 'partly', reasons: [{ code: 'no_public_view', text }] }
  }
  const isSome = code === 'exclusive' || code === 'needs_key'
  return { seen: isSome ? 'partly' : 'no', reasons: [reasonOf(code, product)] }
}

function reasonOf(code: NotOffered, { selling }: Product): Reason {
  switch (code) {
    case 'archived':
      return { code, text: 'it was taken off sale' }
    case 'paused':
      return { code, text: 'it is paused' }
    case 'not_served':
      return { code, text: selling.unserved ?? 'its ad server does not serve it' }
    case 'exclusive':
      return { code, text: `it is for ${selling.exclusiveTo.join(', ')} alone` }
    case 'needs_key':
      return { code, text: 'callers without a key do not see it (visibility: custom)' }
  }
}

/** Why those who see a product cannot order it. */
function unsoldReasons(product: Product, now: Date, left: number): readonly Reason[] {
  const over = whyOver(product, now)
  const { availableUntil } = product.selling
  if (over === 'expired') return [{ code: over, text: `its offer expired at ${product.offer.expires_at}: nobody can order it` }]
  if (over === 'ended') return [{ code: over, text: `the last day of its sale was ${availableUntil}: nobody can order it` }]
  if (product.offer.delivery_type !== 'guaranteed' || left >= 1) return []
  return [{ code: 'sold_out', text: `orders hold everything of the next ${INVENTORY_DAYS} days` }]
}
