import { closeMonth } from '../../operator/billing/close-month.ts'
import type { Adjustment } from '../../operator/billing/pending-adjustments.ts'
import { averageText, type MonthPreviewLine } from '../../operator/billing/preview-lines.ts'
import type { MonthPreview } from '../../operator/billing/preview-month.ts'
import { may } from '../do-act.ts'
import { count, exactCount, money, unitPrice, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { csrfField, empty, facts, heading, table } from './parts.ts'

const numeric = (title: string) => ({ title, numeric: true })

/** Corrections of closed months, with why. */
export function adjustmentTable(base: string, adjustments: readonly Adjustment[]): Html {
  const rows = adjustments.map((each) => [
    each.service_month,
    html`<a href="${base}/orders/${encodeURIComponent(each.order_id)}">${each.order_name ?? each.order_id}</a>${each.product_name !== null && html`<small>${each.product_name}</small>`}<small class="id">${each.order_id}, ${each.line_id}</small>`,
    each.account_name ?? each.account,
    each.reason ?? 'the ad server counts otherwise now',
    count(each.impressions),
    `${each.amount} ${each.currency}`,
  ])
  return table('Corrections', ['Month', 'Order', 'Billed to', 'Why', numeric('Impressions'), numeric('Before discount')], rows)
}

/** Lines of an invoice as closing would write it. */
export function previewLineTable(base: string, lines: readonly MonthPreviewLine[]): Html {
  const rows = lines.map((line) => {
    const { currency, name, order_name: order, package_id: id, quantity, rate, rate_units: per, unit, reason, kind } = line
    const average = averageText(line.rate_basis)
    const exact = (amount: number) => (amount === 0 ? '–' : unitPrice(amount, currency))
    return [
      html`<a href="${base}/orders/${encodeURIComponent(line.media_buy_id)}">${name}</a>${order !== null && html`<small>${order}</small>`}<small class="id">${id}</small>`,
      html`${words(kind)}${reason !== null && html`<small>${reason}</small>`}`,
      line.service_month,
      quantity === null ? '–' : `${exactCount(quantity)} ${words(unit).toLowerCase()}`,
      rate === null
        ? '–'
        : html`${unitPrice(rate, currency)}${per !== 1 && ` / ${count(per)}`}${average !== undefined && html`<small>${average}</small>`}`,
      ...[line.gross, -line.discount, -line.commission, line.amount].map(exact),
    ]
  })
  const numbers = ['Quantity', 'Rate', 'Gross', 'Discount', 'Commission', 'Before tax'].map(numeric)
  return table('Lines', ['Line', 'What', 'Month', ...numbers], rows)
}

/** What closing a month would come to: invoices, corrections and findings, and the button that closes what was seen. */
export function closePreview(call: TenantCall, preview: MonthPreview): Html {
  const { base } = call
  const { month, invoices, totals, adjustments, findings, digest } = preview
  const rows = invoices.map((each) => [
    each.invoice_id,
    html`${each.account_name ?? each.account}<small class="id" title="${each.account}">${each.account}</small>`,
    html`<a href="${base}/billing/close/lines?month=${month}&amp;invoice=${encodeURIComponent(each.invoice_id)}">${count(each.lines)}</a>`,
    ...[each.total, each.adjustments, each.charges, each.before, each.payable].map((amount) => money(amount, each.currency)),
  ])
  const columns = [
    'Invoice',
    'Account',
    numeric('Lines'),
    numeric('Before tax'),
    numeric('Of it corrections'),
    numeric('Of it charges'),
    numeric('Month before, before tax'),
    numeric('Payable with tax'),
  ]
  const sums = totals.map(
    ({ currency, total, before }) =>
      [`Total in ${currency}, before tax`, `${money(total, currency)}, the month before ${money(before, currency)}`] as const,
  )
  const form =
    may(call, closeMonth) &&
    html`<form method="post" action="${base}/billing/close">${csrfField(call)}<input type="hidden" name="month" value="${month}"><input type="hidden" name="digest" value="${digest}"><button class="primary">Close ${month} for good</button> <a class="button" href="${base}/billing">Leave it open</a></form>`
  return html`${heading(`Close ${month}?`, undefined, 'Nothing is stored yet. A closed month never changes: what is corrected later is on the next invoice.')}
${findings.length > 0 && html`<div class="notice warn"><p>${findings.length} to look at first:</p><ul>${findings.map(({ text }) => html`<li>${text}</li>`)}</ul></div>`}
<section class="panel"><h2>Invoices</h2>${rows.length === 0 ? empty('Nothing was delivered or charged in this month') : table('Invoices', columns, rows)}${facts(sums)}</section>
${adjustments.length > 0 && html`<section class="panel"><h2>Corrections of closed months</h2>${adjustmentTable(base, adjustments)}</section>`}
<section class="panel narrow"><h2>Close it</h2>${form}</section>`
}
