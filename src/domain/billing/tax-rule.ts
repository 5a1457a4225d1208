import { AdcpError } from '../../protocol/errors.ts'
import { isDay } from '../calendar/instant.ts'
import { countryOf, type InvoiceParty } from './invoice-party.ts'
import { isInEu, VAT_RATES } from './vat-rates.ts'

/** How an invoice is taxed: at a rate, by the buyer (reverse charge), or not at all, with the reason as the publisher states it. */
export type Tax =
  | { readonly kind: 'rate'; readonly percent: number }
  | { readonly kind: 'reverse_charge' }
  | { readonly kind: 'outside_scope' }
  | { readonly kind: 'exempt'; readonly reason: string }

/** A rule of the publisher: what holds for buyers of a country, of the European Union (`EU`), or of anywhere (`*`). */
export interface TaxRule {
  readonly where: string
  /** `business`: those with a VAT number; absent: all. */
  readonly who?: 'business' | 'other'
  /** First and last day of service, `YYYY-MM-DD`, on which it holds; absent: there is none. */
  readonly from?: string
  readonly until?: string
  readonly tax: Tax
}

/**
 * The tax of services that are supplied on a day. The publisher's rules of that day come first, in their order. Without one that fits: at home the standard rate of the country; within the European Union buyers with a
 * VAT number owe the tax themselves (Directive 2006/112/EC, articles 44 and 196), others pay the rate of the seller's country (article 45); everything else is outside the scope, and so is
 * everything that a seller sells who has no VAT number. Services that are billed by the month are supplied at its end (article 64), so that the day of a month is its last.
 */
export function taxOf(seller: InvoiceParty | undefined, buyer: InvoiceParty, rules: readonly TaxRule[], day: string): Tax {
  const rule = taxRuleOf(buyer, rules, day)
  if (rule) return rule.tax
  const [home, there] = [seller && countryOf(seller), countryOf(buyer)]
  if (home === undefined || seller?.vatId === undefined) return { kind: 'outside_scope' }
  const percent = VAT_RATES[home]
  const standard: Tax = percent === undefined ? { kind: 'outside_scope' } : { kind: 'rate', percent }
  if (there === undefined || there === home) return standard
  if (!isInEu(home) || !isInEu(there)) return { kind: 'outside_scope' }
  return buyer.vatId === undefined ? standard : { kind: 'reverse_charge' }
}

/** The rule of a publisher that says the tax of a day; undefined: none does, and what holds by default says it. */
export function taxRuleOf(buyer: InvoiceParty, rules: readonly TaxRule[], day: string): TaxRule | undefined {
  const there = countryOf(buyer)
  const isBusiness = buyer.vatId !== undefined
  return rules.find(
    ({ where, who, from = day, until = day }) =>
      fits(where, there) && (who === undefined || (who === 'business') === isBusiness) && from <= day && day <= until,
  )
}

function fits(where: string, country: string | undefined): boolean {
  if (where === '*') return true
  return country !== undefined && (where === country || (where === 'EU' && isInEu(country)))
}

/** How a rule is written: `DE=19`, `EU/business=reverse_charge`, `DE@2027-01-01=20`, `DE/other@2026-07-01..2026-12-31=16`, `*@..2026-12-31=outside_scope`, `NO=exempt: the reason`. */
const RULE = /^([A-Z]{2}|\*)(?:\/(business|other))?(?:@([\d.-]{1,22}))?=(.{1,200})$/
const MOST_PERCENT = 100

/** Reads a rule as people write it. Throws INVALID_REQUEST, naming `field`, for what is none. */
export function readTaxRule(text: string, field: string): TaxRule {
  const [, where, who, when, what = ''] = RULE.exec(text) ?? []
  const tax = where === undefined ? undefined : readTax(what.trim())
  const days = when === undefined ? {} : readDays(when)
  if (where === undefined || !tax || !days) {
    const message = `"${text.slice(0, 80)}" is no tax rule: write COUNTRY[/business or /other][@DAYS]=TAX, where COUNTRY is two capital letters, EU or *, DAYS the first day on which it holds, or FIRST..LAST or ..LAST, such as 2027-01-01, and TAX is a per cent from 0 to 100, reverse_charge, outside_scope or exempt:REASON, e.g. DE=19 or DE@2027-01-01=20 or EU/business=reverse_charge`
    throw new AdcpError('INVALID_REQUEST', message, { field })
  }
  return { where, ...((who === 'business' || who === 'other') && { who }), ...days, tax }
}

/** Days of a rule as people write them: `2027-01-01` (from then on), `2026-07-01..2026-12-31`, `..2026-12-31`; undefined: they are none. */
function readDays(text: string): Pick<TaxRule, 'from' | 'until'> | undefined {
  const [from = '', until = '', ...more] = text.split('..')
  const named = [from, until].filter((day) => day !== '')
  if (more.length > 0 || named.length === 0 || !named.every(isDay)) return undefined
  if (named.length === 2 && from > until) return undefined
  return { ...(from !== '' && { from }), ...(until !== '' && { until }) }
}

/** A rule as people write it. */
export function taxRuleText({ where, who, from, until, tax }: TaxRule): string {
  const days = until === undefined ? from : `${from ?? ''}..${until}`
  return `${where}${who === undefined ? '' : `/${who}`}${days === undefined ? '' : `@${days}`}=${taxText(tax)}`
}

function taxText(tax: Tax): string {
  if (tax.kind === 'rate') return String(tax.percent)
  return tax.kind === 'exempt' ? `exempt:${tax.reason}` : tax.kind
}

function readTax(text: string): Tax | undefined {
  if (text === 'reverse_charge' || text === 'outside_scope') return { kind: text }
  if (text.startsWith('exempt:')) {
    const reason = text.slice('exempt:'.length).trim()
    return reason === '' ? undefined : { kind: 'exempt', reason }
  }
  const percent = /^\d{1,3}(?:\.\d{1,2})?$/.test(text) ? Number(text) : Number.NaN
  return percent >= 0 && percent <= MOST_PERCENT ? { kind: 'rate', percent } : undefined
}

/** The category of a tax (UNCL5305), with its percentage and the reason of the CEF why there is none (VATEX). */
export function taxCategory(tax: Tax): { readonly id: string; readonly percent: number | undefined; readonly code?: string } {
  switch (tax.kind) {
    case 'rate':
      return { id: tax.percent === 0 ? 'Z' : 'S', percent: tax.percent }
    case 'reverse_charge':
      return { id: 'AE', percent: 0, code: 'VATEX-EU-AE' }
    case 'outside_scope':
      return { id: 'O', percent: undefined, code: 'VATEX-EU-O' }
    case 'exempt':
      return { id: 'E', percent: 0 }
  }
}
