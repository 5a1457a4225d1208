import { localDay, nextDay } from '../../domain/calendar/local-time.ts'
import { enterDirectOrder, requireNewOrder } from '../../operator/direct-orders/direct-orders.ts'
import { listProducts } from '../../operator/products/list-products.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { changedDraft, type Draft, newLine, readDraft } from '../direct-order-draft.ts'
import { type DraftProblem, orderOfDraft, placeInForm } from '../direct-order-of-draft.ts'
import { html } from '../html.ts'
import { zoneOf } from '../local-times.ts'
import { lineFields } from '../parts/direct-order-fields.ts'
import { csrfField, field, heading } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, SELLERS, type TenantCall, tenantRoute } from '../route.ts'

/** The form in which a direct order is entered. What is typed goes from step to step in the form itself. */
export const directOrderFormRoutes: readonly ConsoleRoute[] = [
  tenantRoute('GET', '/direct-orders/new', SELLERS, newPage),
  tenantRoute('POST', '/direct-orders', SELLERS, answerForm),
]

/** Products of the choice; a file takes any. */
const OFFERED_PRODUCTS = 200

async function newPage(call: TenantCall): Promise<Answer> {
  const tomorrow = nextDay(localDay(call.operator.clock(), zoneOf(call)))
  const values = { currency: call.tenant.settings.currency ?? 'USD' }
  return formPage(call, { draft: { values, lines: [newLine({ first: tomorrow, last: tomorrow })] } })
}

async function answerForm(call: TenantCall): Promise<Answer> {
  const { form, operator, tenantId, base } = call
  const draft = readDraft(form)
  const changed = changedDraft(draft, form.get('do') ?? '')
  if (changed) return formPage(call, changed)
  const { order, problems } = orderOfDraft(draft, zoneOf(call))
  if (problems.length > 0) return formPage(call, { draft, problems })
  const orderId = draft.values.order_id ?? ''
  try {
    await requireNewOrder(operator, tenantId, orderId)
    await enterDirectOrder(operator, tenantId, { name: 'the form', text: JSON.stringify(order) })
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return formPage(call, { draft, problems: problemsOf(error) })
  }
  return redirect(`${base}/direct-orders/${encodeURIComponent(orderId)}`, 'added')
}

/** Issues of the schema one by one; any other error by its field. */
function problemsOf({ message, field: at = '', issues = [] }: AdcpError): readonly DraftProblem[] {
  if (issues.length === 0) return [{ where: placeInForm(at), message }]
  return issues.map((issue) => ({ where: placeInForm(issue.pointer), message: issue.message }))
}

interface Shown {
  readonly draft: Draft
  readonly problems?: readonly DraftProblem[]
  readonly focus?: string
}

async function formPage(call: TenantCall, { draft, problems = [], focus }: Shown): Promise<Answer> {
  const { operator, tenantId, base } = call
  const { products } = await listProducts(operator, { tenantId, limit: OFFERED_PRODUCTS })
  const offered = products.map(({ product_id: id, name }) => [id, name] as const)
  const { values } = draft
  const notice =
    problems.length > 0 &&
    html`<div class="notice bad" role="alert"><p>The order was not entered; ${problems.length} to repair:</p><ul>${problems.map(({ where, message }) => html`<li>${where !== '' && html`<b>${where}</b>: `}${message}</li>`)}</ul></div>`
  // The first button of a form is the one that the Enter key presses.
  const enter = html`<div class="actions"><button class="primary">Enter the order</button> <a class="button" href="${base}/direct-orders">Back</a></div>`
  const body = html`${heading('Enter a direct order', undefined, `Days of ${zoneOf(call)}.`)}${notice}
<section class="panel"><form method="post" action="${base}/direct-orders" enctype="multipart/form-data">${csrfField(call)}${enter}<div class="columns"><div>
${field('name', 'Name', { required: true, value: values.name ?? '' })}
${field('order_id', 'Id', { required: true, value: values.order_id ?? '', hint: 'Letters, digits, dots, - and _. It cannot be changed.' })}</div><div>
${field('advertiser', 'Advertiser', { value: values.advertiser ?? '', hint: 'Empty: direct.' })}
${field('currency', 'Currency', { value: values.currency ?? '' })}</div></div>
${lineFields(draft, { products: offered, focus })}
<p><button class="primary">Enter the order</button></p>
<p class="hint">Pictures, video and archives of yours: <a href="${base}/creatives/files">Host a file</a> gives their address. Longer orders come from a file: <code>sales-agent direct-orders put</code>, or the admin API.</p></form></section>`
  return page('Enter a direct order', body, { status: problems.length > 0 ? 400 : 200 })
}
