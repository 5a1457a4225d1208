import { publicOrigin } from '../../config/config.ts'
import { buyerPrices } from '../../domain/product/buyer-price.ts'
import { PRICING_MODELS } from '../../domain/product/pricing-option.ts'
import { isOfferedTo, priceOf } from '../../domain/product/product.ts'
import { productOf } from '../../domain/product/products-file.ts'
import { atStart } from '../../domain/product/starting-on.ts'
import { missingBuyer } from '../../store/identity/missing-buyer.ts'
import { findPrincipal } from '../../store/identity/principals.ts'
import { defineAct } from '../act.ts'
import { count, day } from '../fields.ts'
import { buyerId } from '../named-buyer.ts'
import { READERS } from '../roles.ts'
import { about, boolean, listOf, named, number, object, orNull, string, word } from '../shape.ts'
import { table } from '../text-table.ts'
import { showProduct } from './list-products.ts'
import { PRODUCT } from './product-shapes.ts'

const prices = named(
  'ProductPrices',
  object({
    product_id: string,
    buyer: about('null: a caller without a key', orNull(string)),
    offered: about('whether the buyer sees the product at all', boolean),
    prices: listOf(
      object({
        pricing_option_id: string,
        pricing_model: word(...PRICING_MODELS),
        currency: about('ISO 4217', string),
        fixed: about('false: an auction, whose floor is the price', boolean),
        listed: about('null: an auction without a floor', orNull(number)),
        price: about('what the buyer gets who asks for less; null as for listed', orNull(number)),
        granted_option_id: about('the option to buy at that price: the listed one where nothing less is granted', string),
        min_spend: about('smallest budget of a package at that price; null: any', orNull(number)),
        why: about('the rules, and which of them reach this buyer', listOf(string)),
      }),
    ),
  }),
)

/** Which price a buyer gets for a product, by the rule that discovery, proposals and orders follow. Throws REFERENCE_NOT_FOUND for a product or a buyer that is not there. */
export const showProductPrices = defineAct({
  name: 'products.prices',
  route: 'GET /products/{product}/prices',
  id: 'showProductPrices',
  roles: READERS,
  summary: 'Which price a buyer gets for a product, and why.',
  fields: {
    product: PRODUCT,
    buyer: buyerId('id of the buyer; default: a caller without a key'),
    starts: day('first day of the flight (UTC); default: the prices of all days'),
    budget: count('budget of the package, in whole units of the currency; default: what the lowest price asks for'),
  },
  answer: prices,
  command: {
    text: ({ prices: rows, offered, product_id: id, buyer }) => [
      ...(offered ? [] : [`${buyer ?? 'a caller without a key'} is not offered ${id}`]),
      ...table(
        ['OPTION', 'LISTED', 'PRICE', 'MIN SPEND', 'WHY'],
        rows.map((row) => [
          row.granted_option_id,
          priceCell(row.listed, row.currency),
          priceCell(row.price, row.currency),
          row.min_spend === null ? '' : String(row.min_spend),
          row.why.join('; '),
        ]),
      ),
    ],
  },
  async run(context, { product: id, buyer, budget, starts }) {
    const { store, tenantId, config } = context
    const whole = productOf(await showProduct.run(context, { product: id }), `${publicOrigin(config)}/mcp`)
    const product = starts === undefined ? whole : atStart(whole, starts)
    if (buyer !== undefined && !(await findPrincipal(store.read, tenantId, buyer))) throw missingBuyer(tenantId, buyer)
    return {
      product_id: product.id,
      buyer: buyer ?? null,
      offered: isOfferedTo(product, buyer),
      prices: buyerPrices(product, { buyer, budget }).map(({ listed, option, reasons }) => ({
        pricing_option_id: listed.pricing_option_id,
        pricing_model: listed.pricing_model,
        currency: listed.currency,
        fixed: listed.fixed_price !== undefined,
        listed: priceOf(listed) ?? null,
        price: priceOf(option) ?? null,
        granted_option_id: option.pricing_option_id,
        min_spend: option.min_spend_per_package ?? null,
        why: reasons,
      })),
    }
  },
})

function priceCell(price: number | null, currency: string): string {
  return price === null ? 'auction' : `${price} ${currency}`
}
