import { groupBy } from '../../domain/group-by.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Wait } from '../../domain/media-buy/waits-for.ts'
import { changesAtAdServers } from '../../store/ad-serving/ad-server-changes.ts'
import type { Approval } from '../../store/approval/approvals.ts'
import { waitingChanges } from '../../store/approval/waiting-changes.ts'
import type { Db } from '../../store/database.ts'
import { changesIn } from '../approvals/end-waiting-changes.ts'

/** The changes of an order that are not made yet: `shown` in `ext.open_changes`, those that need a decision or are approved and under way; `waits`: what each waits for. */
export interface OpenChanges {
  readonly shown: readonly OpenChange[]
  readonly waits: readonly Wait[]
}

/** The task of a change, when it was asked for, and what it would change. */
interface OpenChange {
  readonly task_id: string
  readonly submitted_at: string
  readonly changes: readonly string[]
}

/** The `ext` of a row with its open changes, and all that the order waits for. */
export function withWaits(ext: object | undefined, changes: OpenChanges | undefined, own: readonly Wait[]) {
  const waits = [...own, ...(changes?.waits ?? [])]
  if (waits.length === 0) return {}
  return { ext: { ...ext, ...(changes && changes.shown.length > 0 && { open_changes: changes.shown }), waits_for: waits } }
}

/** The changes of some orders of a buyer that are not made yet, by order. */
export async function openChangesOf(
  tx: Db,
  owner: PrincipalRef,
  mediaBuyIds: readonly string[],
): Promise<ReadonlyMap<string, OpenChanges>> {
  const decisions = groupBy(await waitingChanges(tx, owner, mediaBuyIds), ({ summary }) => String(summary.media_buy_id))
  const observed = groupBy(await changesAtAdServers(tx, owner, mediaBuyIds), ({ mediaBuyId }) => mediaBuyId)
  const ids = new Set([...decisions.keys(), ...observed.keys()])
  return new Map(
    [...ids].map((id) => {
      const approvals = decisions.get(id) ?? []
      const atAdServers = new Set((observed.get(id) ?? []).map(({ taskId }) => taskId))
      return [
        id,
        { shown: approvals.map(openChange), waits: [...approvals.map(decisionWait), ...[...atAdServers].map(adServerWait)] },
      ]
    }),
  )
}

function openChange({ taskId, createdAt, summary }: Approval): OpenChange {
  return { task_id: taskId, submitted_at: createdAt, changes: changesIn(summary) }
}

/** What has to happen before a change that needs a decision is made: one that is approved already is carried out without another one. */
function decisionWait({ taskId, state }: Approval): Wait {
  return state === 'approving'
    ? { for: 'ad_server', message: `the publisher has approved the change ${taskId}, which is being carried out` }
    : { for: 'approval', message: `the publisher decides on the change ${taskId}` }
}

function adServerWait(taskId: string): Wait {
  return { for: 'ad_server', message: `the change ${taskId} is recorded; the publisher's ad server was not seen to have it yet` }
}
