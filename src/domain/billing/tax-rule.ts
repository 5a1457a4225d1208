import { AdcpError } from '../../protocol/errors.ts'
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
  readonly tax: Tax
}

/**
 * The tax of an invoice for services. The publisher's rules come first, in their order. Without one that fits: at home the standard rate of the country; within the European Union buyers with a
 * VAT number owe the tax themselves (Directive 2006/112/EC, articles 44 and 196), others pay the rate of the seller's country (article 45); everything else is outside the scope, and so is
 * everything that a seller sells who has no VAT number.
 */
export function taxOf(seller: InvoiceParty | undefined, buyer: InvoiceParty, rules: readonly TaxRule[]): Tax {
  const [home, there] = [seller && countryOf(seller), countryOf(buyer)]
  const isBusiness = buyer.vatId !== undefined
  const rule = rules.find(({ where, who }) => fits(where, there) && (who === undefined || (who === 'business') === isBusiness))
  if (rule) return rule.tax
  if (home === undefined || seller?.vatId === undefined) return { kind: 'outside_scope' }
  const percent = VAT_RATES[home]
  const standard: Tax = percent === undefined ? { kind: 'outside_scope' } : { kind: 'rate', percent }
  if (there === undefined || there === home) return standard
  if (!isInEu(home) || !isInEu(there)) return { kind: 'outside_scope' }
  return isBusiness ? { kind: 'reverse_charge' } : standard
}

function fits(where: string, country: string | undefined): boolean {
  if (where === '*') return true
  return country !== undefined && (where === country || (where === 'EU' && isInEu(country)))
}

/** How a rule is written: `DE=19`, `EU/business=reverse_charge`, `*=outside_scope`, `NO=exempt: the reason`. */
const RULE = /^([A-Z]{2}|\*)(?:\/(business|other))?=(.{1,200})$/
const MOST_PERCENT = 100

/** Reads a rule as people write it. Throws INVALID_REQUEST, naming `field`, for what is none. */
export function readTaxRule(text: string, field: string): TaxRule {
  const [, where, who, what = ''] = RULE.exec(text) ?? []
  const tax = where === undefined ? undefined : readTax(what.trim())
  if (where === undefined || !tax) {
    const message = `"${text.slice(0, 80)}" is no tax rule: write COUNTRY[/business or /other]=TAX, where COUNTRY is two capital letters, EU or *, and TAX is a per cent from 0 to 100, reverse_charge, outside_scope or exempt:REASON, e.g. DE=19 or EU/business=reverse_charge`
    throw new AdcpError('INVALID_REQUEST', message, { field })
  }
  return { where, ...((who === 'business' || who === 'other') && { who }), tax }
}

/** A rule as people write it. */
export function taxRuleText({ where, who, tax }: TaxRule): string {
  return `${where}${who === undefined ? '' : `/${who}`}=${taxText(tax)}`
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
