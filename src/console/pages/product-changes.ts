import { archiveProduct, restoreProduct, setProduct } from '../../operator/products/change-product.ts'
import { showProduct } from '../../operator/products/list-products.ts'
import { ordersOfProducts } from '../../operator/products/orders-of-products.ts'
import { removeSeason, setSeason } from '../../operator/products/seasons.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct } from '../do-act.ts'
import { orAgain, storedFormRoute } from '../form-outcome.ts'
import { written } from '../form-text.ts'
import { count } from '../format.ts'
import { html } from '../html.ts'
import { act, heading } from '../parts/parts.ts'
import { priceInputs, priceNumber, refusedPrice } from '../parts/prices.ts'
import { seasonForm } from '../parts/seasons.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import type { Inputs, SentForm } from '../shown-form.ts'

const LABELS: ReadonlyMap<string, string> = new Map([
  ['column', 'The kind of price'],
  ['value', 'The price'],
])

/** Changes of one product: its prices in place, and whether it is for sale. */
export const productChangeRoutes: readonly ConsoleRoute[] = [
  storedFormRoute('/products/{id}/price', setProduct, {
    labels: LABELS,
    read: readPrice,
    save: savePrice,
    again: pricePage,
  }),
  actRoute('POST', '/products/{id}/price/check', setProduct, checkPrice),
  actRoute('POST', '/products/{id}/seasons', setSeason, orAgain(answerSeason, seasonPage)),
  actRoute('POST', '/products/{id}/seasons/{season}/remove', removeSeason, answerNoSeason),
  actRoute('GET', '/products/{id}/archive', archiveProduct, archivePage),
  actRoute('POST', '/products/{id}/archive', archiveProduct, answerArchive),
  actRoute('GET', '/products/{id}/restore', restoreProduct, restorePage),
  actRoute('POST', '/products/{id}/restore', restoreProduct, answerRestore),
]

/** The price that the form is of; nothing when the product has none by its id. */
async function readPrice(call: TenantCall): Promise<Inputs> {
  const { pricing_options: options } = await doAct(call, showProduct, { product: call.params.id })
  const option = options.find(({ pricing_option_id: id }) => id === call.form.get('pricing_option_id'))
  return priceInputs(option && priceNumber(option))
}

/** A price that the person left as it was stays what it is by now. */
async function savePrice(call: TenantCall, { isChanged }: SentForm): Promise<Answer> {
  if (isChanged('value')) await doAct(call, setProduct, priceChange(call))
  return redirect(pathOf(call), 'changed')
}

/** The price as it is now, with what was written. */
async function pricePage(call: TenantCall, refusal: AdcpError): Promise<Answer> {
  const product = await doAct(call, showProduct, { product: call.params.id })
  const form = refusedPrice(call, product, call.form.get('value') ?? '', problemOf(refusal))
  const title = `Price of ${product.name}`
  const back = html`<a class="button" href="${pathOf(call)}">Leave it as it is</a>`
  return page(title, html`${heading(title, back, product.product_id)}<section class="panel narrow">${form}</section>`, {
    refusal,
  })
}

/** What is wrong with a price that somebody types; nothing when it is right. */
async function checkPrice(call: TenantCall): Promise<Answer> {
  try {
    await doAct(call, setProduct, { ...priceChange(call), dry_run: true })
    return { kind: 'fragment', body: html`` }
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return { kind: 'fragment', body: html`${problemOf(error)}` }
  }
}

function problemOf({ issues: [issue] = [], message }: AdcpError): string {
  return issue?.message ?? message
}

function priceChange({ params, form }: TenantCall) {
  const column = form.get('column') ?? ''
  if (column !== 'price' && column !== 'floor')
    throw new AdcpError('INVALID_REQUEST', 'the form does not say which price it changes; open the page again', {
      field: 'price',
    })
  const value = written(form, 'value') ?? ''
  if (value === '') throw new AdcpError('INVALID_REQUEST', 'write a price such as 12.5', { field: column })
  return {
    product: params.id,
    cells: { [column]: value },
    pricing_option_id: form.get('pricing_option_id') || undefined,
  }
}

const SEASON_INPUTS = ['season', 'from', 'until', 'pricing_option_id', 'percent', 'price']

async function answerSeason(call: TenantCall): Promise<Answer> {
  const values = SEASON_INPUTS.map((name) => [name, written(call.form, name)] as const)
  const sent = Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== ''))
  await doAct(call, setSeason, { ...sent, product: call.params.id })
  return redirect(pathOf(call), 'changed')
}

/** The form of a season again, with what was written and why it was refused. */
async function seasonPage(call: TenantCall, refusal: AdcpError): Promise<Answer> {
  const product = await doAct(call, showProduct, { product: call.params.id })
  const was = Object.fromEntries(SEASON_INPUTS.map((name) => [name, call.form.get(name) ?? '']))
  const title = `Season of ${product.name}`
  const back = html`<a class="button" href="${pathOf(call)}">Leave it as it is</a>`
  return page(
    title,
    html`${heading(title, back, product.product_id)}<div class="notice bad" role="alert"><p>${refusal.message}</p></div><section class="panel narrow">${seasonForm(call, product, was)}</section>`,
    { refusal },
  )
}

async function answerNoSeason(call: TenantCall): Promise<Answer> {
  await doAct(call, removeSeason, { product: call.params.id, season: call.params.season })
  return redirect(pathOf(call), 'removed')
}

/** Which orders run on, before a product leaves the sale. */
async function archivePage(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, params, base } = call
  const product = await doAct(call, showProduct, { product: params.id })
  const [live] = await ordersOfProducts(operator, tenantId, [product.product_id])
  const links = live?.examples.map((id) => html`<li><a href="${base}/orders/${encodeURIComponent(id)}">${id}</a></li>`)
  const more = (live?.orders ?? 0) - (live?.examples.length ?? 0)
  const consequences = live
    ? html`<p class="notice warn">${count(live.orders)} ${live.orders === 1 ? 'order runs' : 'orders run or will run'} with it: on the terms that were sold, until their ends.</p><ul>${links}${more > 0 && html`<li>and <a href="${base}/orders?product=${encodeURIComponent(product.product_id)}">${count(more)} more</a></li>`}</ul>`
    : html`<p>No order runs with it.</p>`
  const body = html`${heading(`Take ${product.name} off sale`, undefined, product.product_id)}
<section class="panel narrow"><h2>What happens</h2><p>Buyers no longer see it, and nobody can order it. You can put it on sale again.</p>${consequences}
${act(call, `${pathOf(call)}/archive`, 'Take off sale', { kind: 'danger' })} <a class="button" href="${pathOf(call)}">Leave it as it is</a></section>`
  return page(`Take ${product.name} off sale`, body)
}

async function restorePage(call: TenantCall): Promise<Answer> {
  const product = await doAct(call, showProduct, { product: call.params.id })
  const body = html`${heading(`Put ${product.name} on sale again`, undefined, product.product_id)}
<section class="panel narrow"><p>Buyers see it again, at the prices that it has.</p>${act(call, `${pathOf(call)}/restore`, 'Put on sale again', { kind: 'primary' })} <a class="button" href="${pathOf(call)}">Leave it as it is</a></section>`
  return page(`Put ${product.name} on sale again`, body)
}

async function answerArchive(call: TenantCall): Promise<Answer> {
  await doAct(call, archiveProduct, { product: call.params.id })
  return redirect(pathOf(call), 'archived')
}

async function answerRestore(call: TenantCall): Promise<Answer> {
  await doAct(call, restoreProduct, { product: call.params.id })
  return redirect(pathOf(call), 'restored')
}

function pathOf({ base, params }: TenantCall): string {
  return `${base}/products/${encodeURIComponent(params.id ?? '')}`
}
