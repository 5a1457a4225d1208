import { setProduct } from '../../operator/products/change-product.ts'
import type { ProductDocument } from '../../operator/products/list-products.ts'
import { writeNumber } from '../../platform/decode/read-number.ts'
import { may } from '../do-act.ts'
import { unitPrice } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { type Inputs, shownField } from '../shown-form.ts'
import { csrfField } from './parts.ts'

type Option = ProductDocument['pricing_options'][number]

/** The number of a price that a person changes: a column of the import format, and its value. */
export interface PriceNumber {
  readonly column: 'price' | 'floor'
  readonly value: number
}

/** The fixed price, or the lowest bid; undefined for an option that names neither. */
export function priceNumber(option: Option): PriceNumber | undefined {
  const { fixed_price: fixed, floor_price: floor }: Readonly<Record<string, unknown>> = { ...option }
  if (typeof fixed === 'number') return { column: 'price', value: fixed }
  return typeof floor === 'number' ? { column: 'floor', value: floor } : undefined
}

/** What the form of a price shows of it; of an option without a number, nothing. */
export function priceInputs(number: PriceNumber | undefined): Inputs {
  return number ? { column: number.column, value: writeNumber(number.value) } : {}
}

/** A price in words: `CPM €12.00`. */
function priceText(option: Option): string {
  const { pricing_model: model, currency }: Readonly<Record<string, unknown>> = { ...option }
  const name = String(model).replaceAll('_', ' ').toUpperCase()
  const number = priceNumber(option)
  if (!number) return `${name} ${String(currency ?? '')}`
  return `${name} ${number.column === 'floor' ? 'from ' : ''}${unitPrice(number.value, String(currency))}`
}

/** Each price of a product; for those who sell, with a form in place that checks while they type. */
export function priceCells(call: TenantCall, product: ProductDocument): Html {
  const maySell = may(call, setProduct)
  return html`${product.pricing_options.map((option) => {
    const number = priceNumber(option)
    return maySell && number ? priceForm(call, product, option, number) : html`<div>${priceText(option)}</div>`
  })}`
}

/** The form of a price that was refused, with what was written into it; the problem alone where there is no such price. */
export function refusedPrice(call: TenantCall, product: ProductDocument, written: string, problem: string): Html {
  const option = product.pricing_options.find(({ pricing_option_id: id }) => id === call.form.get('pricing_option_id'))
  const number = option && priceNumber(option)
  if (!number) return html`<p class="notice bad" role="alert">${problem}</p>`
  return priceForm(call, product, option, number, { written, problem })
}

/** `refused`: what was written and why it was not taken; the form is open then. */
function priceForm(
  call: TenantCall,
  product: ProductDocument,
  option: Option,
  { column, value }: PriceNumber,
  refused?: { readonly written: string; readonly problem: string },
): Html {
  const path = `${call.base}/products/${encodeURIComponent(product.product_id)}/price`
  const id = `${product.product_id}-${option.pricing_option_id}`.replaceAll(/[^\w-]/g, '_')
  const label = `${column === 'floor' ? 'Lowest bid' : 'Price'} of ${product.name}, ${option.pricing_option_id}`
  return html`<details class="price"${refused && html` open`}><summary>${priceText(option)}</summary><form method="post" action="${path}">${csrfField(call)}
<input type="hidden" name="pricing_option_id" value="${option.pricing_option_id}"><input type="hidden" name="column" value="${column}">${shownField(priceInputs({ column, value }))}
<input name="value" inputmode="decimal" autocomplete="off" required aria-label="${label}" aria-describedby="p-${id}" value="${refused?.written ?? writeNumber(value)}" hx-post="${path}/check" hx-trigger="input changed delay:300ms" hx-target="#p-${id}" hx-swap="innerHTML"><button class="primary">Save</button><p class="problem" id="p-${id}" role="${refused ? 'alert' : 'status'}">${refused?.problem}</p></form></details>`
}
