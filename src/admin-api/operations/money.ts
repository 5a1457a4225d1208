import { addPayment, listPayments, setCredit } from '../../operator/accounts/account-money.ts'
import { grantAccount, revokeAccount } from '../../operator/accounts/grant-account.ts'
import { listAccounts } from '../../operator/accounts/list-accounts.ts'
import { ACCOUNT_STATUSES, setAccountStatus } from '../../operator/accounts/set-account-status.ts'
import { closeMonth } from '../../operator/billing/close-month.ts'
import { listInvoices, showInvoice } from '../../operator/billing/show-invoices.ts'
import { flag, oneOf, required, text, texts } from '../../operator/fields.ts'
import { deliveryReport, REPORT_DIMENSIONS } from '../../operator/reports/delivery-report.ts'
import { rebuildDelivery } from '../../operator/reports/rebuild-delivery.ts'
import { showRevenue } from '../../operator/reports/revenue.ts'
import { ACCOUNT_DECIDERS, ACCOUNTANTS, ADMINISTRATORS, READERS, SELLERS } from '../../operator/roles.ts'
import { list } from '../../operator/shape.ts'
import { type AdminOperation, operation } from '../operation.ts'

const RANGE = { first: text('first day, YYYY-MM-DD'), last: text('last day, YYYY-MM-DD') }
const AMOUNT = { amount: required(text('e.g. 1200.50')), currency: required(text('ISO 4217, e.g. USD')) }

export const reportOperations: readonly AdminOperation[] = [
  operation('GET /reports/delivery', 'reportDelivery', {
    roles: READERS,
    summary: 'Delivery and revenue of a range of days, grouped.',
    fields: {
      ...RANGE,
      by: texts(`of ${REPORT_DIMENSIONS.join(', ')}; default: order`),
      buyer: text('of one buyer'),
      product: text('of one product'),
      order: text('of one order'),
      sandbox: flag('also sandbox orders, which earn nothing'),
    },
    run: (context, { tenantId, values: { by = ['order'], ...asked } }) => deliveryReport(context, { tenantId, by, ...asked }),
  }),
  operation('GET /reports/revenue', 'reportRevenue', {
    roles: READERS,
    summary: 'Revenue of a range of days and of the days before, by currency.',
    fields: { ...RANGE, sandbox: flag('also sandbox orders, which earn nothing') },
    run: (context, { tenantId, values }) => showRevenue(context, { tenantId, ...values }),
  }),
  operation('POST /reports/rebuild', 'rebuildDelivery', {
    roles: ADMINISTRATORS,
    summary: 'Counts the days of delivery again, e.g. after the time zone has changed.',
    fields: {},
    run: (context, { tenantId }) => rebuildDelivery(context, tenantId),
  }),
  operation('POST /billing/months/{month}/close', 'closeMonth', {
    roles: ACCOUNTANTS,
    summary: 'Closes a month (YYYY-MM) for good and writes its invoices.',
    fields: {},
    run: (context, { tenantId, params }) => closeMonth(context, { tenantId, month: params.month }),
  }),
  operation('GET /billing/invoices', 'listInvoices', {
    roles: READERS,
    summary: 'Invoices, the newest month first.',
    fields: { month: text('of one month, YYYY-MM'), account: text('of one account') },
    async run(context, { tenantId, values }) {
      const { invoices, ...rest } = await listInvoices(context, { tenantId, ...values })
      return { ...list(invoices), ...rest }
    },
  }),
  operation('GET /billing/invoices/{invoice}', 'showInvoice', {
    roles: READERS,
    summary: 'One invoice with its lines.',
    fields: {},
    run: (context, { tenantId, params }) => showInvoice(context, tenantId, params.invoice),
  }),
]

export const accountOperations: readonly AdminOperation[] = [
  operation('GET /accounts', 'listAccounts', {
    roles: READERS,
    summary: 'Accounts, each with the agents that may use it.',
    fields: {},
    run: async (context, { tenantId }) => list(await listAccounts(context, tenantId)),
  }),
  operation('PUT /accounts/{account}/status', 'setAccountStatus', {
    roles: ACCOUNT_DECIDERS,
    summary: 'Approves, suspends or closes an account.',
    fields: { status: required(oneOf(ACCOUNT_STATUSES, 'the new status')) },
    async run(context, { tenantId, params, values: { status } }) {
      await setAccountStatus(context, { tenantId, accountId: params.account, status })
      return { account_id: params.account, status }
    },
  }),
  operation('PUT /accounts/{account}/grants/{buyer}', 'grantAccount', {
    roles: SELLERS,
    summary: 'Lets a buyer use an account, or narrows what its own buyer may do.',
    fields: { read_only: flag('nothing that changes state'), tasks: texts('only these tasks') },
    run: (context, { tenantId, params, values: { read_only: readOnly = false, tasks } }) =>
      grantAccount(context, { tenantId, accountId: params.account, principalId: params.buyer, readOnly, tasks }),
  }),
  operation('DELETE /accounts/{account}/grants/{buyer}', 'revokeAccountGrant', {
    roles: SELLERS,
    summary: 'Takes a grant away.',
    fields: {},
    async run(context, { tenantId, params }) {
      await revokeAccount(context, { tenantId, accountId: params.account, principalId: params.buyer })
      return { account_id: params.account, buyer: params.buyer, removed: true }
    },
  }),
  operation('PUT /accounts/{account}/credit', 'setCredit', {
    roles: ACCOUNTANTS,
    summary: 'Sets the credit limit of an account, or removes it.',
    fields: { ...AMOUNT, amount: required(text('e.g. 1200.50, or none')) },
    async run(context, { tenantId, params, values }) {
      const limit = await setCredit(context, { tenantId, accountId: params.account, ...values })
      return { account_id: params.account, credit_limit: limit ?? null }
    },
  }),
  operation('POST /accounts/{account}/payments', 'addPayment', {
    roles: ACCOUNTANTS,
    summary: 'Records a payment into an account, or a top-up of a prepaid one.',
    fields: { ...AMOUNT, date: text('day of the payment, YYYY-MM-DD; default: today'), reference: text('your own note') },
    run: (context, { tenantId, params, values: { date: day, ...payment } }) =>
      addPayment(context, { tenantId, accountId: params.account, day, ...payment }),
  }),
  operation('GET /accounts/{account}/payments', 'listPayments', {
    roles: READERS,
    summary: 'Payments into an account.',
    fields: {},
    run: async (context, { tenantId, params }) => list(await listPayments(context, { tenantId, accountId: params.account })),
  }),
]
