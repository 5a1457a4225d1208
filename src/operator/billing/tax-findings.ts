import { daysOfMonth, monthBefore } from '../../domain/billing/billing-lines.ts'
import type { InvoiceParty } from '../../domain/billing/invoice-party.ts'
import { type Tax, type TaxRule, taxRuleOf, taxRuleText } from '../../domain/billing/tax-rule.ts'
import type { PreparedInvoice } from './prepare-month.ts'
import { isTaxedAs } from './taxed-apart.ts'

/** What is to be looked at of the tax of an invoice. */
interface TaxFinding {
  readonly kind: 'tax_changed'
  readonly subject: string
  readonly text: string
}

/** An invoice that is taxed otherwise than that of the month before (`before`), with the rule by which it is, and one of corrections or earlier months at the tax of these. */
export function taxFindings(
  { invoice: { invoiceId, accountId, month }, document: { buyer, tax, lines }, isTaxedApart }: PreparedInvoice,
  before: readonly PreparedInvoice['invoice'][],
  rules: readonly TaxRule[],
): readonly TaxFinding[] {
  const find = (text: string) => [
    { kind: 'tax_changed' as const, subject: accountId, text: `invoice ${invoiceId} to ${buyer.name} ${text}` },
  ]
  if (isTaxedApart) {
    const ofOthers = lines.some(({ ofInvoice }) => ofInvoice !== undefined)
    const months = [...new Set(lines.map(({ serviceMonth }) => serviceMonth))].sort().join(', ')
    const what = ofOthers
      ? 'holds corrections alone, with the tax of what they correct'
      : `holds what is of ${months} alone, with the tax of that time`
    return find(`${what} (${taxText(tax)}), which is not that of ${month}`)
  }
  const [other] = before
  if (!other || before.some((each) => isTaxedAs(each, tax))) return []
  return find(`is taxed with ${taxText(tax)}, ${other.invoiceId} of the month before was not: ${whyChanged(buyer, rules, month)}`)
}

/** When the tax of a customer changed, by the days of the rules; else that no rule says when. */
function whyChanged(buyer: InvoiceParty, rules: readonly TaxRule[], month: string): string {
  const [now, was] = [month, monthBefore(month)].map((each) => taxRuleOf(buyer, rules, daysOfMonth(each).last))
  if (now !== was && now?.from !== undefined && now.from > daysOfMonth(monthBefore(month)).last)
    return `the rule ${taxRuleText(now)} holds since ${now.from}`
  if (now !== was && was?.until !== undefined && was.until < daysOfMonth(month).last)
    return `the rule ${taxRuleText(was)} held until ${was.until}`
  const { where, who, tax } = now ?? { where: 'SE', who: undefined, tax: { kind: 'rate' as const, percent: 20 } }
  const dated = taxRuleText({ where, ...(who && { who }), from: `${month}-01`, tax })
  return `what was delivered before the day of a change has the earlier tax; a rule that has a first day, such as ${dated}, says it`
}

function taxText(tax: Tax): string {
  return tax.kind === 'rate' ? `${tax.percent} %` : taxRuleText({ where: '*', tax }).slice(2).replaceAll('_', ' ')
}
