import { listReportStatements, type ReportStatement } from '../../operator/reports/report-statements.ts'
import { settleStatement } from '../../operator/reports/settle-statement.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { written } from '../form-text.ts'
import { day, moment } from '../format.ts'
import { type Html, html } from '../html.ts'
import { csrfField, empty, heading, limits, table } from '../parts/parts.ts'
import { saidText } from '../parts/statement-card.ts'
import { STATEMENT_COLUMNS, statementCells } from '../parts/statement-table.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'

/** What buyers say of their reports, and what is made of it. */
export const reportStatementRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/reports/statements', listReportStatements, statementsPage),
  actRoute('POST', '/reports/statements/{issue}/settle', settleStatement, settle),
]

async function statementsPage(call: TenantCall): Promise<Answer> {
  const { items } = await doAct(call, listReportStatements, {})
  const open = items.filter(({ state }) => state === 'open' || state === 'acknowledged')
  const cards = open.map((each) => card(call, each))
  const rows = items.map((each) => [each.buyer, each.account, ...statementCells(each)])
  const none = empty(
    'No buyer has said anything yet',
    'Buyers say here whether they have received their reports, and accept or reject the files for billing.',
  )
  const back = html`<a class="button" href="${call.base}/reports">Reports</a>`
  const body = html`${heading('What buyers say of reports', back, 'The newest of each report, of its files and of corrections, of the last 35 days.')}
${cards}
${items.length === 0 ? none : html`<section class="panel">${table('Statements', ['Buyer', 'Account', ...STATEMENT_COLUMNS], rows)}</section>`}`
  return page('What buyers say of reports', body)
}

function card(call: TenantCall, statement: ReportStatement): Html {
  const { issue, buyer, account, period_start: start, orders, responsible, settled } = statement
  const key = (issue ?? '').replaceAll(/[^\w-]/g, '_')
  const links = orders.map((id) => html` <a href="${call.base}/orders/${encodeURIComponent(id)}">${id}</a>`)
  return html`<section class="panel" id="d-${key}"><h2>${day(start.slice(0, 10))}: ${saidText(statement)}</h2>
<p>${buyer}, account ${account}. ${responsible === 'buyer' ? 'The buyer has to read the report again.' : 'Find out what the buyer got.'} Orders:${links}.</p>
${settled && html`<p>Taken up by ${settled.by}, ${moment(settled.at)}. ${settled.note}</p>`}
${issue !== null && may(call, settleStatement) && form(call, statement, issue, key)}</section>`
}

function form(call: TenantCall, { about }: ReportStatement, issue: string, key: string): Html {
  const { agreed_with, finding, charge } = settleStatement.fields
  const line = (name: string, label: string, field: typeof finding) =>
    html`<div class="field"><label for="${name}-${key}">${label}</label><input id="${name}-${key}" name="${name}"${limits(field)}></div>`
  return html`<form method="post" action="${call.base}/reports/statements/${encodeURIComponent(issue)}/settle">${csrfField(call)}
${line('finding', 'What was found out or done', finding)}${line('charge', 'Charge or credit that makes up for it', charge)}${about === 'report' && line('agreed_with', 'Who at the buyer agreed to leave it at that', agreed_with)}
 <button name="settle_as" value="acknowledged">Take it up</button> <button name="settle_as" value="adjusted">Correct by the charge or credit</button>${about === 'report' && html` <button class="danger" name="settle_as" value="waived">Leave it at that</button>`}</form>`
}

async function settle(call: TenantCall): Promise<Answer> {
  const { form: sent, params, base } = call
  await doAct(call, settleStatement, {
    issue: params.issue,
    settle_as: settleStatement.fields.settle_as.parse?.(sent.get('settle_as') ?? ''),
    agreed_with: written(sent, 'agreed_with'),
    finding: written(sent, 'finding'),
    charge: written(sent, 'charge'),
  })
  return redirect(`${base}/reports/statements`, 'changed')
}
