import { recordRefund, showRefunds, takeBackRefund } from '../../operator/billing/refunds.ts'
import { listInvoices } from '../../operator/billing/show-invoices.ts'
import type { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct, doOnce, may } from '../do-act.ts'
import { orAgain } from '../form-outcome.ts'
import { written } from '../form-text.ts'
import { day, money } from '../format.ts'
import { type Html, html } from '../html.ts'
import { choice, csrfField, empty, field, heading, onceField, pager, table } from '../parts/parts.ts'
import { takeBackForm, takenBackCell } from '../parts/take-back.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'

/** What is paid back to customers of their credit. */
export const refundRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/billing/refunds', showRefunds, (call) => refundsPage(call)),
  actRoute('POST', '/billing/refunds', recordRefund, orAgain(answerRefund, refundsPage)),
  actRoute('POST', '/billing/refunds/{refund}/take-back', takeBackRefund, orAgain(answerTakeBack, refundsPage)),
]

async function refundsPage(call: TenantCall, refusal?: AdcpError): Promise<Answer> {
  const { query, base, form } = call
  const account = query.get('account') || customerIn(form.get('customer') ?? '').account || undefined
  const found = await doAct(call, showRefunds, { account, cursor: query.get('cursor') || undefined })
  const lead =
    'What was paid back to customers of their credit: what they paid, or were credited, beyond what their invoices ask for.'
  const body = html`${heading('Refunds', undefined, lead)}
${refusal && html`<p class="notice bad" role="alert">${refusal.message}</p>`}
<form class="filters" method="get" action="${base}/billing/refunds">${field('of', 'Customer', { name: 'account', value: account ?? '', of: showRefunds.fields.account })}<button>Show</button></form>
${found.items.length > 0 ? refundTable(call, found.items) : empty('Nothing was paid back')}
${pager(`${base}/billing/refunds`, query, found.next_cursor)}
${may(call, recordRefund) && (await refundForm(call, account))}`
  return page('Refunds', body, { refusal })
}

type ShownRefund = Awaited<ReturnType<typeof showRefunds.run>>['items'][number]

function refundTable(call: TenantCall, refunds: readonly ShownRefund[]): Html {
  const rows = refunds.map(({ refund_id: id, account, account_name: name, date, amount, currency, ...refund }) => {
    const path = `${call.base}/billing/refunds/${encodeURIComponent(id)}/take-back`
    return [
      day(date),
      html`${name ?? account}<small class="id" title="${account}">${account}</small>`,
      money(amount, currency),
      refund.reference ?? '–',
      refund.recorded_by,
      takenBackCell(refund.taken_back, may(call, takeBackRefund) && takeBackForm(call, id, path)),
    ]
  })
  return table('Refunds', ['Day', 'Customer', { title: 'Amount', numeric: true }, 'Reference', 'Recorded by', ''], rows)
}

/** Customers with credit, one of them chosen; without any there is nothing to pay back. */
async function refundForm(call: TenantCall, account: string | undefined): Promise<Html> {
  const { form, query, base } = call
  const { credits } = await doAct(call, listInvoices, { account, limit: 1 })
  const owed = credits.flatMap(({ currency, accounts }) => accounts.map((each) => ({ currency, ...each })))
  if (owed.length === 0)
    return html`<p class="hint">No customer${account === undefined ? '' : ' of this id'} has credit: there is nothing to pay back.</p>`
  const options = owed.map(
    (each) => [keyOf(each), `${each.account_name ?? each.account}: ${money(each.credit, each.currency)} of credit`] as const,
  )
  const value = (name: string) => form.get(name) ?? ''
  const chosen =
    form.get('customer') ??
    (account === undefined ? '' : keyOf({ account, currency: query.get('currency') ?? owed[0]?.currency ?? '' }))
  return html`<section class="panel narrow"><h2>Record what was paid back</h2><form method="post" action="${base}/billing/refunds">${csrfField(call)}${onceField(call)}
${choice('customer', 'Customer', options, chosen)}
${field('amount', 'Amount', { value: value('amount'), of: recordRefund.fields.amount, required: true, hint: 'At most the credit, in its currency' })}
${field('date', 'Day on which it was paid', { type: 'date', value: value('date'), hint: 'Empty: today' })}
${field('reference', 'Reference', { value: value('reference'), of: recordRefund.fields.reference })}
<button class="primary">Record the refund</button></form></section>`
}

async function answerRefund(call: TenantCall): Promise<Answer> {
  const { form } = call
  const { account, currency } = customerIn(form.get('customer') ?? '')
  const members = { account, currency, amount: form.get('amount') ?? '', date: written(form, 'date') }
  const isNew = await doOnce(call, recordRefund, { ...members, reference: written(form, 'reference') })
  return redirect(pathOf(call, account), isNew ? 'refunded' : 'before')
}

/** A customer and the currency of the credit, as a form has them: `SEK acc_1`. */
function keyOf({ account, currency }: { readonly account: string; readonly currency: string }): string {
  return `${currency} ${account}`
}

function customerIn(key: string): { readonly account: string; readonly currency: string } {
  const [currency = '', ...account] = key.split(' ')
  return { account: account.join(' '), currency }
}

async function answerTakeBack(call: TenantCall): Promise<Answer> {
  const { account } = await doAct(call, takeBackRefund, { refund: call.params.refund, reason: written(call.form, 'reason') })
  return redirect(pathOf(call, account), 'takenback')
}

function pathOf({ base }: TenantCall, account: string): string {
  return `${base}/billing/refunds?account=${encodeURIComponent(account)}`
}
