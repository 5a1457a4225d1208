import {
  accountCurrency,
  addPayment,
  listPayments,
  setCredit,
  takeBackAccountPayment,
} from '../../operator/accounts/account-money.ts'
import { getShownAccount, listAccounts, MAX_LIMIT, type ShownAccount } from '../../operator/accounts/list-accounts.ts'
import { ACCOUNT_STATUSES, setAccountStatus } from '../../operator/accounts/set-account-status.ts'
import { allPages } from '../../operator/all-pages.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { written } from '../form-text.ts'
import { day, money, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { choice, csrfField, facts, field, heading, statusBadge, table } from '../parts/parts.ts'
import { statementsPanel } from '../parts/statement-table.ts'
import { takeBackForm, takenBackCell } from '../parts/take-back.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'

/** An account of a buyer: its status, its credit, and what was paid into it. */
export const buyerAccountRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/accounts/{id}', listPayments, accountPage),
  actRoute('POST', '/accounts/{id}/status', setAccountStatus, changeStatus),
  actRoute('POST', '/accounts/{id}/credit', setCredit, changeCredit),
  actRoute('POST', '/accounts/{id}/payments', addPayment, recordPayment),
  actRoute('POST', '/accounts/{id}/payments/{payment}/take-back', takeBackAccountPayment, answerTakeBack),
]

/** Every account that a buyer declared. */
export async function accountsOf(call: TenantCall, buyer: string): Promise<readonly ShownAccount[]> {
  return await allPages((cursor) => doAct(call, listAccounts, { buyer, cursor, limit: MAX_LIMIT }))
}

/** The accounts that a buyer declared, for its page. */
export async function buyerAccountsPanel(call: TenantCall, buyerId: string): Promise<Html> {
  const own = await accountsOf(call, buyerId)
  const rows = own.map((account) => [
    html`<a href="${pathOf(call.base, account.account_id)}">${account.name}</a><small>${account.account_id}</small>`,
    statusBadge(account.status),
    creditText(account),
  ])
  return html`<section class="panel"><h2>Accounts</h2>${rows.length === 0 ? html`<p>This buyer has no accounts.</p>` : table('Accounts', ['Account', 'Status', 'Credit limit'], rows)}</section>`
}

async function accountPage(call: TenantCall): Promise<Answer> {
  const { base, operator, tenantId } = call
  const account = await getShownAccount(operator.store.read, tenantId, call.params.id ?? '')
  const { items: payments } = await doAct(call, listPayments, { account: account.account_id })
  const others = account.grants.map(({ buyer, read_only: readOnly }) => `${buyer}${readOnly ? ' (reads only)' : ''}`)
  const path = (payment: string) => `${pathOf(base, account.account_id)}/payments/${encodeURIComponent(payment)}/take-back`
  const rows = payments.map(({ payment_id: id, date, amount, currency, reference, taken_back: back }) => [
    day(date),
    money(amount, currency),
    reference ?? '',
    takenBackCell(back, may(call, takeBackAccountPayment) && takeBackForm(call, id, path(id))),
  ])
  const body = html`${heading(html`${account.name} ${statusBadge(account.status)}`, undefined, account.account_id)}
<section class="panel">${facts([
    ['Buyer', html`<a href="${base}/buyers/${encodeURIComponent(account.buyer)}">${account.buyer}</a>`],
    ['Advertiser', account.advertiser ?? undefined],
    ['Credit limit', creditText(account)],
    ['Also used by', others.length === 0 ? undefined : others.join(', ')],
  ])}${may(call, setAccountStatus) && statusForm(call, account)}${may(call, setCredit) && creditForm(call, account)}</section>
<section class="panel"><h2>Payments</h2>${rows.length === 0 ? html`<p>No payments are recorded.</p>` : table('Payments', ['Day', { title: 'Amount', numeric: true }, 'Your own note', ''], rows)}
${may(call, addPayment) && paymentForm(call, account)}</section>
${await statementsPanel(call, { account: account.account_id })}`
  return page(account.name, body)
}

function statusForm(call: TenantCall, { account_id: id, status }: ShownAccount): Html {
  const options = ACCOUNT_STATUSES.map((each) => [each, words(each)] as const)
  return html`<form class="filters" method="post" action="${pathOf(call.base, id)}/status">${csrfField(call)}${choice('status', 'Status', options, status)}<button>Set the status</button></form>`
}

function creditForm(call: TenantCall, { account_id: id, credit_limit: limit }: ShownAccount): Html {
  const amount = field('limit', 'Credit limit', {
    name: 'amount',
    value: limit === null ? '' : String(limit.amount),
  })
  return html`<form class="filters" method="post" action="${pathOf(call.base, id)}/credit">${csrfField(call)}${amount}${currencyField(call, 'limit-currency', limit)}<button>Set the credit limit</button></form><p class="soft">Without an amount there is no limit. The buyer sees it in list_accounts.</p>`
}

function paymentForm(call: TenantCall, { account_id: id, credit_limit: limit }: ShownAccount): Html {
  return html`<details><summary>Record a payment</summary><form class="filters" method="post" action="${pathOf(call.base, id)}/payments">${csrfField(call)}
${field('amount', 'Amount', { required: true })}${currencyField(call, 'payment-currency', limit)}${field('date', 'Day', { type: 'date' })}${field('reference', 'Your own note')}<button class="primary">Record the payment</button></form></details>`
}

function currencyField({ tenant }: TenantCall, id: string, limit: ShownAccount['credit_limit']): Html {
  return field(id, 'Currency', { name: 'currency', value: accountCurrency(limit, tenant.settings), required: true })
}

async function changeStatus(call: TenantCall): Promise<Answer> {
  await doAct(call, setAccountStatus, { account: call.params.id, status: call.form.get('status') ?? '' })
  return changed(call)
}

async function changeCredit(call: TenantCall): Promise<Answer> {
  const { amount, currency } = amountOf(call)
  await doAct(call, setCredit, { account: call.params.id, amount: amount || 'none', currency })
  return changed(call)
}

async function recordPayment(call: TenantCall): Promise<Answer> {
  const [date, reference] = ['date', 'reference'].map((name) => written(call.form, name))
  await doAct(call, addPayment, { account: call.params.id, ...amountOf(call), date, reference })
  return changed(call)
}

/** An amount as a form has it, and its ISO 4217 currency. */
function amountOf({ form }: TenantCall): { readonly amount: string; readonly currency: string } {
  const currency = written(form, 'currency')?.toUpperCase() ?? ''
  return { amount: (form.get('amount') ?? '').trim(), currency }
}

function creditText({ credit_limit: limit }: ShownAccount): string {
  return limit === null ? 'none' : money(limit.amount, limit.currency)
}

async function answerTakeBack(call: TenantCall): Promise<Answer> {
  const { id: account = '', payment } = call.params
  await doAct(call, takeBackAccountPayment, { account, payment, reason: written(call.form, 'reason') })
  return redirect(pathOf(call.base, account), 'takenback')
}

function changed({ base, params }: TenantCall): Answer {
  return redirect(pathOf(base, params.id ?? ''), 'changed')
}

function pathOf(base: string, accountId: string): string {
  return `${base}/accounts/${encodeURIComponent(accountId)}`
}
