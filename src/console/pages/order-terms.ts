import { PARTY_ROLES, type PartyRole, payerName } from '../../domain/order/order-terms.ts'
import { isPercent, PERCENT, percentOf, readPercent } from '../../operator/basis-points.ts'
import { setOrderTerms, showOrderTerms } from '../../operator/order-terms/order-terms.ts'
import { PARTY_LABELS, type ShownTerms, TERMS_FIELDS } from '../../operator/order-terms/order-terms-fields.ts'
import type { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { storedFormRoute } from '../form-outcome.ts'
import { linesOf } from '../form-text.ts'
import { type Html, html } from '../html.ts'
import { chargesPanel } from '../parts/order-charges.ts'
import { choice, csrfField, facts, field, heading, textArea } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import { filledForm, type Inputs, type SentForm, shownField } from '../shown-form.ts'

const ROLES = { advertiser: 'Advertiser', agency: 'Agency' } as const

/** What the form calls the fields of the act. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ...PARTY_ROLES.flatMap((role) =>
    PARTY_LABELS.map(([member, label]) => [`${role}_${member}`, `${ROLES[role]}: ${label}`] as const),
  ),
  ['billed_to', 'Who pays'],
  ['purchase_order', 'Purchase order'],
  ['sales_person', 'Sales person'],
  ['labels', 'Labels'],
  ['discount', 'Discount'],
  ['commission', 'Commission'],
])

/** What finance and sales know of an order of any origin. */
export const orderTermsRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/orders/{id}/terms', showOrderTerms, (call) => termsPage(call)),
  storedFormRoute('/orders/{id}/terms', setOrderTerms, {
    labels: LABELS,
    read: async (call) => inputsOf(await doAct(call, showOrderTerms, { order: call.params.id ?? '' })),
    save: saveTerms,
    again: termsPage,
  }),
]

/** The terms on the page of the order, with the way to change them, and what is charged beside its delivery. */
export async function termsPanel(call: TenantCall, order: string): Promise<Html> {
  const terms = await doAct(call, showOrderTerms, { order })
  const path = `${call.base}/orders/${encodeURIComponent(order)}/terms`
  return html`<section class="panel"><h2>Terms</h2>${facts([
    ['Advertiser', terms.advertiser?.name],
    ['Agency', terms.agency?.name],
    ['Billed to', payerName(terms.billing_party) || 'nobody'],
    ['Purchase order', terms.purchase_order],
    ['Sales person', terms.sales_person],
    ['Labels', terms.labels.join(', ') || undefined],
    ['Discount', percentText(terms.discount_basis_points)],
    ['Commission', percentText(terms.commission_basis_points)],
  ])}<a class="button" href="${path}">${may(call, setOrderTerms) ? 'Change the terms' : 'Advertiser and agency'}</a> <a class="button" href="${call.base}/billing/charges?order=${encodeURIComponent(order)}">Charges and credits</a> <a class="button" href="${call.base}/orders/${encodeURIComponent(order)}/make-goods">Make-goods</a></section>${await chargesPanel(call, order)}`
}

async function termsPage(call: TenantCall, refusal?: AdcpError): Promise<Answer> {
  const order = call.params.id ?? ''
  const terms = await doAct(call, showOrderTerms, { order })
  const title = 'Terms of the order'
  const shown = may(call, setOrderTerms)
    ? termsForm(call, terms)
    : facts([...partyFacts(terms, 'advertiser'), ...partyFacts(terms, 'agency')])
  const body = html`${heading(title, undefined, order)}
${refusal && html`<p class="notice bad" role="alert">${inLabels(refusal, call.form)}</p>`}
<section class="panel narrow">${shown}</section>`
  return page(title, body, { refusal })
}

function termsForm(call: TenantCall, terms: ShownTerms): Html {
  const { form, base } = call
  const stored = inputsOf(terms)
  const filled = filledForm(form, stored)
  const value = (name: string) => filled.get(name) ?? ''
  const party = (role: PartyRole) =>
    PARTY_LABELS.map(([member, label]) =>
      field(`${role}_${member}`, label, { value: value(`${role}_${member}`), of: TERMS_FIELDS[`${role}_${member}`] }),
    )
  const path = `${base}/orders/${encodeURIComponent(terms.order_id)}`
  const payers = [
    ['advertiser', 'The advertiser'],
    ['agency', 'The agency'],
  ] as const
  const percent = { hint: 'Per cent, at most two decimals.' }
  return html`<form method="post" action="${path}/terms">${csrfField(call)}${shownField(stored)}
<h2>Advertiser</h2>${party('advertiser')}
<h2>Agency</h2>${party('agency')}
<h2>Billing and sales</h2>
${choice('billed_to', 'Who pays (orders of buyers are billed to their account)', payers, value('billed_to'))}
${field('purchase_order', 'Purchase order', { value: value('purchase_order'), of: TERMS_FIELDS.purchase_order })}
${field('sales_person', 'Sales person', { value: value('sales_person'), of: TERMS_FIELDS.sales_person })}
${textArea('labels', 'Labels, one a line', value('labels'))}
${field('discount', 'Discount', { ...percent, value: value('discount') })}
${field('commission', 'Commission of the agency, after the discount', { ...percent, value: value('commission') })}
<button class="primary">Save</button> <a class="button" href="${path}">Back</a></form>`
}

/** What the form shows of terms as they are stored. */
function inputsOf(terms: ShownTerms): Inputs {
  const ofParty = (role: PartyRole) => PARTY_LABELS.map(([member]) => [`${role}_${member}`, terms[role]?.[member] ?? ''] as const)
  return {
    ...Object.fromEntries(PARTY_ROLES.flatMap(ofParty)),
    billed_to: terms.billed_to,
    purchase_order: terms.purchase_order ?? '',
    sales_person: terms.sales_person ?? '',
    labels: terms.labels.join('\n'),
    discount: percentOf(terms.discount_basis_points),
    commission: percentOf(terms.commission_basis_points),
  }
}

function textIn(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? '').trim()
}

function partyFacts(terms: ShownTerms, role: PartyRole) {
  return PARTY_LABELS.map(([member, label]) => [`${ROLES[role]}: ${label}`, terms[role]?.[member]] as const)
}

/** A refusal with the names that the form has. */
function inLabels({ message, field = '' }: AdcpError, form: URLSearchParams): string {
  const input = field.replace('_basis_points', '')
  if (input !== field && !isPercent(textIn(form, input))) return `${LABELS.get(input)} ${PERCENT}.`
  return message.replaceAll(/[a-z_]+/g, (name) => LABELS.get(name) ?? name)
}

async function saveTerms(call: TenantCall, { changedOf }: SentForm): Promise<Answer> {
  const { form, base, params } = call
  const order = params.id ?? ''
  const textOf = (name: string) => textIn(form, name)
  const texts = Object.keys(TERMS_FIELDS).filter((name) => /^(?:advertiser|agency)_|^(?:purchase_order|sales_person)$/.test(name))
  const members = {
    ...Object.fromEntries(texts.map((name) => [name, textOf(name)])),
    billed_to: form.get('billed_to') ?? undefined,
    labels: linesOf(textOf('labels')),
    discount: readPercent(textOf('discount')),
    commission: readPercent(textOf('commission')),
  }
  const { discount, commission, ...others } = changedOf(members)
  const deductions = { discount_basis_points: discount, commission_basis_points: commission }
  await doAct(call, setOrderTerms, { order, ...others, ...deductions })
  return redirect(`${base}/orders/${encodeURIComponent(order)}`, 'changed')
}

function percentText(points: number): string | undefined {
  return points === 0 ? undefined : `${percentOf(points)} %`
}
