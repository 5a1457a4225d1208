import type { Account } from '../../domain/account/account.ts'
import { currencyOf as currencyOfPublisher } from '../../domain/identity/publisher-settings.ts'
import { microsToAmount } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { insertPayment, listPayments as listStoredPayments, takeBackStoredPayment } from '../../store/account/account-payments.ts'
import { saveAccount } from '../../store/account/accounts.ts'
import type { Db } from '../../store/database.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { defineAct } from '../act.ts'
import { numberText, readAmount, readPaidAmount } from '../amount.ts'
import { currency, day, logged, required, text } from '../fields.ts'
import { requireRefundsCovered } from '../require-refunds-covered.ts'
import { ACCOUNTANTS, READERS } from '../roles.ts'
import { about, list, number, object, orNull, pageOf, string } from '../shape.ts'
import { presentTakenBack, TAKE_BACK, takenBackMember } from '../taken-back.ts'
import { ACCOUNT, creditLimit, getAccount } from './list-accounts.ts'
import { paymentDay } from './payment-day.ts'

// Several acts in one file: they list, change and remove the same thing.

/** What is written for no credit limit, and takes one away. */
export const NO_LIMIT = 'none'

const CURRENCY = currency('ISO 4217, e.g. EUR; default: that of the credit limit, else of the publisher')

/** The currency of money of an account where none is named: that of its limit, else of the publisher. */
export function accountCurrency(
  limit: { readonly currency: string } | null | undefined,
  settings: { readonly currency?: string | null },
): string {
  return limit?.currency ?? currencyOfPublisher(settings)
}

async function currencyOf(tx: Db, { tenantId, document }: Account, named: string | undefined): Promise<string> {
  return named ?? accountCurrency(document.credit_limit, (await findTenant(tx, tenantId))?.settings ?? {})
}

/**
 * Sets the credit limit of an account, or removes it (`none`); its owner sees it in list_accounts, and what is left of it in get_account_financials. No order is held against it. Throws REFERENCE_NOT_FOUND, INVALID_REQUEST for another
 * amount.
 */
export const setCredit = defineAct({
  name: 'accounts.credit',
  route: 'PUT /accounts/{account}/credit',
  id: 'setCredit',
  roles: ACCOUNTANTS,
  summary:
    'Sets the credit limit that the buyer of an account is shown, or removes it. It refuses no order: suspend the account for that.',
  fields: { account: ACCOUNT, amount: required(numberText(`e.g. 1200.50, or ${NO_LIMIT}`)), currency: CURRENCY },
  account: 'account',
  answer: object({ account_id: string, credit_limit: orNull(creditLimit) }),
  command: {
    args: ['account', 'amount'],
    text: ({ account_id: id, credit_limit: limit }) => [
      `${id}: credit limit ${limit ? `${limit.amount} ${limit.currency}` : NO_LIMIT}`,
    ],
  },
  async run({ store, tenantId, clock, noteAllChanges }, { account: accountId, amount, currency: named }) {
    const saved = await store.transaction(async (tx) => {
      const account = await getAccount(tx, tenantId, accountId)
      const currency = await currencyOf(tx, account, named)
      const limit =
        amount === NO_LIMIT ? undefined : { amount: microsToAmount(readAmount(amount, currency, `, or ${NO_LIMIT}`)), currency }
      const { credit_limit: before, ...rest } = account.document
      noteAllChanges({ credit_limit: [textOf(before), textOf(limit)] })
      const document = limit === undefined ? rest : { ...rest, credit_limit: limit }
      return (await saveAccount(tx, { ...account, document }, clock())).document.credit_limit
    })
    return { account_id: accountId, credit_limit: saved ?? null }
  },
})

/** Day and reference of a payment. */
export const PAYMENT_FIELDS = {
  date: logged(day('day of the payment, YYYY-MM-DD, of the publisher and not to come; default: today')),
  reference: logged(text('your own note, e.g. a bank reference')),
}

const payment = { payment_id: string, amount: number, currency: about('ISO 4217', string), date: string }

/** Records a payment into an account, or a top-up of a prepaid one. Throws REFERENCE_NOT_FOUND, and INVALID_REQUEST for another amount or a day to come. */
export const addPayment = defineAct({
  name: 'accounts.payment',
  route: 'POST /accounts/{account}/payments',
  id: 'addPayment',
  roles: ACCOUNTANTS,
  summary: 'Records a payment into an account, or a top-up of a prepaid one.',
  fields: {
    account: ACCOUNT,
    amount: required(numberText('e.g. 1200.50')),
    currency: CURRENCY,
    ...PAYMENT_FIELDS,
  },
  account: 'account',
  answer: object({ account_id: string, ...payment }),
  command: {
    args: ['account', 'amount'],
    text: ({ account_id, amount, currency, date, payment_id }) => [
      `${account_id}: ${amount} ${currency} on ${date} (${payment_id})`,
    ],
  },
  async run(context, { account: accountId, amount, currency: named, date, reference }) {
    const { store, tenantId, clock } = context
    return store.transaction(async (tx) => {
      const currency = await currencyOf(tx, await getAccount(tx, tenantId, accountId), named)
      const micros = readPaidAmount(amount, currency)
      const day = await paymentDay(tx, context, date)
      const paid = { day, currency, micros, reference: reference || undefined }
      const paymentId = await insertPayment(tx, { tenantId, accountId }, paid, clock())
      context.noteSubject(paymentId)
      context.noteChanges({ counted: [null, `${microsToAmount(micros)} ${currency}`] })
      return { payment_id: paymentId, account_id: accountId, amount: microsToAmount(micros), currency, date: day }
    })
  },
})

/** Takes back a payment that was recorded wrongly; it stays, and counts for nothing. Throws REFERENCE_NOT_FOUND, INVALID_STATE when it was taken back before. */
export const takeBackAccountPayment = defineAct({
  name: 'accounts.take-back-payment',
  route: 'POST /accounts/{account}/payments/{payment}/take-back',
  id: 'takeBackAccountPayment',
  roles: ACCOUNTANTS,
  summary: 'Reverses a payment into an account that was recorded wrongly. It is kept with the reason, and no longer counts.',
  fields: { account: ACCOUNT, ...TAKE_BACK },
  account: 'account',
  answer: object({ account_id: string, ...payment, ...takenBackMember }),
  command: {
    args: ['account', 'payment'],
    text: ({ account_id, amount, currency, date, payment_id }) => [
      `${account_id}: ${amount} ${currency} on ${date} is taken back (${payment_id})`,
    ],
  },
  async watch(tx, { tenantId }, { account: accountId, payment }) {
    const found = (await listStoredPayments(tx, { tenantId, accountId })).find(({ paymentId }) => paymentId === payment)
    return found && { counted: `${found.takenBack ? 0 : microsToAmount(found.micros)} ${found.currency}` }
  },
  run: ({ store, tenantId, clock, actor }, { account: accountId, payment: paymentId, reason }) =>
    store.transaction(async (tx) => {
      await getAccount(tx, tenantId, accountId)
      const found = (await listStoredPayments(tx, { tenantId, accountId })).find((each) => each.paymentId === paymentId)
      if (!found)
        throw new AdcpError('REFERENCE_NOT_FOUND', `account ${accountId} has no payment ${paymentId}`, { field: 'payment' })
      const takenBack = { at: clock().toISOString(), by: actor.credential, reason }
      if (!(await takeBackStoredPayment(tx, tenantId, paymentId, takenBack)))
        throw new AdcpError('INVALID_STATE', `payment ${paymentId} was taken back before`, { field: 'payment' })
      await requireRefundsCovered(tx, { tenantId, clock }, accountId)
      const { day: date, micros, currency } = found
      const amount = microsToAmount(micros)
      return { account_id: accountId, payment_id: paymentId, amount, currency, date, ...presentTakenBack(takenBack) }
    }),
})

/** The payments into an account. Throws REFERENCE_NOT_FOUND. */
export const listPayments = defineAct({
  name: 'accounts.payments',
  route: 'GET /accounts/{account}/payments',
  id: 'listPayments',
  roles: READERS,
  summary: 'Payments into an account.',
  fields: { account: ACCOUNT },
  answer: pageOf(
    object({ ...payment, reference: about('the note with which it was recorded', orNull(string)), ...takenBackMember }),
  ),
  command: {
    columns: [
      ['DATE', ({ date }) => date],
      ['AMOUNT', ({ amount }) => String(amount)],
      ['CURRENCY', ({ currency }) => currency],
      ['REFERENCE', ({ reference }) => reference ?? ''],
      ['PAYMENT', ({ payment_id: id }) => id],
      ['TAKEN BACK', ({ taken_back: back }) => (back === null ? '' : `by ${back.by}: ${back.reason}`)],
    ],
  },
  async run({ store, tenantId }, { account: accountId }) {
    await getAccount(store.read, tenantId, accountId)
    const payments = await listStoredPayments(store.read, { tenantId, accountId })
    return list(
      payments.map(({ paymentId, day: date, micros, currency, reference = null, takenBack }) => ({
        ...{ payment_id: paymentId, date, amount: microsToAmount(micros), currency, reference },
        ...presentTakenBack(takenBack),
      })),
    )
  },
})

function textOf(limit: { readonly amount: number; readonly currency: string } | undefined): string {
  return limit ? `${limit.amount} ${limit.currency}` : NO_LIMIT
}
