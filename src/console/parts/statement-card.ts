import type { ReportStatement } from '../../operator/reports/report-statements.ts'
import { day, moment, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { facts } from './parts.ts'

/** What a decision about it is called. */
export function titleOfStatement({ about }: ReportStatement): string {
  if (about === 'report') return 'A buyer contradicts a report'
  return about === 'files' ? 'A buyer rejects a billing report' : 'A buyer rejects a correction of a billing report'
}

/** What the buyer said, in words. */
export function saidText({ said, code }: ReportStatement): string {
  if (said === null) return 'Nothing yet'
  return code === null ? words(said) : `${words(said)}: ${words(code)}`
}

/** A report that a buyer contradicts or rejects, with the way to where that is settled. */
export function statementCard(call: TenantCall, statement: ReportStatement): Html {
  const { issue, buyer, account, period_start: start, recorded_at: at } = statement
  const key = (issue ?? '').replaceAll(/[^\w-]/g, '_')
  return html`<article class="decision" id="d-${key}" tabindex="-1" aria-labelledby="t-${key}">
<header><h2 id="t-${key}">${titleOfStatement(statement)}</h2></header>
${facts([
  ['Buyer', buyer],
  ['Account', account],
  ['Day', day(start.slice(0, 10))],
  ['Said', saidText(statement)],
  ['Recorded', at === null ? undefined : moment(at)],
])}
<div class="acts"><a class="button" href="${call.base}/reports/statements#d-${key}">Settle it</a></div>
</article>`
}
