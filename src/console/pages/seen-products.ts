import { listBuyers } from '../../operator/buyers/list-buyers.ts'
import type { ConsoleParts } from '../console-parts.ts'
import { doAct } from '../do-act.ts'
import { type Html, html } from '../html.ts'
import { badge, choice, empty, facts, field, heading, table } from '../parts/parts.ts'
import { seenProducts } from '../parts/seen-products.ts'
import { type Answer, type ConsoleRoute, page, pageRoute, type TenantCall } from '../route.ts'

/** What buyers see: the answer of `get_products` to a caller without a key, or to one of the buyers. */
export function seenProductRoutes({ askAs }: Pick<ConsoleParts, 'askAs'>): readonly ConsoleRoute[] {
  return [pageRoute('/products/seen', (call) => seenPage(call, askAs))]
}

/** Callers without a key go by none; no id of a buyer is this long. */
const WITHOUT_KEY = ''

async function seenPage(call: TenantCall, askAs: ConsoleParts['askAs']): Promise<Answer> {
  const { tenantId, query, base } = call
  const buyers = (await doAct(call, listBuyers, {})).items.filter(({ status }) => status === 'active')
  const asked = query.get('buyer') ?? WITHOUT_KEY
  const buyer = buyers.find((each) => each.buyer === asked)?.buyer
  const brief = (query.get('brief') ?? '').slice(0, 1000)
  const request = { ...(brief === '' ? { buying_mode: 'wholesale' } : { buying_mode: 'brief', brief }) }
  const { isError, answer } = await askAs(tenantId, buyer, { task: 'get_products', arguments: request })
  const options: [string, string][] = [
    [WITHOUT_KEY, 'A buyer without a key'],
    ...buyers.map((each): [string, string] => [each.buyer, `${each.name} (${each.buyer})`]),
  ]
  const form = html`<form class="filters" method="get" action="${base}/products/seen">${choice('buyer', 'Who asks', options, buyer ?? WITHOUT_KEY)}${field('brief', 'Brief', { value: brief, hint: 'Empty: everything, page by page.' })}<button>Ask</button></form>`
  const body = html`${heading('What buyers see', undefined, 'The answer of get_products, as this caller gets it now.')}${form}
${isError ? badge('refused', 'bad') : products(answer)}
<section class="panel"><h2>Request</h2><pre>${JSON.stringify(request, undefined, 2)}</pre><details><summary>The whole answer</summary><pre id="answer">${JSON.stringify(answer, undefined, 2)}</pre></details></section>`
  return page('What buyers see', body)
}

function products(answer: Readonly<Record<string, unknown>>): Html {
  const { products: list, total, message } = seenProducts(answer)
  if (list.length === 0) return empty('This caller sees no product', message)
  const rows = list.map(({ id, name, delivery, prices }) => [
    html`${name}<small>${id}</small>`,
    delivery,
    prices.length === 0 ? '–' : prices.map((price) => html`<div>${price}</div>`),
  ])
  return html`${facts([
    ['Products in this answer', list.length],
    ['Products in all', total],
  ])}${table('Products', ['Product', 'Delivery', 'Prices'], rows)}`
}
