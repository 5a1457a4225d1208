import { SIDES } from '../../domain/party.ts'
import { RETENTION_DAYS } from '../../domain/reporting/offering.ts'
import { OF_ACCOUNT } from '../accounts/list-accounts.ts'
import { defineAct } from '../act.ts'
import { between, count, oneOf } from '../fields.ts'
import { READERS } from '../roles.ts'
import { about, list, listOf, moment, named, type Of, object, orNull, pageOf, string, word } from '../shape.ts'
import { idText } from '../text-form.ts'
import { type BuyerStatement, STATEMENT_STATES, STATEMENT_SUBJECTS } from './buyer-statement.ts'
import { buyerStatements } from './buyer-statements.ts'

/** Weeks that people look back, unless they say otherwise. */
const DEFAULT_DAYS = 35
/** More than people look through. */
const MOST_SHOWN = 500

export const statementShape = named(
  'ReportStatement',
  about(
    'The newest that a buyer said of its report of one period, of the files of it or of a correction.',
    object({
      about: about('files and corrections are accepted or rejected by sync_reporting_receipts', word(...STATEMENT_SUBJECTS)),
      buyer: string,
      account: string,
      configuration: about('as the buyer named it, with its version', string),
      period_start: moment,
      period_end: moment,
      said: about(
        'null: nothing yet',
        orNull(
          word(
            ...['received', 'obligation_missing', 'revision_missing', 'unreadable', 'content_mismatch', 'accepted', 'rejected'],
          ),
        ),
      ),
      code: about('what could not be read, what contradicts what was agreed, or why it is rejected', orNull(string)),
      revision: about('the report that the buyer has read, or that the files or the correction are of', orNull(string)),
      correction: about('id of the correction', orNull(string)),
      recorded_at: orNull(moment),
      state: about(
        'corrected: agreed after something else was said; rereading: the buyer has to read a report that was replaced; missing: both say that there is none; awaited: the buyer has to accept or reject; adjusted: a correction of the final report makes up for it',
        word(...STATEMENT_STATES),
      ),
      issue: about('what is settled by its id; null: nothing is contradicted', orNull(string)),
      responsible: about('who has to do something about it', orNull(word(...SIDES))),
      opened_at: orNull(moment),
      orders: about('ids of the orders that the report is about', listOf(string)),
      settled: orNull(
        object({
          by: string,
          at: moment,
          note: orNull(string),
          agreed_with: about('who at the buyer agreed that it is left at that', orNull(string)),
          charge: about('id of the charge or credit that makes up for it', orNull(string)),
        }),
      ),
    }),
  ),
)
export type ReportStatement = Of<typeof statementShape>

/** What buyers say of their reports (AdCP 3.2, sync_reporting_status and sync_reporting_receipts), the newest first. */
export const listReportStatements = defineAct({
  name: 'reports.statements',
  route: 'GET /reports/statements',
  id: 'listReportStatements',
  roles: READERS,
  summary:
    'What buyers say of their daily reports: received, missing, unreadable or contradictory, files accepted or rejected; the newest first.',
  fields: {
    state: oneOf(STATEMENT_STATES, 'open: a report is contradicted and nobody looks after it'),
    account: OF_ACCOUNT,
    order: idText('of reports about one order'),
    days: between(1, RETENTION_DAYS, count(`said within so many days; default ${DEFAULT_DAYS}`)),
  },
  answer: pageOf(statementShape),
  command: {
    columns: [
      ['PERIOD', ({ period_start: start }) => start.slice(0, 10)],
      ['BUYER', ({ buyer }) => buyer],
      ['ACCOUNT', ({ account }) => account],
      ['ABOUT', ({ about: subject }) => subject],
      ['SAID', ({ said, code }) => [said ?? 'nothing yet', code].filter((each) => each !== null).join(' ')],
      ['STATE', ({ state }) => state],
      ['ISSUE', ({ issue }) => issue ?? ''],
    ],
  },
  async run(context, { state, account, order, days = DEFAULT_DAYS }) {
    const all = await buyerStatements(context, context.tenantId, days)
    const found = all.filter(
      (each) =>
        (state === undefined || each.state === state) &&
        (account === undefined || each.owner.accountId === account) &&
        (order === undefined || each.orderIds.includes(order)),
    )
    return list(found.slice(0, MOST_SHOWN).map(presentStatement))
  },
})

export function presentStatement(statement: BuyerStatement): ReportStatement {
  const { owner, period, issue, decision } = statement
  return {
    ...{ about: statement.about, buyer: owner.principalId, account: owner.accountId, configuration: statement.configuration },
    ...{ period_start: period.start, period_end: period.end, said: statement.said ?? null, code: statement.code ?? null },
    ...{ revision: statement.revisionId ?? null, correction: statement.adjustmentId ?? null },
    ...{ recorded_at: statement.recordedAt ?? null, state: statement.state, issue: issue?.issueId ?? null },
    ...{ responsible: issue?.party ?? null, opened_at: issue?.openedAt ?? null, orders: [...statement.orderIds] },
    settled: decision
      ? {
          ...{ by: decision.decided_by, at: decision.decided_at, note: decision.note },
          ...{ agreed_with: decision.agreed_with, charge: decision.charge_id },
        }
      : null,
  }
}
