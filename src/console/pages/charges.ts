import { CHARGE_STATES } from '../../domain/media-buy/charge.ts'
import { NET } from '../../operator/amount.ts'
import type { ShownCharge } from '../../operator/billing/charge-shapes.ts'
import { addCharge, showCharges, takeChargeBack } from '../../operator/billing/charges.ts'
import type { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct, doOnce, may } from '../do-act.ts'
import { orAgain } from '../form-outcome.ts'
import { tickedIn } from '../form-text.ts'
import { moment, money } from '../format.ts'
import { type Html, html } from '../html.ts'
import { choice, csrfField, empty, field, heading, limits, onceField, pager, statusBadge, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'

/** Fees and credits of orders beside their delivery. */
export const chargeRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/billing/charges', showCharges, (call) => chargesPage(call)),
  actRoute('POST', '/billing/charges', addCharge, orAgain(answerCharge, chargesPage)),
  actRoute('POST', '/billing/charges/{charge}/take-back', takeChargeBack, orAgain(answerTakeBack, chargesPage)),
]

async function chargesPage(call: TenantCall, refusal?: AdcpError): Promise<Answer> {
  const { query, base } = call
  const asked = (name: string) => query.get(name) || undefined
  const found = await doAct(call, showCharges, { order: asked('order'), state: asked('state'), cursor: asked('cursor') })
  const titles = CHARGE_STATES.map((state) => [state, state.replace('_', ' ')] as const)
  const lead = 'Fees of cancellations, and what people charge or give back. What is open is on the next invoice.'
  const body = html`${heading('Charges and credits', undefined, lead)}
${refusal && html`<p class="notice bad" role="alert">${refusal.message}</p>`}
<form class="filters" method="get" action="${base}/billing/charges">${field('order', 'Order', { value: query.get('order') ?? '' })}${choice('state', 'State', [['', 'every state'], ...titles], query.get('state') ?? '')}<button>Show</button></form>
${found.items.length > 0 ? chargeTable(call, found.items) : empty('No such charge')}
${pager(`${base}/billing/charges`, query, found.next_cursor)}
${may(call, addCharge) && addForm(call)}`
  return page('Charges and credits', body, { refusal })
}

function chargeTable(call: TenantCall, charges: readonly ShownCharge[]): Html {
  const { base } = call
  const rows = charges.map((charge) => {
    const { order_id: order, line_id: line, invoice_id: invoice, taken_back: back, state, account } = charge
    const ids = [order, ...(line === null ? [] : [line])].join(', ')
    return [
      moment(charge.incurred_at),
      html`<a href="${base}/orders/${encodeURIComponent(order)}">${charge.order_name ?? order}</a>${charge.product_name !== null && html`<small>${charge.product_name}</small>`}<small class="id">${ids}</small>`,
      charge.account_name ?? account,
      money(charge.amount, charge.currency),
      html`${charge.reason}<small>${charge.made_by ?? 'by the terms of the order'}</small>`,
      invoice === null
        ? html`${statusBadge(state)}${back && html`<small>${back.by}: ${back.reason}</small>`}`
        : html`${statusBadge(state)} <a href="${base}/billing/${encodeURIComponent(invoice)}">${invoice}</a>`,
      state === 'open' && may(call, takeChargeBack) && takeBackForm(call, charge.charge_id),
    ]
  })
  return table(
    'Charges and credits',
    ['Since', 'Order', 'Account', { title: 'Amount', numeric: true }, 'Reason', 'State', ''],
    rows,
  )
}

function takeBackForm(call: TenantCall, charge: string): Html {
  const path = `${call.base}/billing/charges/${encodeURIComponent(charge)}/take-back`
  return html`<form class="inline" method="post" action="${path}">${csrfField(call)}${field(`reason-${charge}`, 'Why', { name: 'reason', of: takeChargeBack.fields.reason, required: true })}<button class="danger">Take back</button></form>`
}

function addForm(call: TenantCall): Html {
  const { form, query, base } = call
  const value = (name: string, otherwise = '') => form.get(name) ?? otherwise
  const kinds = [
    ['', 'charge it'],
    ['credit', 'give it back'],
  ] as const
  return html`<section class="panel narrow"><h2>Charge or credit an order</h2><form method="post" action="${base}/billing/charges">${csrfField(call)}${onceField(call)}
${field('charged-order', 'Id of the order', { name: 'order', value: value('order', query.get('order') ?? ''), of: addCharge.fields.order, required: true })}
${field('line', 'Id of the line or package', { value: value('line'), of: addCharge.fields.line, hint: 'Empty: the whole order' })}
${field('amount', 'Amount', { value: value('amount'), of: addCharge.fields.amount, required: true, hint: `In the currency of the order, ${NET}` })}
${choice('credit', 'What to do', kinds, value('credit'))}
<div class="field"><label for="why">Reason, as the invoice says it</label><input id="why" name="reason" value="${value('reason')}"${limits(addCharge.fields.reason)}></div>
<button class="primary">Put it on the next invoice</button></form></section>`
}

async function answerCharge(call: TenantCall): Promise<Answer> {
  const { form } = call
  const order = form.get('order') ?? ''
  const members = {
    order,
    line: form.get('line') || undefined,
    amount: form.get('amount') ?? '',
    reason: form.get('reason') ?? '',
  }
  const isNew = await doOnce(call, addCharge, { ...members, credit: tickedIn(form, 'credit', 'credit') })
  return redirect(pathOf(call, order), isNew ? 'charged' : 'before')
}

async function answerTakeBack(call: TenantCall): Promise<Answer> {
  const reason = call.form.get('reason') ?? ''
  const { order_id: order } = await doAct(call, takeChargeBack, { charge: call.params.charge, reason })
  return redirect(pathOf(call, order), 'takenback')
}

function pathOf({ base }: TenantCall, order: string): string {
  return `${base}/billing/charges?order=${encodeURIComponent(order)}`
}
