import type { NamedCreative, OrderPartNames } from '../../operator/orders/name-order-parts.ts'
import type { ShownOrder } from '../../operator/orders/order-shapes.ts'
import { count, money, percent, rate, unitPrice } from '../format.ts'
import { type Html, html, webAddress } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { pacingBar } from './pacing.ts'
import { statusBadge, table } from './parts.ts'

type Package = ShownOrder['packages'][number]

const COLUMNS = [
  'Product',
  'Status',
  'Pacing',
  { title: 'Spent', numeric: true },
  { title: 'Budget', numeric: true },
  { title: 'Impressions', numeric: true },
  { title: 'Price', numeric: true },
  'Creatives',
]

/** How a price came about, where it is not fixed. */
const RULES: Readonly<Record<Package['charge_rule'], string>> = {
  fixed_price: '',
  first_price: ', as bid',
  clearing_price: ', clearing price',
}

/** The packages of an order with their delivery and their creatives, as small pictures that lead to the creative. */
export function packageTable({ base }: TenantCall, order: ShownOrder, names: OrderPartNames): Html {
  const rows = order.packages.map((pkg) => [
    html`<a href="${base}/products/${encodeURIComponent(pkg.product_id)}">${names.products.get(pkg.product_id) ?? pkg.product_id}</a><small class="id" title="${pkg.package_id}">${pkg.package_id}</small>`,
    html`${statusBadge(pkg.status)}${pkg.guaranteed && html`<small>guaranteed</small>`}`,
    html`${pacingBar(pkg.pacing)}<small>${percent(pkg.pacing.delivered)}</small>`,
    money(pkg.spent, order.currency),
    money(pkg.budget, order.currency),
    html`${count(pkg.impressions)}${pkg.impressions_ordered !== null && html`<small>of ${count(pkg.impressions_ordered)}</small>`}${shares(pkg)}`,
    html`${unitPrice(pkg.rate, order.currency)}<small>${pkg.pricing_model}${RULES[pkg.charge_rule]}</small>${pkg.charge_rule === 'clearing_price' && pkg.bid !== null && html`<small>bid ${unitPrice(pkg.bid, order.currency)}</small>`}`,
    pkg.creatives.length === 0
      ? 'none yet'
      : html`<ul class="thumbs">${pkg.creatives.map((each) => thumbnail(base, order, each, names.creatives.get(each.creative_id)))}</ul>`,
  ])
  return table('Packages', COLUMNS, rows)
}

/** Of the impressions: clicks, and what could be seen and was played to its end where that is measured. */
function shares({ impressions, clicks, viewable_impressions: viewable, completed_views: completed }: Package): Html | false {
  if (impressions === 0) return false
  const of = (events: number, what: string) => events > 0 && html`<small>${rate(events / impressions)} ${what}</small>`
  return html`${of(clicks, 'clicks')}${of(viewable, 'viewable')}${of(completed, 'completed')}`
}

function thumbnail(
  base: string,
  { buyer, account }: ShownOrder,
  { creative_id: id, approval }: Package['creatives'][number],
  known: NamedCreative | undefined,
): Html {
  const owner = known === undefined ? account : known.account
  const path = `${base}/creatives/${[buyer, owner || '-', id].map(encodeURIComponent).join('/')}`
  const picture = webAddress(known?.picture)
  return html`<li>${picture !== undefined && html`<img class="thumb" src="${picture}" alt="" loading="lazy" referrerpolicy="no-referrer">`}<span><a href="${path}">${known?.name ?? id}</a> ${statusBadge(approval)}</span></li>`
}
