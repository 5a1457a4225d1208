import type { ApprovalEntry } from '../operator/approvals/approval-shapes.ts'
import { listApprovals } from '../operator/approvals/list-approvals.ts'
import { listEscalations, type ShownEscalation } from '../operator/governance/show-escalations.ts'
import { listPendingRights } from '../operator/rights/list-rights.ts'
import { doAct } from './do-act.ts'
import type { TenantCall } from './route.ts'

type PendingRights = Awaited<ReturnType<typeof listPendingRights>>

/** Something that a person has to decide on, whatever it is about. */
export type Waiting =
  | { readonly kind: 'entry'; readonly since: string; readonly entry: ApprovalEntry }
  | { readonly kind: 'rights-creative'; readonly since: string; readonly creative: PendingRights['creatives'][number] }
  | { readonly kind: 'rights-change'; readonly since: string; readonly grant: PendingRights['changes'][number] }
  | { readonly kind: 'escalation'; readonly since: string; readonly escalation: ShownEscalation }

/** Every open decision of a publisher: those that expire first, then the oldest. */
export async function listWaiting(call: TenantCall): Promise<readonly Waiting[]> {
  const { operator, tenantId } = call
  const [{ items: entries }, rights, escalations] = await Promise.all([
    doAct(call, listApprovals, {}),
    listPendingRights(operator, tenantId),
    listEscalations(operator, { tenantId, decided: false }),
  ])
  const all: Waiting[] = [
    ...entries.map((entry) => ({ kind: 'entry' as const, since: entry.since ?? '', entry })),
    ...rights.creatives.map((creative) => ({ kind: 'rights-creative' as const, since: creative.submitted_at, creative })),
    ...rights.changes.map((grant) => ({ kind: 'rights-change' as const, since: '', grant })),
    ...escalations.map((escalation) => ({ kind: 'escalation' as const, since: escalation.created_at, escalation })),
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
