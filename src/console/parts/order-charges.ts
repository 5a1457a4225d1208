import { showCharges } from '../../operator/billing/charges.ts'
import { doAct } from '../do-act.ts'
import { moment, money } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { statusBadge, table } from './parts.ts'

/** What charges are that nobody enters. */
const KINDS = { cancellation: 'Fee of the cancellation', make_good: 'Make-good' } as const

/** Charges of a page of an order; all of them are on the page of charges. */
const SHOWN = 20

/** What is charged for an order, or given back, beside its delivery, such as the fee of its cancellation; nothing where there is none. */
export async function chargesPanel(call: TenantCall, order: string): Promise<Html | false> {
  const { items, next_cursor: next } = await doAct(call, showCharges, { order, limit: SHOWN })
  if (items.length === 0) return false
  const { base } = call
  const rows = items.map(({ incurred_at: at, kind, line_id: line, amount, currency, reason, state, invoice_id: invoice }) => [
    moment(at),
    html`${kind === 'entered' ? (amount < 0 ? 'Credit' : 'Charge') : KINDS[kind]}${line !== null && html`<small>${line}</small>`}`,
    reason,
    money(amount, currency),
    invoice === null
      ? statusBadge(state)
      : html`${statusBadge(state)} <a href="${base}/billing/${encodeURIComponent(invoice)}">${invoice}</a>`,
  ])
  const all = html`<p class="foot"><a href="${base}/billing/charges?order=${encodeURIComponent(order)}">${next === null ? 'Charges and credits' : 'All charges and credits'}</a></p>`
  return html`<section class="panel"><h2>Charges and credits</h2>${table('Charges and credits', ['Since', 'What', 'Reason', { title: 'Amount without tax', numeric: true }, 'State'], rows)}${all}</section>`
}
