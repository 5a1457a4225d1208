import { listBuyers } from '../../operator/buyers/list-buyers.ts'
import type { ProductDocument } from '../../operator/products/list-products.ts'
import { type Visibility, visibilityOf } from '../../operator/products/visibility.ts'
import { doAct } from '../do-act.ts'
import { type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { badge, choice } from './parts.ts'

/** Whether buyers see a product and can order it, with the reasons where they do not. */
export function seenBadge(visibility: Visibility | undefined): Html {
  if (!visibility) return html``
  const { seen, buyable, reasons } = visibility
  const [text, tone] =
    seen === 'no'
      ? (['no', 'bad'] as const)
      : buyable === 'no'
        ? (['not to order', 'bad'] as const)
        : seen === 'partly'
          ? (['some', 'warn'] as const)
          : (['yes', 'good'] as const)
  return html`${badge(text, tone)}${reasons.map((reason) => html`<small>${reason.text}</small>`)}`
}

const EVERYBODY = ''

/** What all buyers see of a product, or one buyer (`as`). */
export async function seenPanel(call: TenantCall, product: ProductDocument): Promise<Html> {
  const { operator, tenantId, query, base } = call
  const buyers = (await doAct(call, listBuyers, {})).items.filter(({ status }) => status === 'active')
  const buyer = buyers.find(({ buyer: id }) => id === query.get('as'))?.buyer
  const [visibility] = await visibilityOf(operator, tenantId, [product], buyer)
  if (!visibility) return html``
  const { seen, buyable, reasons } = visibility
  const who = buyer ?? 'Buyers'
  const title =
    seen === 'no'
      ? `${who} cannot see this because`
      : seen === 'partly'
        ? 'Some buyers cannot see this because'
        : buyable === 'no'
          ? `${who} cannot order this because`
          : `${who} can order this, but`
  const options: [string, string][] = [
    [EVERYBODY, 'Every buyer'],
    ...buyers.map(({ buyer: id, name }): [string, string] => [id, `${name} (${id})`]),
  ]
  const why =
    reasons.length === 0
      ? html`<p class="notice good">${buyer === undefined ? 'Every buyer sees it' : `${buyer} sees it`}, and can order it.</p>`
      : html`<div class="notice ${seen !== 'no' && buyable === 'yes' ? 'warn' : 'bad'}"><p>${title}</p><ul>${reasons.map(({ text }) => html`<li>${text}</li>`)}</ul></div>`
  return html`<section class="panel"><h2>What buyers see</h2>${why}
<form class="filters" method="get" action="${base}/products/${encodeURIComponent(product.product_id)}">${choice('as', 'See it as', options, buyer ?? EVERYBODY)}<button>Show</button> <a class="button" href="${base}/products/seen${buyer !== undefined && `?buyer=${encodeURIComponent(buyer)}`}">The whole answer of get_products</a></form></section>`
}
