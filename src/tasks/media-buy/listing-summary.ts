import { statedPolicy } from '../../domain/media-buy/cancellation-policy.ts'
import type { CanonicalPricing } from '../../domain/product/canonical-pricing.ts'
import type { CanonicalProduct } from '../../domain/product/canonical-product.ts'
import { priceWords } from '../../domain/product/price-words.ts'
import { reachWords } from '../../domain/product/reach.ts'
import { outline } from '../../domain/summary/outline.ts'
import { joined, type SummaryRow, summaryText } from '../../domain/summary/summary-text.ts'
import type { Listing } from './list-products.ts'
import { saidTerms } from './terms-in-rows.ts'

/** list_products: each offer with its prices, its reach and what cancelling it costs, and what a purchase of them needs. */
export function summarizeListed(listing: Listing): string {
  const { products = [], feed_version: version, next_cursor: cursor } = listing
  const more = cursor === undefined ? '' : ` More: list_products with cursor "${cursor}".`
  const next = `Next: buy_products with feed_version "${version}" and purchases of product_id, pricing_option_id and budget.${more}`
  if (products.length <= 1) return outline(listing, next)
  const terms = saidTerms(
    products.map(({ product_id: id, ext, pricing_options: options }) => {
      const prices: CanonicalPricing[] = Array.isArray(options) ? options : []
      return { id: String(id), policy: statedPolicy(ext), prices }
    }),
  )
  return summaryText({
    head: `${products.length} products${terms.ofAll && `; ${terms.ofAll}`}:`,
    rows: products.map((product, index) => offerRow(product, terms.ofRows[index] ?? '')),
    after: [next],
  })
}

/** `terms`: what its row says of cancelling. */
function offerRow(
  { product_id: id, name, channels, delivery_type: delivery, pricing_options: prices, ext }: CanonicalProduct,
  terms: string,
): SummaryRow {
  const brief = joined(
    [
      joined([Array.isArray(channels) && channels.join('/'), typeof delivery === 'string' && delivery]),
      Array.isArray(prices) && prices.map((price: CanonicalPricing) => priceWords(price)).join(', '),
      reachWords(ext),
      terms,
    ],
    '; ',
  )
  return { full: `${id}: ${joined([name, brief], '; ')}`, brief: `${id}: ${brief}` }
}
