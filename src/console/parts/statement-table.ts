import { listReportStatements, type ReportStatement } from '../../operator/reports/report-statements.ts'
import { doAct, may } from '../do-act.ts'
import { day, moment, words } from '../format.ts'
import { type Html, html, type Part } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { statusBadge, table } from './parts.ts'
import { saidText } from './statement-card.ts'

/** Rows of one panel; the page of all has the others. */
const MOST_ROWS = 35

/** Columns of {@link statementCells}. */
export const STATEMENT_COLUMNS = ['Day', 'About', 'Said', 'State', 'Recorded']

/** What a buyer said of one report, its files or a correction. */
export function statementCells(statement: ReportStatement): readonly Part[] {
  const { about, period_start: start, state, recorded_at: at } = statement
  return [day(start.slice(0, 10)), words(about), saidText(statement), statusBadge(state), at === null ? '' : moment(at)]
}

/** What buyers say of the reports of one account or order; nothing where nothing was said and nothing is due. */
export async function statementsPanel(
  call: TenantCall,
  of: { readonly account?: string; readonly order?: string },
): Promise<Html | undefined> {
  if (!may(call, listReportStatements)) return undefined
  const { items } = await doAct(call, listReportStatements, of)
  if (items.length === 0) return undefined
  const more = html`<p class="soft"><a href="${call.base}/reports/statements">What buyers say of reports</a> has all, and settles what is contradicted or rejected.</p>`
  return html`<section class="panel"><h2>What the buyer says of its reports</h2>${table('What the buyer says of its reports', STATEMENT_COLUMNS, items.slice(0, MOST_ROWS).map(statementCells))}${more}</section>`
}
