import { localDay, nextDay } from '../../domain/calendar/local-time.ts'
import { currencyOf } from '../../domain/identity/publisher-settings.ts'
import { enterDirectOrder } from '../../operator/direct-orders/enter-direct-order.ts'
import { ChosenFile } from '../../operator/imports/import-fields.ts'
import { copyOrder } from '../../operator/orders/copy-order.ts'
import { statusOf } from '../../operator/refusal-status.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { changedDraft, type Draft, newLine, readDraft } from '../direct-order-draft.ts'
import { orderOfDraft, problemsOf } from '../direct-order-of-draft.ts'
import { actRoute, doAct } from '../do-act.ts'
import { draftOfOrder, fitsForm } from '../draft-of-direct-order.ts'
import { html } from '../html.ts'
import { zoneOf } from '../local-times.ts'
import { type DirectOrderForm, directOrderForm } from '../parts/direct-order-form.ts'
import { heading } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, largeForm, page, redirect, type TenantCall } from '../route.ts'

/** Its address. No id of an order is like it, so that an order `new` opens like any other. */
export const ENTER_PATH = '/direct-orders/~enter'

/** The form in which a direct order is entered. What is typed goes from step to step in the form itself. */
export const directOrderFormRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', ENTER_PATH, enterDirectOrder, newPage),
  largeForm(actRoute('POST', '/direct-orders', enterDirectOrder, answerForm)),
]

async function newPage(call: TenantCall): Promise<Answer> {
  const tomorrow = nextDay(localDay(call.operator.clock(), zoneOf(call)))
  const copied = call.query.get('copy')
  if (copied) return formPage(call, await copyOf(call, copied))
  const values = { currency: currencyOf(call.tenant.settings) }
  return formPage(call, { draft: { values, lines: [newLine({ first: tomorrow, last: tomorrow })] } })
}

/** The form filled with another order, without its id, and what of it is left out. Throws REFERENCE_NOT_FOUND, INVALID_STATE for an order that cannot be copied, or that the form cannot say. */
async function copyOf(call: TenantCall, order: string): Promise<{ readonly draft: Draft; readonly leftOut: readonly string[] }> {
  const { document, left_out: leftOut, origin } = await doAct(call, copyOrder, { order })
  const zone = zoneOf(call)
  const { values, lines } = draftOfOrder(document, zone)
  const draft = { values: { ...values, order_id: '' }, lines }
  if (fitsForm(document, zone)) return { draft, leftOut }
  const file = origin === 'entered' ? `direct-orders show ${order}` : `orders copy ${order}`
  const message = `${order} has more lines or creatives, or other texts, than the form takes; copy the file that ${file} --document gives`
  throw new AdcpError('INVALID_STATE', message)
}

async function answerForm(call: TenantCall): Promise<Answer> {
  const { form, base } = call
  const draft = readDraft(form)
  const changed = changedDraft(draft, form.get('do') ?? '')
  if (changed) return formPage(call, changed)
  const { order, problems } = orderOfDraft(draft, zoneOf(call))
  if (problems.length > 0) return formPage(call, { draft, problems })
  const orderId = draft.values.order_id ?? ''
  try {
    const file = new ChosenFile({ name: 'the form', text: JSON.stringify(order) })
    await doAct(call, enterDirectOrder, { file, revision: 0 })
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return formPage(call, { draft, problems: problemsOf(error), refusal: error })
  }
  return redirect(`${base}/direct-orders/${encodeURIComponent(orderId)}`, 'added')
}

interface Shown extends Pick<DirectOrderForm, 'draft' | 'problems' | 'focus'> {
  readonly leftOut?: readonly string[]
  readonly refusal?: AdcpError
}

async function formPage(call: TenantCall, { leftOut = [], refusal, ...shown }: Shown): Promise<Answer> {
  const path = `${call.base}/direct-orders`
  const form = await directOrderForm(call, { ...shown, action: path, button: 'Enter the order', back: path })
  const notice =
    leftOut.length > 0 &&
    html`<div class="notice warn" role="status"><p>Not in this copy:</p><ul>${leftOut.map((what) => html`<li>${what}</li>`)}</ul></div>`
  const body = html`${heading('Enter a direct order', undefined, `Days of ${zoneOf(call)}.`)}${notice}${form}`
  const status = refusal ? statusOf(refusal) : shown.problems === undefined ? 200 : 400
  return page('Enter a direct order', body, { status })
}
