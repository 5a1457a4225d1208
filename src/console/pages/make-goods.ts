import type { DECISIONS } from '../../domain/media-buy/decide-make-good.ts'
import { NET } from '../../operator/amount.ts'
import { decideMakeGood } from '../../operator/make-goods/decide-make-good.ts'
import { listMakeGoods, whatText } from '../../operator/make-goods/list-make-goods.ts'
import { listShortfalls, MOST_DAYS } from '../../operator/make-goods/list-shortfalls.ts'
import { ANSWER_DAYS, offerCredit, offerDelivery } from '../../operator/make-goods/offer-make-good.ts'
import type { ShownMakeGood } from '../../operator/orders/make-good-shape.ts'
import type { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { orAgain } from '../form-outcome.ts'
import { inputOf, written } from '../form-text.ts'
import { moment } from '../format.ts'
import { type Html, html } from '../html.ts'
import { choice, csrfField, empty, field, heading, limits, optionsOf, statusBadge, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'

/** What is offered for lines of an order that fell short. */
export const makeGoodRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/orders/{id}/make-goods', listMakeGoods, (call) => makeGoodsPage(call)),
  actRoute('POST', '/orders/{id}/make-goods/deliveries', offerDelivery, orAgain(answerDelivery, makeGoodsPage)),
  actRoute('POST', '/orders/{id}/make-goods/credits', offerCredit, orAgain(answerCredit, makeGoodsPage)),
  actRoute('POST', '/orders/{id}/make-goods/{make_good}/decide', decideMakeGood, orAgain(answerDecision, makeGoodsPage)),
]

const TITLE = 'Make-goods'

type Choice = readonly [value: string, title: string]

async function makeGoodsPage(call: TenantCall, refusal?: AdcpError): Promise<Answer> {
  const { base, params } = call
  const order = params.id ?? ''
  const { items } = await doAct(call, listMakeGoods, { order })
  const { items: short } = await doAct(call, listShortfalls, { order, days: MOST_DAYS })
  const lines = short.map(({ line_id: id, product_id: product }): Choice => [id, `${id}: ${product}`])
  const none = html`<p class="hint">No line of this order ended below what was ordered, or what did is settled.</p>`
  const lead =
    'What was offered for lines of this order that ended below what was ordered. The buyer accepts or declines; for a direct order it is agreed already.'
  const back = html`<a class="button" href="${base}/orders/${encodeURIComponent(order)}">The order</a>`
  const body = html`${heading(TITLE, back, html`${lead} <span class="id">${order}</span>`)}
${refusal && html`<p class="notice bad" role="alert">${refusal.message}</p>`}
${items.length > 0 ? makeGoodTable(call, order, items) : empty('Nothing was offered')}
${lines.length === 0 ? none : html`${may(call, offerDelivery) && deliveryForm(call, order, lines)}${may(call, offerCredit) && creditForm(call, order, lines)}`}`
  return page(TITLE, body, { refusal })
}

function makeGoodTable(call: TenantCall, order: string, items: readonly ShownMakeGood[]): Html {
  const rows = items.map((each) => [
    moment(each.offered_at),
    html`<span class="id">${each.line_id}</span>`,
    whatText(each),
    html`${each.reason}<small>${each.offered_by}</small>`,
    html`${statusBadge(each.state)}${each.decided_by !== null && html`<small>${each.decided_by}</small>`}${each.state === 'offered' && html`<small>until ${moment(each.expires_at)}</small>`}`,
    each.state === 'offered' && may(call, decideMakeGood) && decisionForms(call, order, each.make_good_id),
  ])
  return table(TITLE, ['Offered', 'Line', 'What', 'Reason', 'State', ''], rows)
}

const ANSWERS = optionsOf<(typeof DECISIONS)[number]>({
  accept: 'The buyer agreed',
  decline: 'The buyer declined',
  withdraw: 'Withdraw',
})

function decisionForms(call: TenantCall, order: string, makeGood: string): Html {
  const path = `${call.base}/orders/${encodeURIComponent(order)}/make-goods/${encodeURIComponent(makeGood)}/decide`
  const buttons = ANSWERS.map(([answer, title]) => html`<button name="answer" value="${answer}">${title}</button> `)
  return html`<form class="inline" method="post" action="${path}">${csrfField(call)}${buttons}</form>`
}

/** The fields that every offer has. */
function offerFields(call: TenantCall, prefix: string, lines: readonly Choice[]): Html {
  const { form, query } = call
  const value = (name: string) => form.get(name) ?? ''
  const line = form.get('line') ?? query.get('line') ?? ''
  return html`${choice(`${prefix}-line`, 'Line or package', lines, line, 'line')}
<div class="field"><label for="${prefix}-reason">Reason, for the buyer, the history and the invoice</label><input id="${prefix}-reason" name="reason" value="${value('reason')}"${limits(offerDelivery.fields.reason)}></div>
${field(`${prefix}-days`, 'Days to answer', { name: 'days', type: 'number', value: value('days') || String(ANSWER_DAYS) })}`
}

function deliveryForm(call: TenantCall, order: string, lines: readonly Choice[]): Html {
  const { form, base } = call
  const path = `${base}/orders/${encodeURIComponent(order)}/make-goods/deliveries`
  return html`<section class="panel narrow"><h2>Deliver what is missing</h2><p>A line of its own delivers it, at no more cost. Without days it begins at once, for as long as the flight took for that much.</p><form method="post" action="${path}">${csrfField(call)}
${field('first', 'First day', { type: 'date', value: form.get('first') ?? '' })}
${field('last', 'Last day', { type: 'date', value: form.get('last') ?? '' })}
${offerFields(call, 'delivery', lines)}
<button class="primary">Offer the delivery</button></form></section>`
}

function creditForm(call: TenantCall, order: string, lines: readonly Choice[]): Html {
  const path = `${call.base}/orders/${encodeURIComponent(order)}/make-goods/credits`
  return html`<section class="panel narrow"><h2>Give money back</h2><p>The credit is on the invoice of the month in which it is agreed.</p><form method="post" action="${path}">${csrfField(call)}
${field('amount', 'Amount', { value: call.form.get('amount') ?? '', hint: `In the currency of the order, ${NET}: no discount is taken from it. Empty: of a flat price, what was charged of the share that was not delivered.` })}
${offerFields(call, 'credit', lines)}
<button class="primary">Offer the credit</button></form></section>`
}

/** What the form of an offer gives. */
function offerOf({ form, params }: TenantCall) {
  return {
    order: params.id ?? '',
    line: form.get('line') ?? '',
    reason: form.get('reason') ?? '',
    ...(written(form, 'days') !== undefined && { days: inputOf(form, 'days', offerCredit.fields.days) }),
  }
}

async function answerDelivery(call: TenantCall): Promise<Answer> {
  const [first, last] = [written(call.form, 'first'), written(call.form, 'last')]
  await doAct(call, offerDelivery, { ...offerOf(call), first, last })
  return done(call, 'offered')
}

async function answerCredit(call: TenantCall): Promise<Answer> {
  await doAct(call, offerCredit, { ...offerOf(call), amount: written(call.form, 'amount') })
  return done(call, 'offered')
}

async function answerDecision(call: TenantCall): Promise<Answer> {
  const { params, form } = call
  const members = { order: params.id ?? '', make_good: params.make_good ?? '', answer: form.get('answer') ?? '' }
  await doAct(call, decideMakeGood, members)
  return done(call, 'decided')
}

/** Back to the list. */
function done({ base, params }: TenantCall, what: 'offered' | 'decided'): Answer {
  return redirect(`${base}/orders/${encodeURIComponent(params.id ?? '')}/make-goods`, what)
}
