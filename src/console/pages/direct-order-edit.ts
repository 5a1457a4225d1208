import type { ShownDirectOrder } from '../../operator/direct-orders/direct-order-shapes.ts'
import { requireChangeable, showDirectOrder } from '../../operator/direct-orders/direct-orders.ts'
import {
  type DirectOrderConsequences,
  enterDirectOrder,
  previewDirectOrder,
} from '../../operator/direct-orders/enter-direct-order.ts'
import { ChosenFile } from '../../operator/imports/import-fields.ts'
import { statusOf } from '../../operator/refusal-status.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { decideUnlessDecided } from '../decide-once.ts'
import { changedDraft, type Draft, readDraft } from '../direct-order-draft.ts'
import { orderOfDraft, problemsOf } from '../direct-order-of-draft.ts'
import { actRoute, doAct } from '../do-act.ts'
import { draftOfOrder, fitsForm } from '../draft-of-direct-order.ts'
import { inputOf } from '../form-text.ts'
import { html } from '../html.ts'
import { zoneOf } from '../local-times.ts'
import { directOrderChanges } from '../parts/direct-order-changes.ts'
import { type DirectOrderForm, directOrderForm, hiddenDraft } from '../parts/direct-order-form.ts'
import { csrfField, heading } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, largeForm, page, redirect, type TenantCall } from '../route.ts'

/** Changing a direct order: the form, what the change would come to, and the change. */
export const directOrderEditRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/direct-orders/{order}/edit', enterDirectOrder, editPage),
  largeForm(actRoute('POST', '/direct-orders/{order}/edit', enterDirectOrder, answerEdit)),
]

async function editPage(call: TenantCall): Promise<Answer> {
  const order = await openOrder(call)
  const zone = zoneOf(call)
  if (!fitsForm(order.document, zone)) return tooLong(call, order)
  return formPage(call, order, { draft: draftOfOrder(order.document, zone), revision: order.revision })
}

async function answerEdit(call: TenantCall): Promise<Answer> {
  const { form } = call
  const order = await openOrder(call)
  const draft = readDraft(form)
  const revision = inputOf(form, 'revision', enterDirectOrder.fields.revision)
  const asked = form.get('do') ?? ''
  const changed = changedDraft(draft, asked)
  if (changed || asked === 'back') return formPage(call, order, { ...(changed ?? { draft }), revision })
  const taken = order.lines.map(({ line_id: id }) => id)
  const { order: read, problems } = orderOfDraft(draft, zoneOf(call), taken)
  if (problems.length > 0) return formPage(call, order, { draft, problems, revision })
  const file = new ChosenFile({ name: 'the form', text: JSON.stringify({ ...read, order_id: order.order_id }) })
  try {
    return await decideUnlessDecided(call, [order.order_id], async () => {
      if (asked !== 'save') return changesPage(call, order, draft, await doAct(call, previewDirectOrder, { file, revision }))
      await doAct(call, enterDirectOrder, { file, revision })
      return redirect(pathOf(call, order), 'changed')
    })
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    if (error.code !== 'CONFLICT') return formPage(call, order, { draft, problems: problemsOf(error), revision, refusal: error })
    return formPage(call, order, { draft, overtaken: error.message, revision: order.revision, refusal: error })
  }
}

/** Throws REFERENCE_NOT_FOUND, INVALID_STATE for an order that has ended. */
async function openOrder(call: TenantCall): Promise<ShownDirectOrder> {
  const order = await doAct(call, showDirectOrder, { order: call.params.order ?? '' })
  requireChangeable(order)
  return order
}

interface Edited extends Pick<DirectOrderForm, 'draft' | 'problems' | 'focus'> {
  /** The one that the form was filled from; of a form that lost it, what it has, which the act refuses. */
  readonly revision: unknown
  /** What somebody else did since the form was filled. */
  readonly overtaken?: string
  readonly refusal?: AdcpError
}

async function formPage(
  call: TenantCall,
  order: ShownDirectOrder,
  { revision, overtaken, refusal, ...shown }: Edited,
): Promise<Answer> {
  const path = pathOf(call, order)
  const form = await directOrderForm(call, {
    ...shown,
    action: `${path}/edit`,
    button: 'Show what changes',
    back: path,
    changes: { orderId: order.order_id, revision: String(revision) },
  })
  const notice =
    overtaken !== undefined &&
    html`<div class="notice bad" role="alert"><p>Nothing of yours was saved: ${overtaken}</p><p>The form has what you typed. “Show what changes” compares it with <a href="${path}">the order as it is now</a>.</p></div>`
  const title = `Change ${order.name}`
  const status = refusal ? statusOf(refusal) : shown.problems === undefined ? 200 : 400
  return page(title, html`${heading(title, undefined, `${order.order_id}. Days of ${zoneOf(call)}.`)}${notice}${form}`, {
    status,
  })
}

/** What the change would come to, with the form in hidden fields. */
function changesPage(call: TenantCall, order: ShownDirectOrder, draft: Draft, what: DirectOrderConsequences): Answer {
  const title = `Save the changes of ${order.name}?`
  const path = pathOf(call, order)
  const shown = what.changed ? directOrderChanges(what) : html`<p class="notice warn">It is so already: nothing would change.</p>`
  const save = what.changed && html`<button class="primary" name="do" value="save">Save the changes</button> `
  const form = html`<form method="post" action="${path}/edit" enctype="multipart/form-data">${csrfField(call)}${hiddenDraft(draft)}<input type="hidden" name="revision" value="${what.revision}"><div class="actions">${save}<button name="do" value="back">Back to the form</button> <a class="button" href="${path}">Leave it as it is</a></div></form>`
  const body = html`${heading(title, undefined, order.order_id)}<section class="panel"><h2>What happens</h2>${shown}${form}</section>`
  return page(title, body)
}

/** An order that the form cannot say in full. */
function tooLong(call: TenantCall, order: ShownDirectOrder): Answer {
  const title = `Change ${order.name}`
  const id = order.order_id
  const body = html`${heading(title, undefined, id)}<section class="panel"><p>This order has more lines or creatives, or other texts, than the form takes. Change it from a file:</p><pre><code>sales-agent direct-orders show ${id} --tenant ${call.tenantId} --document &gt; ${id}.json
sales-agent direct-orders put ${id}.json --tenant ${call.tenantId} --revision ${order.revision} --dry-run
sales-agent direct-orders put ${id}.json --tenant ${call.tenantId} --revision ${order.revision}</code></pre><p>The admin API does the same (<code>previewDirectOrder</code>, <code>enterDirectOrder</code>).</p><a class="button" href="${pathOf(call, order)}">Back</a></section>`
  return page(title, body)
}

function pathOf({ base }: TenantCall, { order_id: id }: ShownDirectOrder): string {
  return `${base}/direct-orders/${encodeURIComponent(id)}`
}
