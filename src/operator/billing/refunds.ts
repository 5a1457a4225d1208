import { balancesOf, settle } from '../../domain/billing/settlement.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { microsToAmount } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { settlementFacts } from '../../store/billing/invoice-payments.ts'
import { findRefund, insertRefund, listRefunds, type Refund, takeBackStoredRefund } from '../../store/billing/refunds.ts'
import { advanceBook } from '../../store/book-revision.ts'
import type { Db } from '../../store/database.ts'
import { PAYMENT_FIELDS } from '../accounts/account-money.ts'
import { ACCOUNT, OF_ACCOUNT } from '../accounts/list-accounts.ts'
import { paymentDay } from '../accounts/payment-day.ts'
import { type ActContext, defineAct } from '../act.ts'
import { amountText, numberText, readPaidAmount } from '../amount.ts'
import { currency, DEFAULT_PAGE, logged, paged, required } from '../fields.ts'
import { publisherDay } from '../publisher-day.ts'
import { ACCOUNTANTS, READERS } from '../roles.ts'
import { about, list, moment, named, number, type Of, object, orNull, pageOf, string } from '../shape.ts'
import { presentTakenBack, TAKE_BACK, takenBackMember } from '../taken-back.ts'
import { idText } from '../text-form.ts'
import { namePayers } from './name-billed.ts'

// Several acts in one file: they list, change and remove the same thing.

const members = {
  refund_id: string,
  account: about('the account, or who pays for orders without one', string),
  account_name: orNull(string),
  amount: number,
  currency: about('ISO 4217', string),
  date: string,
  reference: orNull(string),
  recorded_at: moment,
  recorded_by: string,
  ...takenBackMember,
}
const refundShape = named('Refund', object(members))
const answer = object({ ...members, credit: about('what the customer has left of it in this currency', number) })

/** What was paid back to customers, the newest first. */
export const showRefunds = defineAct({
  name: 'billing.refunds',
  route: 'GET /billing/refunds',
  id: 'listRefunds',
  roles: READERS,
  summary: 'What was paid back to customers of their credit, as it was recorded, the newest first.',
  fields: { account: OF_ACCOUNT, ...paged('refunds') },
  answer: pageOf(refundShape),
  command: {
    columns: [
      ['DATE', ({ date }) => date],
      ['PAID BACK TO', ({ account, account_name: name }) => name ?? account],
      ['AMOUNT', ({ amount, currency }) => `${amountText(amount, currency)} ${currency}`],
      ['REFERENCE', ({ reference }) => reference ?? ''],
      ['REFUND', ({ refund_id: id }) => id],
      ['TAKEN BACK', ({ taken_back: back }) => (back === null ? '' : `by ${back.by}: ${back.reason}`)],
    ],
  },
  async run(context, { account: accountId, cursor, limit = DEFAULT_PAGE }) {
    const { store, tenantId } = context
    const bound = ['refunds', tenantId, accountId]
    const [recordedAt = '', refundId = ''] = decodeCursor(bound, cursor, 'cursor')?.split(' ') ?? []
    const after = cursor === undefined ? undefined : { recordedAt, refundId }
    const found = await listRefunds(store.read, tenantId, { accountId, after, limit: limit + 1 })
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    const names = await namePayers(
      context,
      tenantId,
      shown.map((each) => each.accountId),
    )
    return list(
      shown.map((each) => presentRefund(each, names)),
      last ? encodeCursor(bound, `${last.recordedAt} ${last.refundId}`) : null,
    )
  },
})

/**
 * Records what was paid back to a customer. Throws REFERENCE_NOT_FOUND for one without credit in the currency, INVALID_REQUEST for an amount of nothing or of more than the credit, and for a day to come.
 */
export const recordRefund = defineAct({
  name: 'billing.record-refund',
  route: 'POST /billing/refunds',
  id: 'recordRefund',
  roles: ACCOUNTANTS,
  summary:
    'Records what was paid back to a customer: at most the credit, which is what was paid and credited beyond what the invoices ask for.',
  fields: {
    account: ACCOUNT,
    amount: required(numberText('e.g. 1200.50, at most the credit')),
    currency: currency('ISO 4217, e.g. EUR; default: the only one in which the customer has credit'),
    ...PAYMENT_FIELDS,
  },
  account: 'account',
  answer,
  command: { args: ['account', 'amount'], text: refundLines },
  async run(context, { account: accountId, amount, currency: asked, date, reference }) {
    const { store, tenantId, clock, actor, noteSubject, noteChanges } = context
    const written = await store.transaction(async (tx) => {
      // First, so that no other refund is decided from the same credit.
      await advanceBook(tx, tenantId)
      const { currency, micros: credit } = await creditOf(tx, context, accountId, asked)
      const micros = readPaidAmount(amount, currency)
      if (micros > credit)
        throw new AdcpError('INVALID_REQUEST', `amount must be at most the credit, ${textOf(credit, currency)}`, {
          field: 'amount',
        })
      const day = await paymentDay(tx, context, date)
      const paid = { accountId, currency, day, micros, reference: reference || undefined }
      const refundId = await insertRefund(tx, tenantId, paid, { now: clock(), by: actor.credential })
      noteSubject(refundId)
      noteChanges({ credit: [textOf(credit, currency), textOf(credit - micros, currency)] })
      return { refundId, credit: credit - micros }
    })
    return shown(context, written.refundId, written.credit)
  },
})

/** Takes back a refund that was recorded wrongly; both stay. Throws REFERENCE_NOT_FOUND, INVALID_STATE when it was taken back before. */
export const takeBackRefund = defineAct({
  name: 'billing.take-back-refund',
  route: 'POST /billing/refunds/{refund}/take-back',
  id: 'takeBackRefund',
  roles: ACCOUNTANTS,
  summary: 'Reverses a refund that was recorded wrongly. It is kept with the reason, and no longer counts.',
  fields: { refund: logged(required(idText('id of the refund'))), reason: TAKE_BACK.reason },
  subject: 'refund',
  answer,
  command: { args: ['refund'], text: refundLines },
  async run(context, { refund: refundId, reason }) {
    const { store, tenantId, clock, actor, noteChanges } = context
    const credit = await store.transaction(async (tx) => {
      await advanceBook(tx, tenantId)
      const found = await findRefund(tx, tenantId, refundId)
      if (!found) throw new AdcpError('REFERENCE_NOT_FOUND', `there is no refund ${refundId}`, { field: 'refund' })
      const { accountId, currency, micros } = found
      const takenBack = { at: clock().toISOString(), by: actor.credential, reason }
      if (!(await takeBackStoredRefund(tx, tenantId, refundId, takenBack)))
        throw new AdcpError('INVALID_STATE', `refund ${refundId} was taken back before`, { field: 'refund' })
      const { micros: after } = await creditOf(tx, context, accountId, currency)
      noteChanges({ credit: [textOf(after - micros, currency), textOf(after, currency)] })
      return after
    })
    return shown(context, refundId, credit)
  },
})

/** The credit of a customer in a currency; without one, in the only one that it is in. */
async function creditOf(tx: Db, context: ActContext, accountId: string, asked: string | undefined) {
  const facts = await settlementFacts(tx, context.tenantId, accountId)
  const balances = balancesOf(facts, settle(facts, await publisherDay(tx, context)))
  const own = balances.filter(({ micros, currency }) => micros > 0 && (asked === undefined || currency === asked))
  const [first, other] = own
  if (!first) {
    const where = asked === undefined ? '' : ` in ${asked}`
    const message = `${accountId} has no credit${where}: what was paid or credited beyond what its invoices ask for (billing invoices lists it)`
    throw new AdcpError('REFERENCE_NOT_FOUND', message, { field: asked === undefined ? 'account' : 'currency' })
  }
  if (other) {
    const each = own.map(({ currency, micros }) => textOf(micros, currency)).join(', ')
    throw new AdcpError('INVALID_REQUEST', `currency is required: ${accountId} has credit of ${each}`, { field: 'currency' })
  }
  return first
}

async function shown(context: ActContext, refundId: string, credit: number): Promise<Of<typeof answer>> {
  const { store, tenantId } = context
  const found = await findRefund(store.read, tenantId, refundId)
  if (!found) throw new Error(`refund ${refundId} was not written`)
  return { ...presentRefund(found, await namePayers(context, tenantId, [found.accountId])), credit: microsToAmount(credit) }
}

function presentRefund(refund: Refund, names: ReadonlyMap<string, string>): Of<typeof refundShape> {
  const { refundId: refund_id, accountId: account, micros, currency, day: date, reference = null, takenBack } = refund
  return {
    ...{
      refund_id,
      account,
      account_name: names.get(account) ?? null,
      amount: microsToAmount(micros),
      currency,
      date,
      reference,
    },
    ...{ recorded_at: refund.recordedAt, recorded_by: refund.recordedBy, ...presentTakenBack(takenBack) },
  }
}

function textOf(micros: number, currency: string): string {
  return `${amountText(microsToAmount(micros), currency)} ${currency}`
}

/** Of the whole answer: the type of an act is inferred from it too. */
function refundLines({
  account,
  account_name: name,
  amount,
  currency,
  date,
  refund_id: id,
  credit,
  taken_back,
}: Of<typeof answer>) {
  const left = `${amountText(credit, currency)} ${currency}`
  const what = taken_back === null ? `paid back on ${date}` : 'is taken back'
  return [`${name ?? account}: ${amountText(amount, currency)} ${currency} ${what} (${id}); ${left} of credit is left`]
}
