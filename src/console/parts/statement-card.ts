import type { ReportStatement } from '../../operator/reports/report-statements.ts'
import { day, moment, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { facts } from './parts.ts'

/** A report that a buyer contradicts, with the way to where that is settled. */
export function statementCard(call: TenantCall, statement: ReportStatement): Html {
  const { issue, buyer, account, period_start: start, said, code, recorded_at: at } = statement
  const key = (issue ?? '').replaceAll(/[^\w-]/g, '_')
  return html`<article class="decision" id="d-${key}" tabindex="-1" aria-labelledby="t-${key}">
<header><h2 id="t-${key}">A buyer contradicts a report</h2></header>
${facts([
  ['Buyer', buyer],
  ['Account', account],
  ['Day', day(start.slice(0, 10))],
  ['Said', code === null ? words(said) : `${words(said)}: ${words(code)}`],
  ['Recorded', moment(at)],
])}
<div class="acts"><a class="button" href="${call.base}/reports/statements#d-${key}">Settle it</a></div>
</article>`
}
