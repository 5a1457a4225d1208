import { showProduct } from '../../operator/products/list-products.ts'
import { productHistory } from '../../operator/products/product-history.ts'
import { actRoute, doAct } from '../do-act.ts'
import { moment } from '../format.ts'
import { type Html, html } from '../html.ts'
import { activityOf } from '../parts/activity-words.ts'
import { empty, heading, pager, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, type TenantCall } from '../route.ts'

/** The versions of a product: who changed what, and when. */
export const productHistoryRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/products/{id}/history', productHistory, historyPage),
]

async function historyPage(call: TenantCall): Promise<Answer> {
  const { base, query, params } = call
  const product = await doAct(call, showProduct, { product: params.id })
  const id = product.product_id
  const { items, next_cursor: next } = await doAct(call, productHistory, {
    product: id,
    cursor: query.get('cursor') || undefined,
  })
  const rows = items.map(({ at, by, act, changes }) => [
    moment(at),
    html`${by}<small>${activityOf(act) ?? act}</small>`,
    changes.length === 0 ? 'added' : html`<ul class="changes">${changes.map(changed)}</ul>`,
  ])
  const path = `${base}/products/${encodeURIComponent(id)}`
  const title = `Versions of ${product.name}`
  const back = html`<a class="button" href="${path}">Back to the product</a>`
  const list =
    rows.length === 0
      ? empty('Nothing has changed since it came', 'Products that a file brought begin with the import, which is in Activity.')
      : table('Versions', ['When', 'Who', 'Old → new'], rows)
  return page(title, html`${heading(title, back, id)}${list}${pager(`${path}/history`, query, next)}`)
}

function changed({ field, before, after }: { readonly field: string; readonly before: unknown; readonly after: unknown }): Html {
  return html`<li><b>${field}</b>: ${shown(before)} → ${shown(after)}</li>`
}

function shown(value: unknown): Html {
  return value === null || value === undefined ? html`<i>nothing</i>` : html`${String(value)}`
}
