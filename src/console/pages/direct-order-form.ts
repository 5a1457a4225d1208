import { localDay, nextDay } from '../../domain/calendar/local-time.ts'
import { showDirectOrder } from '../../operator/direct-orders/direct-orders.ts'
import { enterDirectOrder } from '../../operator/direct-orders/enter-direct-order.ts'
import { ChosenFile } from '../../operator/imports/import-fields.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { changedDraft, type Draft, newLine, readDraft } from '../direct-order-draft.ts'
import { orderOfDraft, problemsOf } from '../direct-order-of-draft.ts'
import { actRoute, doAct } from '../do-act.ts'
import { draftOfOrder, fitsForm } from '../draft-of-direct-order.ts'
import { html } from '../html.ts'
import { zoneOf } from '../local-times.ts'
import { type DirectOrderForm, directOrderForm } from '../parts/direct-order-form.ts'
import { heading } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'

/** Its address. No id of an order is like it, so that an order `new` opens like any other. */
export const ENTER_PATH = '/direct-orders/~enter'

/** The form in which a direct order is entered. What is typed goes from step to step in the form itself. */
export const directOrderFormRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', ENTER_PATH, enterDirectOrder, newPage),
  actRoute('POST', '/direct-orders', enterDirectOrder, answerForm),
]

async function newPage(call: TenantCall): Promise<Answer> {
  const tomorrow = nextDay(localDay(call.operator.clock(), zoneOf(call)))
  const copied = call.query.get('copy')
  if (copied) return formPage(call, { draft: await copyOf(call, copied, tomorrow) })
  const values = { currency: call.tenant.settings.currency ?? '' }
  return formPage(call, { draft: { values, lines: [newLine({ first: tomorrow, last: tomorrow })] } })
}

/**
 * The form filled with another order, without its id; flights that would begin before `tomorrow` are all moved by as many days, so that the first begins then, and are of whole days. Throws
 * REFERENCE_NOT_FOUND, INVALID_STATE for an order that the form cannot say.
 */
async function copyOf(call: TenantCall, id: string, tomorrow: string): Promise<Draft> {
  const { document } = await doAct(call, showDirectOrder, { order: id })
  const zone = zoneOf(call)
  if (!fitsForm(document, zone)) {
    const message = `${id} has more lines or creatives, or other texts, than the form takes; copy the file that direct-orders show --document gives`
    throw new AdcpError('INVALID_STATE', message)
  }
  const { values, lines } = draftOfOrder(document, zone)
  const firsts = lines.flatMap(({ values: { first = '' } }) => first || []).sort()
  const moved = Math.max(0, Date.parse(tomorrow) - Date.parse(firsts[0] ?? tomorrow))
  if (moved === 0) return { values: { ...values, order_id: '' }, lines }
  const later = (day = '') => (day === '' ? '' : new Date(Date.parse(day) + moved).toISOString().slice(0, 10))
  return {
    values: { ...values, order_id: '' },
    lines: lines.map(({ values: { starts_at: _start, ends_at: _end, ...line }, ...rest }) => ({
      ...rest,
      values: { ...line, first: later(line.first), last: later(line.last) },
    })),
  }
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
    return formPage(call, { draft, problems: problemsOf(error) })
  }
  return redirect(`${base}/direct-orders/${encodeURIComponent(orderId)}`, 'added')
}

async function formPage(call: TenantCall, shown: Pick<DirectOrderForm, 'draft' | 'problems' | 'focus'>): Promise<Answer> {
  const path = `${call.base}/direct-orders`
  const form = await directOrderForm(call, { ...shown, action: path, button: 'Enter the order', back: path })
  const body = html`${heading('Enter a direct order', undefined, `Days of ${zoneOf(call)}.`)}${form}`
  return page('Enter a direct order', body, { status: shown.problems === undefined ? 200 : 400 })
}
