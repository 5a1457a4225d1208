import { listBuyers } from '../../operator/buyers/list-buyers.ts'
import type { ProductDocument } from '../../operator/products/list-products.ts'
import { showProductPrices } from '../../operator/products/product-prices.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { doAct } from '../do-act.ts'
import { money, unitPrice } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { choice, field, table } from './parts.ts'

/** Which price one buyer gets for a product, and why; the buyer (`as`) and the budget are in the address. */
export async function buyerPricesPanel(call: TenantCall, { product_id: product }: ProductDocument): Promise<Html> {
  const { query, base } = call
  const buyers = (await doAct(call, listBuyers, {})).items
  const buyer = buyers.find(({ buyer: id }) => id === query.get('as'))?.buyer
  const written = query.get('budget')?.trim() ?? ''
  const starts = query.get('starts') || undefined
  const options: [string, string][] = [
    ['', 'A caller without a key'],
    ...buyers.map(({ buyer: id, name }): [string, string] => [id, `${name} (${id})`]),
  ]
  const form = html`<form class="filters" method="get" action="${base}/products/${encodeURIComponent(product)}">${choice('as', 'Buyer', options, buyer ?? '')}${field('starts', 'First day of the flight', { type: 'date', value: starts ?? '', of: showProductPrices.fields.starts })}${field('budget', 'Budget of the package', { value: written, hint: 'A whole number. Empty: what the lowest price asks for.' })}<button>Show the price</button></form>`
  return html`<section class="panel" id="buyer-price"><h2>Price for a buyer</h2>${form}${await answer(call, product, { buyer, starts }, written)}</section>`
}

interface Asked {
  readonly buyer: string | undefined
  /** First day of the flight. */
  readonly starts: string | undefined
}

async function answer(call: TenantCall, product: string, { buyer, starts }: Asked, written: string): Promise<Html> {
  const budget = written === '' ? undefined : showProductPrices.fields.budget.parse?.(written)
  try {
    const { prices, offered } = await doAct(call, showProductPrices, { product, buyer, budget, starts })
    const rows = prices.map(({ currency, ...each }) => {
      const priced = (price: number | null) =>
        price === null ? 'auction' : `${each.fixed ? '' : 'from '}${unitPrice(price, currency)}`
      return [
        html`${each.pricing_model.replaceAll('_', ' ').toUpperCase()}<small>${each.granted_option_id}</small>`,
        priced(each.listed),
        priced(each.price),
        each.min_spend === null ? 'any' : money(each.min_spend, currency),
        html`${each.why.map((text) => html`<div>${text}</div>`)}`,
      ]
    })
    const columns = ['Option', { title: 'Listed', numeric: true }, { title: 'Price', numeric: true }, 'Smallest budget', 'Why']
    return html`${!offered && html`<p class="notice warn">${buyer ?? 'A caller without a key'} does not see this product.</p>`}${table('Price for a buyer', columns, rows)}`
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return html`<p class="notice bad" role="alert">${error.message}</p>`
  }
}
