import { INVOICE_LANGUAGES } from '../../domain/billing/invoice-words.ts'
import { setInvoicing, showInvoicing } from '../../operator/billing/invoicing-details.ts'
import { INVOICING_FIELDS, type InvoicingDetails } from '../../operator/billing/invoicing-fields.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { storedFormRoute, withRefusal } from '../form-outcome.ts'
import { inputOf, linesOf, written } from '../form-text.ts'
import { type Html, html } from '../html.ts'
import { choice, csrfField, facts, field, heading, textArea } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import { filledForm, type Inputs, type SentForm, shownField } from '../shown-form.ts'

type Member = Exclude<keyof InvoicingDetails, 'rates_as_of'>

/** Members that are one line of text, with their labels. */
const LINES: readonly (readonly [Exclude<Member, 'payment_days' | 'language' | 'tax_rules'>, string])[] = [
  ['legal_name', 'Legal name'],
  ['street', 'Street and number'],
  ['postal_code', 'Postal code'],
  ['city', 'City'],
  ['country', 'Country'],
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

/** What invoices say of the publisher. */
export const billingDetailRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/billing/details', showInvoicing, detailsPage),
  storedFormRoute('/billing/details', setInvoicing, {
    labels: LABELS,
    read: async (call) => inputsOf(await doAct(call, showInvoicing, {})),
    save: saveDetails,
    again: withRefusal(detailsPage),
  }),
]

async function detailsPage(call: TenantCall): Promise<Answer> {
  const details = await doAct(call, showInvoicing, {})
  const body = html`${heading('What invoices say of you', undefined, 'Invoices that are written stay as they are.')}
<section class="panel narrow">${may(call, setInvoicing) ? detailsForm(call, details) : shown(details)}</section>`
  return page('What invoices say of you', body)
}

function detailsForm(call: TenantCall, details: InvoicingDetails): Html {
  const stored = inputsOf(details)
  const filled = filledForm(call.form, stored)
  const value = (name: Member) => filled.get(name) ?? ''
  const languages = INVOICE_LANGUAGES.map((code) => [code, { en: 'English', de: 'German', sv: 'Swedish' }[code]] as const)
  return html`<form method="post" action="${call.base}/billing/details">${csrfField(call)}${shownField(stored)}
${LINES.map(([name, label]) => field(name, label, { value: value(name), of: INVOICING_FIELDS[name] }))}
${field('payment_days', 'Days until an invoice is due, where the account has no terms', { value: value('payment_days'), of: setInvoicing.fields.payment_days, required: true })}
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

async function saveDetails(call: TenantCall, { changedOf }: SentForm): Promise<Answer> {
  const { form, base } = call
  const textOf = (name: string) => written(form, name) ?? ''
  const members = {
    ...Object.fromEntries(LINES.map(([name]) => [name, textOf(name)])),
    payment_days: inputOf(form, 'payment_days', setInvoicing.fields.payment_days),
    language: form.get('language') ?? undefined,
    tax_rules: linesOf(textOf('tax_rules')),
  }
  await doAct(call, setInvoicing, changedOf(members))
  return redirect(`${base}/billing/details`, 'changed')
}
