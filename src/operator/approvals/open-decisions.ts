import { compareTexts } from '../../domain/compare-texts.ts'
import { MAX_OPEN_DECISIONS } from '../../store/approval/count-open-decisions.ts'
import { listEscalated } from '../../store/governance/governance-actions.ts'
import { defineAct } from '../act.ts'
import { escalationShape, presentEscalation } from '../governance/show-escalations.ts'
import { listReportStatements, statementShape } from '../reports/report-statements.ts'
import { grantShape, listPendingRights, submissionShape } from '../rights/list-rights.ts'
import { READERS } from '../roles.ts'
import { about, either, list, moment, named, type Of, object, optional, pageOf, word } from '../shape.ts'
import { approvalEntry } from './approval-shapes.ts'
import { aboutOf, listApprovals } from './list-approvals.ts'

const WHEN = {
  since: about('absent: it is not known', optional(moment)),
  expires_at: about('when it ends undecided; absent: it does not', optional(moment)),
}

/** Something of any kind that a person has to decide on. */
const openDecision = named(
  'OpenDecision',
  either(
    object({ kind: word('approval'), ...WHEN, approval: approvalEntry }),
    object({ kind: word('rights_creative'), ...WHEN, creative: submissionShape }),
    object({ kind: word('rights_change'), ...WHEN, grant: grantShape }),
    object({ kind: word('escalation'), ...WHEN, escalation: escalationShape }),
    object({ kind: word('report_statement'), ...WHEN, statement: statementShape }),
  ),
)
export type OpenDecision = Of<typeof openDecision>

/** What the publisher has to decide on, of every kind: what expires first, then the oldest. */
export const listOpenDecisions = defineAct({
  name: 'approvals.open',
  route: 'GET /approvals/open',
  id: 'listOpenDecisions',
  roles: READERS,
  summary:
    'Open decisions of every kind: orders, changes, creatives, accounts, rights, spending beyond plans and contradicted reports. What expires first comes first, then the oldest.',
  fields: {},
  answer: pageOf(openDecision),
  command: {
    columns: [
      ['kind', ({ kind }) => kind],
      ['id', idOf],
      ['about', subjectOf],
      ['since', ({ since }) => since ?? ''],
      ['expires', ({ expires_at: at }) => at ?? ''],
    ],
  },
  async run(context) {
    const { store, tenantId } = context
    const [{ items: approvals }, rights, { actions }, { items: statements }] = await Promise.all([
      listApprovals.run(context, {}),
      listPendingRights.run(context, {}),
      listEscalated(store.read, tenantId, { decided: false, limit: MAX_OPEN_DECISIONS }),
      listReportStatements.run(context, { state: 'open' }),
    ])
    const escalations = actions.flatMap(({ escalation }) => escalation ?? []).map(presentEscalation)
    const all: OpenDecision[] = [
      ...approvals.map(openApproval),
      ...rights.creatives.map((creative) => ({ kind: 'rights_creative' as const, since: creative.submitted_at, creative })),
      ...rights.changes.map((grant) => ({ kind: 'rights_change' as const, grant })),
      ...escalations.map((escalation) => ({ kind: 'escalation' as const, since: escalation.created_at, escalation })),
      ...statements.map((statement) => ({
        kind: 'report_statement' as const,
        since: statement.recorded_at ?? undefined,
        statement,
      })),
    ]
    return list(
      all.toSorted(
        (a, b) => compareTexts(a.expires_at ?? '9', b.expires_at ?? '9') || compareTexts(a.since ?? '', b.since ?? ''),
      ),
    )
  },
})

/** An entry of the queue as an open decision. */
export function openApproval(approval: Of<typeof approvalEntry>): OpenDecision {
  const { since, expires_at } = approval
  return { kind: 'approval', since, expires_at, approval }
}

/** The id by which it is decided. */
export function idOf(open: OpenDecision): string {
  switch (open.kind) {
    case 'approval':
      return open.approval.id
    case 'rights_creative':
      return open.creative.id
    case 'rights_change':
      return open.grant.rights_id
    case 'escalation':
      return open.escalation.check_id
    case 'report_statement':
      return open.statement.issue ?? ''
  }
}

function subjectOf(open: OpenDecision): string {
  switch (open.kind) {
    case 'approval':
      return aboutOf(open.approval)
    case 'rights_creative':
      return open.creative.creative_url
    case 'rights_change':
      return open.grant.right
    case 'escalation':
      return open.escalation.reason
    case 'report_statement':
      return open.statement.configuration
  }
}
