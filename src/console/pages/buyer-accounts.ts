import { DECIDED_STATUSES } from '../../domain/account/account-document.ts'
import {
  accountCurrency,
  addPayment,
  listPayments,
  NO_LIMIT,
  setCredit,
  takeBackAccountPayment,
} from '../../operator/accounts/account-money.ts'
import { listAccounts, type ShownAccount, showAccount } from '../../operator/accounts/list-accounts.ts'
import { setAccountStatus } from '../../operator/accounts/set-account-status.ts'
import { allPages } from '../../operator/all-pages.ts'
import { listInvoices } from '../../operator/billing/show-invoices.ts'
import { MAX_LIMIT } from '../../operator/fields.ts'
import { actRoute, doAct, doOnce, may } from '../do-act.ts'
import { orAgain, storedFormRoute, withRefusal } from '../form-outcome.ts'
import { tickedIn, written } from '../form-text.ts'
import { day, money, words } from '../format.ts'
import { attribute, type Html, html } from '../html.ts'
import { choice, csrfField, facts, field, heading, onceField, statusBadge, table } from '../parts/parts.ts'
import { statementsPanel } from '../parts/statement-table.ts'
import { takeBackForm, takenBackCell } from '../parts/take-back.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import { filledForm, type Inputs, type SentForm, sentTo, shownField } from '../shown-form.ts'

const LABELS: ReadonlyMap<string, string> = new Map([
  ['status', 'Status'],
  ['amount', 'Credit limit'],
  ['currency', 'Currency'],
])

/** An account of a buyer: its status, its credit, and what was paid into it. */
export const buyerAccountRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/accounts/{id}', listPayments, accountPage),
  storedFormRoute('/accounts/{id}/status', setAccountStatus, {
    labels: LABELS,
    read: async (call) => statusInputs(await accountOf(call)),
    save: changeStatus,
    again: withRefusal(accountPage),
  }),
  storedFormRoute('/accounts/{id}/credit', setCredit, {
    labels: LABELS,
    read: async (call) => creditInputs(call, await accountOf(call)),
    save: changeCredit,
    again: withRefusal(accountPage),
  }),
  actRoute('POST', '/accounts/{id}/payments', addPayment, orAgain(recordPayment, withRefusal(accountPage))),
  actRoute(
    'POST',
    '/accounts/{id}/payments/{payment}/take-back',
    takeBackAccountPayment,
    orAgain(answerTakeBack, withRefusal(accountPage)),
  ),
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
  const { base } = call
  const account = await accountOf(call)
  const { items: payments } = await doAct(call, listPayments, { account: account.account_id })
  const { open, credits } = await doAct(call, listInvoices, { account: account.account_id, limit: 1 })
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
    ['Open invoices', open.map((sum) => money(sum.open, sum.currency)).join(', ') || undefined],
    [
      'Credit balance',
      credits.map(({ currency, credit }) => `${money(credit, currency)}, paid or credited beyond its invoices`).join(', ') ||
        undefined,
    ],
    ['Also used by', others.length === 0 ? undefined : others.join(', ')],
  ])}${may(call, setAccountStatus) && statusForm(call, account)}${may(call, setCredit) && creditForm(call, account)}</section>
<section class="panel"><h2>Payments</h2>${rows.length === 0 ? html`<p>No payments are recorded.</p>` : table('Payments', ['Day', { title: 'Amount', numeric: true }, 'Your own note', ''], rows)}
${may(call, addPayment) && paymentForm(call, account)}</section>
${await statementsPanel(call, { account: account.account_id })}`
  return page(account.name, body)
}

function accountOf(call: TenantCall): Promise<ShownAccount> {
  return doAct(call, showAccount, { account: call.params.id ?? '' })
}

function statusInputs({ status }: ShownAccount): Inputs {
  return { status }
}

function creditInputs({ tenant }: TenantCall, { credit_limit: limit }: ShownAccount): Inputs {
  return { amount: limit === null ? '' : String(limit.amount), currency: accountCurrency(limit, tenant.settings) }
}

function statusForm(call: TenantCall, account: ShownAccount): Html {
  const path = `${pathOf(call.base, account.account_id)}/status`
  const stored = statusInputs(account)
  const status = filledForm(sentTo(call, path), stored).get('status') ?? ''
  // An account that waits has a status that the buyer's side gave it: it stays until somebody chooses another.
  const offered: readonly string[] = DECIDED_STATUSES
  const options = [...(offered.includes(status) ? [] : [status]), ...offered].map((each) => [each, words(each)] as const)
  return html`<form class="filters" method="post" action="${path}">${csrfField(call)}${shownField(stored)}${choice('status', 'Status', options, status)}<button>Set the status</button></form>`
}

function creditForm(call: TenantCall, account: ShownAccount): Html {
  const path = `${pathOf(call.base, account.account_id)}/credit`
  const stored = creditInputs(call, account)
  const filled = filledForm(sentTo(call, path), stored)
  const amount = field('limit', 'Credit limit', {
    name: 'amount',
    value: filled.get('amount') ?? '',
    of: setCredit.fields.amount,
  })
  return html`<form class="filters" method="post" action="${path}">${csrfField(call)}${shownField(stored)}${amount}${currencyField('limit-currency', filled.get('currency') ?? '')}<button>Set the credit limit</button></form><p class="soft">Without an amount there is no limit. The buyer sees it in list_accounts. No order is refused for it: suspend the account for that.</p>`
}

function paymentForm(call: TenantCall, { account_id: id, credit_limit: limit }: ShownAccount): Html {
  const action = `${pathOf(call.base, id)}/payments`
  const sent = sentTo(call, action)
  const value = (name: string) => sent.get(name) ?? ''
  const currency = sent.get('currency') ?? accountCurrency(limit, call.tenant.settings)
  return html`<details${attribute('open', sent.size > 0)}><summary>Record a payment</summary><form class="filters" method="post" action="${action}">${csrfField(call)}${onceField(call)}
${field('amount', 'Amount', { value: value('amount'), of: addPayment.fields.amount, required: true })}${currencyField('payment-currency', currency)}${field('date', 'Day', { value: value('date'), type: 'date' })}${field('reference', 'Your own note', { value: value('reference'), of: addPayment.fields.reference })}<button class="primary">Record the payment</button></form></details>`
}

function currencyField(id: string, value: string): Html {
  return field(id, 'Currency', { name: 'currency', value, required: true })
}

async function changeStatus(call: TenantCall, { isChanged }: SentForm): Promise<Answer> {
  if (!isChanged('status')) return redirect(pathOf(call.base, call.params.id ?? ''))
  if (call.form.get('status') === 'closed' && !tickedIn(call.form, 'confirmed')) return closePage(call)
  await doAct(call, setAccountStatus, { account: call.params.id, status: call.form.get('status') ?? '' })
  return changed(call)
}

/** Asks before an account is closed: that cannot be undone. */
async function closePage(call: TenantCall): Promise<Answer> {
  const account = await accountOf(call)
  const path = pathOf(call.base, account.account_id)
  const form = html`<form method="post" action="${path}/status">${csrfField(call)}${shownField(statusInputs(account))}<input type="hidden" name="status" value="closed"><input type="hidden" name="confirmed" value="yes"><button class="danger">Close it for good</button> <a class="button" href="${path}">Leave it as it is</a></form>`
  const body = html`${heading('Close the account?', undefined, account.name)}<section class="panel narrow"><p>A closed account stays closed: its buyer orders nothing more with it. To stop it for a time, suspend it.</p>${form}</section>`
  return page('Close the account?', body)
}

/** Amount and currency are one limit: the act sets both, and what the person did not change is sent as it is stored. */
async function changeCredit(call: TenantCall, { filled }: SentForm): Promise<Answer> {
  const { amount, currency } = amountIn(filled)
  await doAct(call, setCredit, { account: call.params.id, amount: amount || NO_LIMIT, currency })
  return changed(call)
}

async function recordPayment(call: TenantCall): Promise<Answer> {
  const [date, reference] = ['date', 'reference'].map((name) => written(call.form, name))
  const isNew = await doOnce(call, addPayment, { account: call.params.id, ...amountIn(call.form), date, reference })
  return redirect(pathOf(call.base, call.params.id ?? ''), isNew ? 'paid' : 'before')
}

/** An amount as a form has it, and its ISO 4217 currency. */
function amountIn(form: URLSearchParams): { readonly amount: string; readonly currency: string } {
  return { amount: (form.get('amount') ?? '').trim(), currency: form.get('currency') ?? '' }
}

function creditText({ credit_limit: limit }: ShownAccount): string {
  return limit === null ? NO_LIMIT : money(limit.amount, limit.currency)
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
