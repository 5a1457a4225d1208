import { listPlacements, removePlacement, savePlacement, showPlacement } from '../../operator/placements/manage-placements.ts'
import type { ShownPlacement } from '../../operator/placements/placement-shapes.ts'
import type { Of } from '../../operator/shape.ts'
import { TARGETING_FIELDS, targetingText } from '../direct-targeting.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { count, moment, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { act, badge, empty, facts, heading, pager, statusBadge, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'

/** The places of the publisher's pages in the embedded ad server. */
export const placementRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/placements', listPlacements, listPage),
  actRoute('GET', '/placements/{id}', showPlacement, placementPage),
  actRoute('POST', '/placements/{id}/remove', removePlacement, remove),
]

async function listPage(call: TenantCall): Promise<Answer> {
  const { base, query } = call
  const { items, next_cursor: next } = await doAct(call, listPlacements, { cursor: query.get('cursor') || undefined })
  const rows = items.map((placement) => [
    html`<a href="${pathOf(base, placement.placement_id)}">${placement.name}</a><small>${placement.placement_id}</small>`,
    placement.is_set_up ? statusBadge(placement.status) : badge('not set up'),
    shows(placement),
    days(placement),
    promise(placement),
    placement.products.length,
  ])
  const add = may(call, savePlacement) && html`<a class="button primary" href="${base}/placements/new">New placement</a>`
  const columns = ['Placement', 'Status', 'Shows', 'Days', 'Impressions a day', { title: 'Products', numeric: true }]
  const body = html`${heading('Placements', html`${add}<a class="button" href="${base}/products">Products</a>`, 'Places of your pages in the ad server of this program.')}
${rows.length === 0 ? empty('There is no placement yet', 'A placement has a tag for your pages; products sell one or more of them.') : table('Placements', columns, rows)}${pager(`${base}/placements`, query, next)}`
  return page('Placements', body)
}

function pathOf(base: string, id: string): string {
  return `${base}/placements/${encodeURIComponent(id)}`
}

function shows({ kind, sizes }: ShownPlacement): string {
  return sizes.length === 0 ? words(kind) : `${words(kind)} ${sizes.join(', ')}`
}

function days({ available_from: first, available_until: last }: ShownPlacement): string {
  if (first === null && last === null) return 'always'
  return `${first === null ? '' : `from ${first} `}${last === null ? '' : `until ${last}`}`.trim()
}

/** What the placement has, beside what the products that sell it promise of all of their placements. */
function promise({ daily_capacity: capacity, promised, products }: ShownPlacement): Html {
  const has = capacity === null ? '–' : count(capacity)
  if (products.length === 0) return html`${has}`
  const isMore = capacity !== null && promised > capacity
  const text = `its products promise ${count(promised)}${isMore ? ', more than it has: some may come from their other placements' : ''}`
  return html`${has}<small>${text}</small>`
}

async function placementPage(call: TenantCall): Promise<Answer> {
  const { base } = call
  const placement = await doAct(call, showPlacement, { placement: call.params.id })
  const { placement_id: id, is_set_up: isSetUp, targeting } = placement
  const actions =
    may(call, savePlacement) && html`<a class="button" href="${pathOf(base, id)}/edit">${isSetUp ? 'Change' : 'Set up'}</a>`
  const visits = TARGETING_FIELDS.filter(([member]) => targeting[member] !== undefined).map(
    ([member, { title }]) => [title, targetingText(member, targeting)] as const,
  )
  const status = isSetUp ? statusBadge(placement.status) : badge('not set up')
  const products = placement.products.map(
    (product) => html`<li><a href="${base}/products/${encodeURIComponent(product)}">${product}</a></li>`,
  )
  const body = html`${heading(html`${placement.name} ${status}`, actions, id)}
${!isSetUp && html`<p class="notice">Products name this placement and nobody has set anything for it: it shows what fits, always.</p>`}
<section class="panel">${facts([
    ['Shows', shows(placement)],
    ['Days', days(placement)],
    ['Impressions a day', promise(placement)],
    ...visits,
  ])}</section>
<section class="panel"><h2>Tag</h2>${tagText(placement)}</section>
<section class="panel"><h2>Products that sell it</h2>${products.length === 0 ? html`<p>None: choose it in the form of a product.</p>` : html`<ul>${products}</ul>`}</section>
<section class="panel"><h2>Lines that may be shown here</h2>${linesTable(call, placement)}</section>
${isSetUp && may(call, removePlacement) && html`<section class="panel"><h2>Remove</h2><p>Sizes, days and limits are taken away. Where products still name it, it shows ads without them.</p>${act(call, `${pathOf(base, id)}/remove`, 'Take away what is set', { kind: 'danger' })}</section>`}`
  return page(placement.name, body)
}

type Details = Of<(typeof showPlacement)['answer']>

function tagText({ script, tag, kind }: Details): Html {
  const copy = (text: string) => html`<pre tabindex="0"><code>${text}</code></pre>`
  if (kind === 'video') return html`<p>For a video player, as the address of its ad tag:</p>${copy(tag)}`
  return html`<p>In the head of a page, once:</p>${copy(script)}<p>Where the ad is to be shown:</p>${copy(tag)}`
}

function linesTable({ base }: TenantCall, { lines }: Details): Html {
  const rows = lines.map((line) => [
    html`<a href="${base}/${line.is_direct ? 'direct-orders' : 'orders'}/${encodeURIComponent(line.order_id)}">${line.order_id}</a><small>${line.line_id}</small>`,
    words(line.priority),
    moment(line.starts_at),
    moment(line.ends_at),
  ])
  return rows.length === 0
    ? html`<p>None now or later.</p>`
    : table('Lines', ['Order and line', 'Priority', 'Begins', 'Ends'], rows)
}

async function remove(call: TenantCall): Promise<Answer> {
  await doAct(call, removePlacement, { placement: call.params.id })
  return redirect(`${call.base}/placements`, 'removed')
}
