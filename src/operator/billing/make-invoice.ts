import { NET_DAYS, paymentTermsOf } from '../../domain/account/payment-terms.ts'
import { daysOfMonth } from '../../domain/billing/billing-lines.ts'
import { dayAfterDays } from '../../domain/billing/due-date.ts'
import {
  type InvoiceDocument,
  type InvoiceFacts,
  invoiceDocument,
  type LineFacts,
} from '../../domain/billing/invoice-document.ts'
import { countryOf, type InvoiceParty, partyOfEntity } from '../../domain/billing/invoice-party.ts'
import type { Reader } from '../../domain/billing/invoice-reason.ts'
import { languageOf, localeOf } from '../../domain/billing/invoice-words.ts'
import { DEFAULT_PAYMENT_DAYS, type Invoicing } from '../../domain/billing/invoicing.ts'
import { type Tax, taxOf } from '../../domain/billing/tax-rule.ts'
import { localDay } from '../../domain/calendar/local-time.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import type { Invoice } from '../../store/billing/invoices.ts'
import { findInvoicing } from '../../store/billing/invoicing.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import type { OperatorContext } from '../operator-context.ts'

/** What all invoices of a publisher have in common on a day. */
export interface Issuer {
  readonly invoicing: Invoicing
  readonly seller: InvoiceParty
  /** The day of the publisher, `YYYY-MM-DD`. */
  readonly today: string
}

export async function issuerOf({ store, clock }: OperatorContext, tenantId: string): Promise<Issuer> {
  const [invoicing, tenant, zone] = await Promise.all([
    findInvoicing(store.read, tenantId),
    findTenant(store.read, tenantId),
    deliveryZone(store.read, tenantId),
  ])
  return { invoicing, seller: invoicing.party ?? { name: tenant?.name ?? tenantId }, today: localDay(clock(), zone) }
}

/** Who pays: the billing entity of the account, else what the account is called. */
export function buyerOf(accountId: string, account: Invoice['account']): InvoiceParty {
  const name = typeof account.name === 'string' ? account.name : accountId
  return partyOfEntity(account.billing_entity) ?? { name }
}

/** How who pays reads. */
export function readerOf({ invoicing }: Pick<Issuer, 'invoicing'>, buyer: InvoiceParty): Reader {
  const country = countryOf(buyer)
  const language = invoicing.language ?? languageOf(country)
  return { language, locale: localeOf(language, country) }
}

/** What an invoice or a credit note of an account says. Lines have the amounts of the document: a credit note gives back what is positive. */
function makeDocument(
  { invoicing, seller, today }: Issuer,
  facts: Pick<InvoiceFacts, 'kind' | 'number' | 'refersTo' | 'reason' | 'currency'> & {
    readonly tax?: Tax
    readonly month: string
    readonly accountId: string
    readonly account: Invoice['account']
  },
  lines: readonly LineFacts[],
): InvoiceDocument {
  const { accountId, account, month, ...others } = facts
  const buyer = buyerOf(accountId, account)
  const terms = paymentTermsOf(account.payment_terms)
  const days = terms ? NET_DAYS[terms] : (invoicing.paymentDays ?? DEFAULT_PAYMENT_DAYS)
  return invoiceDocument(
    {
      ...others,
      issuedOn: today,
      ...(facts.kind === 'invoice' && { dueOn: dayAfterDays(today, days) }),
      period: daysOfMonth(month),
      language: readerOf({ invoicing }, buyer).language,
      seller,
      buyer,
      buyerReference: accountId,
      tax: facts.tax ?? taxOf(invoicing.party, buyer, invoicing.taxRules, daysOfMonth(month).last),
    },
    lines,
  )
}

/** What closing a month writes for an account: a credit note where corrections and credits are more than what is billed. `tax`: of what it corrects, or of the month of service; absent: that of the month. */
export function makeInvoice(
  issuer: Issuer,
  facts: Pick<Invoice, 'month' | 'account' | 'accountId' | 'currency' | 'createdAt'> & {
    readonly number: string
    readonly tax?: Tax
  },
  lines: readonly LineFacts[],
): { readonly invoice: Invoice; readonly document: InvoiceDocument } {
  const { number, createdAt, tax, ...others } = facts
  const write = (kind: InvoiceFacts['kind'], sign: 1 | -1) =>
    makeDocument(
      issuer,
      { kind, number, ...(tax && { tax }), ...others },
      lines.map((line) => signed(line, sign)),
    )
  const billed = write('invoice', 1)
  const sign = billed.exactMicros < 0 ? -1 : 1
  const document = sign === 1 ? billed : write('credit_note', -1)
  const { payableMicros, dueOn, exactMicros } = document
  const invoice = { invoiceId: number, createdAt, ...others, totalMicros: sign * exactMicros }
  return {
    invoice: { ...invoice, payableMicros: sign * payableMicros, ...(dueOn !== undefined && { dueOn }) },
    document,
  }
}

/** A line of a credit note gives back what it would bill. */
export function signed(line: LineFacts, sign: 1 | -1): LineFacts {
  if (sign === 1) return line
  return {
    ...line,
    grossMicros: -line.grossMicros || 0,
    ...(line.quantity !== undefined && { quantity: -line.quantity || 0 }),
  }
}
