import { addPayment, listPayments, setCredit } from '../../operator/accounts/account-money.ts'
import { listAccounts, type ShownAccount } from '../../operator/accounts/list-accounts.ts'
import { ACCOUNT_STATUSES, type AccountStatus, setAccountStatus } from '../../operator/accounts/set-account-status.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { day, money, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { choice, csrfField, facts, field, heading, statusBadge, table } from '../parts/parts.ts'
import {
  ACCOUNT_DECIDERS,
  ACCOUNTANTS,
  type Answer,
  type ConsoleRoute,
  page,
  READERS,
  redirect,
  type TenantCall,
  tenantRoute,
} from '../route.ts'

/** An account of a buyer: its status, its credit, and what was paid into it. */
export const buyerAccountRoutes: readonly ConsoleRoute[] = [
  tenantRoute('GET', '/accounts/{id}', READERS, accountPage),
  tenantRoute('POST', '/accounts/{id}/status', ACCOUNT_DECIDERS, changeStatus),
  tenantRoute('POST', '/accounts/{id}/credit', ACCOUNTANTS, changeCredit),
  tenantRoute('POST', '/accounts/{id}/payments', ACCOUNTANTS, recordPayment),
]

/** The accounts that a buyer declared, for its page. */
export async function buyerAccountsPanel({ operator, tenantId, base }: TenantCall, principalId: string): Promise<Html> {
  const own = (await listAccounts(operator, tenantId)).filter(({ principal }) => principal === principalId)
  const rows = own.map((account) => [
    html`<a href="${pathOf(base, account.account_id)}">${account.name}</a><small>${account.account_id}</small>`,
    statusBadge(account.status),
    creditText(account),
  ])
  return html`<section class="panel"><h2>Accounts</h2>${rows.length === 0 ? html`<p>It has declared none.</p>` : table('Accounts', ['Account', 'Status', 'Credit limit'], rows)}</section>`
}

async function accountPage(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, base, role } = call
  const account = await accountOf(call)
  const payments = await listPayments(operator, { tenantId, accountId: account.account_id })
  const others = account.grants.map(({ principal, read_only: readOnly }) => `${principal}${readOnly ? ' (reads only)' : ''}`)
  const rows = payments.map((each) => [day(each.date), money(each.amount, each.currency)])
  const body = html`${heading(html`${account.name} ${statusBadge(account.status)}`, undefined, account.account_id)}
<section class="panel">${facts([
    ['Buyer', html`<a href="${base}/buyers/${encodeURIComponent(account.principal)}">${account.principal}</a>`],
    ['Advertiser', account.advertiser ?? undefined],
    ['Credit limit', creditText(account)],
    ['Also used by', others.length === 0 ? undefined : others.join(', ')],
  ])}${ACCOUNT_DECIDERS.includes(role) && statusForm(call, account)}${ACCOUNTANTS.includes(role) && creditForm(call, account)}</section>
<section class="panel"><h2>Payments</h2>${rows.length === 0 ? html`<p>None is recorded.</p>` : table('Payments', ['Day', { title: 'Amount', numeric: true }], rows)}
${ACCOUNTANTS.includes(role) && paymentForm(call, account)}</section>`
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
  return html`<form class="filters" method="post" action="${pathOf(call.base, id)}/credit">${csrfField(call)}${amount}${currencyField('limit-currency', limit?.currency)}<button>Set the credit limit</button></form><p class="soft">Without an amount there is no limit. The buyer sees it in list_accounts.</p>`
}

function paymentForm(call: TenantCall, { account_id: id, credit_limit: limit }: ShownAccount): Html {
  return html`<details><summary>Record a payment</summary><form class="filters" method="post" action="${pathOf(call.base, id)}/payments">${csrfField(call)}
${field('amount', 'Amount', { required: true })}${currencyField('payment-currency', limit?.currency)}${field('date', 'Day', { type: 'date' })}${field('reference', 'Your own note')}<button class="primary">Record the payment</button></form></details>`
}

function currencyField(id: string, currency = 'USD'): Html {
  return field(id, 'Currency', { name: 'currency', value: currency, required: true })
}

async function changeStatus(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, form } = call
  const isStatus = (text: string): text is AccountStatus => ACCOUNT_STATUSES.some((each) => each === text)
  const status = form.get('status') ?? ''
  if (!isStatus(status)) throw new AdcpError('INVALID_REQUEST', `"${status}" is no status of an account`, { field: 'status' })
  await setAccountStatus(operator, { tenantId, accountId: call.params.id ?? '', status })
  return changed(call)
}

async function changeCredit(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, params } = call
  const { amount, currency } = amountOf(call)
  await setCredit(operator, { tenantId, accountId: params.id ?? '', amount: amount === '' ? 'none' : amount, currency })
  return changed(call)
}

async function recordPayment(call: TenantCall): Promise<Answer> {
  const { operator, tenantId, params, form } = call
  const reference = form.get('reference')?.trim()
  await addPayment(operator, {
    tenantId,
    accountId: params.id ?? '',
    ...amountOf(call),
    day: form.get('date') || undefined,
    reference: reference === '' ? undefined : reference,
  })
  return changed(call)
}

/** An amount as a form has it, with thousands separators and spaces taken out, and its ISO 4217 currency. Throws INVALID_REQUEST. */
function amountOf({ form }: TenantCall): { readonly amount: string; readonly currency: string } {
  const currency = (form.get('currency') ?? '').trim().toUpperCase()
  if (!/^[A-Z]{3}$/.test(currency)) {
    throw new AdcpError('INVALID_REQUEST', `"${currency}" is no currency; write three letters such as EUR`, { field: 'currency' })
  }
  return { amount: (form.get('amount') ?? '').replaceAll(/[\s_]/g, ''), currency }
}

async function accountOf({ operator, tenantId, params }: TenantCall): Promise<ShownAccount> {
  const account = (await listAccounts(operator, tenantId)).find(({ account_id: id }) => id === params.id)
  if (!account) throw new AdcpError('REFERENCE_NOT_FOUND', `there is no account ${params.id}`)
  return account
}

function creditText({ credit_limit: limit }: ShownAccount): string {
  return limit === null ? 'none' : money(limit.amount, limit.currency)
}

function changed({ base, params }: TenantCall): Answer {
  return redirect(pathOf(base, params.id ?? ''), 'changed')
}

function pathOf(base: string, accountId: string): string {
  return `${base}/accounts/${encodeURIComponent(accountId)}`
}
