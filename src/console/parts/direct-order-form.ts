import { copyOrder } from '../../operator/orders/copy-order.ts'
import { searchProducts } from '../../operator/products/list-products.ts'
import type { Draft } from '../direct-order-draft.ts'
import type { DraftProblem } from '../direct-order-of-draft.ts'
import { doAct } from '../do-act.ts'
import { type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { lineFields } from './direct-order-fields.ts'
import { csrfField, field } from './parts.ts'

/** A form of a direct order: where it is sent, and what its button says. */
export interface DirectOrderForm {
  readonly draft: Draft
  readonly problems?: readonly DraftProblem[] | undefined
  /** Id of the field that the person goes on with. */
  readonly focus?: string | undefined
  readonly action: string
  readonly button: string
  readonly back: string
  /** The order that it changes, and the revision that the form was filled from. */
  readonly changes?: { readonly orderId: string; readonly revision: string } | undefined
}

/** Products of the choice; a file takes any. */
const OFFERED_PRODUCTS = 200

/** The form in which a direct order is entered or changed. */
export async function directOrderForm(call: TenantCall, form: DirectOrderForm): Promise<Html> {
  const { draft, problems = [], focus, action, button, back, changes } = form
  const { base } = call
  const { items: products } = await doAct(call, searchProducts, { limit: OFFERED_PRODUCTS })
  const offered = products.map(({ product_id: id, name }) => [id, name] as const)
  // A product that is beyond the choice, or was taken off sale, stays what it is.
  const named = draft.lines.flatMap(({ values: { product_id: id = '' } }) => (id === '' ? [] : [id]))
  const others = [...new Set(named)].filter((id) => !offered.some(([each]) => each === id)).map((id) => [id, id] as const)
  const { values } = draft
  const notice =
    problems.length > 0 &&
    html`<div class="notice bad" role="alert"><p>${changes ? 'Nothing was changed' : 'The order was not entered'}; ${problems.length} to repair:</p><ul>${problems.map(({ where, message }) => html`<li>${where !== '' && html`<b>${where}</b>: `}${message}</li>`)}</ul></div>`
  const id = changes
    ? html`<input type="hidden" name="order_id" value="${changes.orderId}"><input type="hidden" name="revision" value="${changes.revision}">`
    : field('order_id', 'Id', {
        required: true,
        value: values.order_id ?? '',
        of: copyOrder.fields.copy_id,
        hint: 'It cannot be changed.',
      })
  // The first button of a form is the one that the Enter key presses.
  const none =
    products.length === 0 &&
    html`<p class="notice warn">A line is shown on the places of a product, and none is for sale yet: <a href="${base}/products/import">import products</a> first.</p>`
  return html`${none}${notice}<section class="panel"><form method="post" action="${action}" enctype="multipart/form-data">${csrfField(call)}<div class="actions"><button class="primary">${button}</button> <a class="button" href="${back}">Back</a></div><div class="columns"><div>
${field('name', 'Name', { required: true, value: values.name ?? '' })}
${id}</div><div>
${field('advertiser', 'Advertiser', { value: values.advertiser ?? '', hint: 'Empty: direct.' })}
${field('currency', 'Currency', { value: values.currency ?? '', hint: 'Empty: the currency of the publisher.' })}</div></div>
${lineFields(draft, { products: [...offered, ...others], focus })}
<p><button class="primary">${button}</button></p>
<p class="hint">Pictures, video and archives of yours: <a href="${base}/creatives/files">Host a file</a> gives their address. Longer orders come from a file: <code>sales-agent direct-orders put</code>, or the admin API.</p></form></section>`
}

/** The fields of a draft as hidden ones, so that a page between the form and its end loses nothing. */
export function hiddenDraft({ values, lines }: Draft): Html {
  const own = ['order_id', 'name', 'advertiser', 'currency'].map((name) => [name, values[name] ?? ''] as const)
  const fields = lines.flatMap((line, index) => [
    ...named(`line-${index}`, line.values),
    ...Object.entries(line.choices).flatMap(([member, ticked]) =>
      ticked.map((value) => [`line-${index}-${member}`, value] as const),
    ),
    ...line.creatives.flatMap(({ kind, values }, at) => named(`line-${index}-creative-${at}`, { kind, ...values })),
  ])
  return html`${[...own, ...fields].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`
}

function named(prefix: string, values: Readonly<Record<string, string>>): (readonly [name: string, value: string])[] {
  return Object.entries(values).map(([name, value]) => [`${prefix}-${name}`, value])
}
