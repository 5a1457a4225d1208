import type { ApprovalEntry } from '../operator/approvals/approval-shapes.ts'
import { listApprovals } from '../operator/approvals/list-approvals.ts'
import { listEscalations, type ShownEscalation } from '../operator/governance/show-escalations.ts'
import { listReportStatements, type ReportStatement } from '../operator/reports/report-statements.ts'
import { listPendingRights, type ShownGrant, type ShownSubmission } from '../operator/rights/list-rights.ts'
import { doAct } from './do-act.ts'
import type { TenantCall } from './route.ts'

/** Something of any kind that a person has to decide on. */
export type Waiting =
  | { readonly kind: 'entry'; readonly since: string; readonly entry: ApprovalEntry }
  | { readonly kind: 'rights-creative'; readonly since: string; readonly creative: ShownSubmission }
  | { readonly kind: 'rights-change'; readonly since: string; readonly grant: ShownGrant }
  | { readonly kind: 'escalation'; readonly since: string; readonly escalation: ShownEscalation }
  | { readonly kind: 'statement'; readonly since: string; readonly statement: ReportStatement }

/** Every open decision of a publisher: those that expire first, then the oldest. */
export async function listWaiting(call: TenantCall): Promise<readonly Waiting[]> {
  const [{ items: entries }, rights, { items: escalations }, { items: statements }] = await Promise.all([
    doAct(call, listApprovals, {}),
    doAct(call, listPendingRights, {}),
    doAct(call, listEscalations, {}),
    doAct(call, listReportStatements, { state: 'open' }),
  ])
  const all: Waiting[] = [
    ...entries.map((entry) => ({ kind: 'entry' as const, since: entry.since ?? '', entry })),
    ...rights.creatives.map((creative) => ({ kind: 'rights-creative' as const, since: creative.submitted_at, creative })),
    ...rights.changes.map((grant) => ({ kind: 'rights-change' as const, since: '', grant })),
    ...escalations.map((escalation) => ({ kind: 'escalation' as const, since: escalation.created_at, escalation })),
    ...statements.map((statement) => ({ kind: 'statement' as const, since: statement.recorded_at ?? '', statement })),
  ]
  return all.toSorted((a, b) => compare(urgencyOf(a), urgencyOf(b)) || compare(a.since, b.since))
}

/** When it expires; what does not expire comes last. */
function urgencyOf(waiting: Waiting): string {
  return waiting.kind === 'entry' ? (waiting.entry.expires_at ?? '9') : '9'
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
