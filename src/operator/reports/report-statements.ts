import { RETENTION_DAYS } from '../../domain/reporting/offering.ts'
import { defineAct } from '../act.ts'
import { between, count, oneOf } from '../fields.ts'
import { READERS } from '../roles.ts'
import { about, list, listOf, moment, named, type Of, object, orNull, pageOf, string, word } from '../shape.ts'
import { type BuyerStatement, buyerStatements, STATEMENT_STATES } from './buyer-statements.ts'

/** Weeks that people look back, unless they say otherwise. */
const DEFAULT_DAYS = 35
/** More than people look through. */
const MOST_SHOWN = 500

export const statementShape = named(
  'ReportStatement',
  about(
    'The newest that a buyer said of its report of one period.',
    object({
      buyer: string,
      account: string,
      configuration: about('as the buyer named it, with its version', string),
      period_start: moment,
      period_end: moment,
      said: word('received', 'obligation_missing', 'revision_missing', 'unreadable', 'content_mismatch'),
      code: about('what could not be read, or what contradicts what was agreed', orNull(string)),
      revision: about('the report that the buyer has read', orNull(string)),
      recorded_at: moment,
      state: about(
        'corrected: agreed after something else was said; rereading: the buyer has to read a report that was replaced; missing: both say that there is none',
        word(...STATEMENT_STATES),
      ),
      issue: about('what is settled by its id; null: nothing is contradicted', orNull(string)),
      responsible: about('who has to do something about it', orNull(word('buyer', 'seller'))),
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

/** What buyers say of their reports (AdCP 3.2, sync_reporting_status), the newest first. */
export const listReportStatements = defineAct({
  name: 'reports.statements',
  route: 'GET /reports/statements',
  id: 'listReportStatements',
  roles: READERS,
  summary: 'What buyers say of their daily reports: received, missing, unreadable or contradictory; the newest first.',
  fields: {
    state: oneOf(STATEMENT_STATES, 'open: a report is contradicted and nobody looks after it'),
    days: between(1, RETENTION_DAYS, count(`said within so many days; default ${DEFAULT_DAYS}`)),
  },
  answer: pageOf(statementShape),
  command: {
    columns: [
      ['PERIOD', ({ period_start: start }) => start.slice(0, 10)],
      ['BUYER', ({ buyer }) => buyer],
      ['ACCOUNT', ({ account }) => account],
      ['SAID', ({ said, code }) => (code === null ? said : `${said} ${code}`)],
      ['STATE', ({ state }) => state],
      ['ISSUE', ({ issue }) => issue ?? ''],
    ],
  },
  async run(context, { state, days = DEFAULT_DAYS }) {
    const all = await buyerStatements(context, context.tenantId, days)
    const found = all.filter((each) => state === undefined || each.state === state)
    return list(found.slice(0, MOST_SHOWN).map(presentStatement))
  },
})

export function presentStatement({ owner, statement, state, mismatch, decision, orderIds }: BuyerStatement): ReportStatement {
  const { delivery_config_id: id, delivery_config_version: version, period } = statement
  return {
    ...{ buyer: owner.principalId, account: owner.accountId, configuration: `${id} ${version}` },
    ...{ period_start: period.start, period_end: period.end, said: statement.consumer_status },
    code: statement.failure_code ?? statement.mismatch_code ?? null,
    revision: statement.reporting_revision_id ?? null,
    recorded_at: statement.recorded_at,
    state,
    issue: mismatch?.issueId ?? null,
    responsible: mismatch?.party ?? null,
    opened_at: mismatch?.openedAt ?? null,
    orders: [...orderIds],
    settled: decision
      ? {
          ...{ by: decision.decided_by, at: decision.decided_at, note: decision.note },
          ...{ agreed_with: decision.agreed_with, charge: decision.charge_id },
        }
      : null,
  }
}
