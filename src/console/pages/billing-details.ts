import { INVOICE_LANGUAGES } from '../../domain/billing/invoice-words.ts'
import { setInvoicing, showInvoicing } from '../../operator/billing/invoicing-details.ts'
import { INVOICING_FIELDS, type InvoicingDetails } from '../../operator/billing/invoicing-fields.ts'
import type { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { orAgain } from '../form-outcome.ts'
import { inputOf, linesOf, written } from '../form-text.ts'
import { type Html, html } from '../html.ts'
import { choice, csrfField, facts, field, heading, textArea } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import { changedInputs, filledForm, type Inputs, onlyChanged, shownField, whileStored } from '../shown-form.ts'

/** What invoices say of the publisher. */
export const billingDetailRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/billing/details', showInvoicing, (call) => detailsPage(call)),
  actRoute('POST', '/billing/details', setInvoicing, orAgain(saveDetails, detailsPage)),
]

type Member = Exclude<keyof InvoicingDetails, 'rates_as_of'>

/** Members that are one line of text, with their labels. */
const LINES: readonly (readonly [Exclude<Member, 'payment_days' | 'language' | 'tax_rules'>, string])[] = [
  ['legal_name', 'Legal name'],
  ['street', 'Street and number'],
  ['postal_code', 'Postal code'],
  ['city', 'City'],
  ['country', 'Country (two letters)'],
  ['vat_id', 'VAT number'],
  ['tax_id', 'Tax number, where there are no VAT numbers'],
  ['registration_number', 'Registration number'],
  ['email', 'E-mail for questions'],
  ['phone', 'Telephone'],
  ['account_holder', 'Account holder, if another'],
  ['iban', 'IBAN'],
  ['bic', 'BIC'],
]

const LABELS: ReadonlyMap<string, string> = new Map([
  ...LINES,
  ['payment_days', 'Days until an invoice is due'],
  ['language', 'Language'],
  ['tax_rules', 'Tax rules'],
])

async function detailsPage(call: TenantCall, refusal?: AdcpError): Promise<Answer> {
  const details = await doAct(call, showInvoicing, {})
  const body = html`${heading('What invoices say of you', undefined, 'Invoices that are written stay as they are.')}
${refusal && html`<p class="notice bad" role="alert">${refusal.message}</p>`}
<section class="panel narrow">${may(call, setInvoicing) ? detailsForm(call, details) : shown(details)}</section>`
  return page('What invoices say of you', body, { refusal })
}

function detailsForm(call: TenantCall, details: InvoicingDetails): Html {
  const stored = inputsOf(details)
  const filled = filledForm(call.form, stored)
  const value = (name: Member) => filled.get(name) ?? ''
  const languages = INVOICE_LANGUAGES.map((code) => [code, { en: 'English', de: 'German', sv: 'Swedish' }[code]] as const)
  return html`<form method="post" action="${call.base}/billing/details">${csrfField(call)}${shownField(stored)}
${LINES.map(([name, label]) => field(name, label, { value: value(name) }))}
${field('payment_days', 'Days until an invoice is due, where the account has no terms', { value: value('payment_days'), required: true })}
${choice('language', 'Language', [['receiver', 'That of the receiver'], ...languages], value('language'))}
${textArea('tax_rules', 'Tax rules, one a line', value('tax_rules'), { hint: `${INVOICING_FIELDS.tax_rules.about}.` })}
<button class="primary">Save</button></form>`
}

/** What the form shows of the details as they are stored. */
function inputsOf(details: InvoicingDetails): Inputs {
  const { payment_days: days, language, tax_rules: rules } = details
  const lines = Object.fromEntries(LINES.map(([name]) => [name, details[name] ?? '']))
  return { ...lines, payment_days: String(days), language, tax_rules: rules.join('\n') }
}

function shown(details: InvoicingDetails): Html {
  return facts([
    ...LINES.map(([name, label]) => [label, details[name]] as const),
    ['Days until an invoice is due', String(details.payment_days)],
    ['Tax rules', details.tax_rules.join('; ')],
  ])
}

async function saveDetails(call: TenantCall): Promise<Answer> {
  const { form, base } = call
  const textOf = (name: string) => written(form, name) ?? ''
  const read = async (reader: TenantCall) => inputsOf(await doAct(reader, showInvoicing, {}))
  const stored = await read(call)
  const changed = changedInputs(form, stored, LABELS)
  const members = {
    ...Object.fromEntries(LINES.map(([name]) => [name, textOf(name)])),
    payment_days: inputOf(form, 'payment_days', setInvoicing.fields.payment_days),
    language: textOf('language') || 'receiver',
    tax_rules: linesOf(textOf('tax_rules')),
  }
  await doAct(whileStored(call, stored, LABELS, read), setInvoicing, onlyChanged(members, changed))
  return redirect(`${base}/billing/details`, 'changed')
}
