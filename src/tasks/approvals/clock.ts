import type { Logger } from 'pino'
import { type Approval, changeApproval, dueApprovals, NEVER } from '../../store/approval/approvals.ts'
import type { ApprovalServices } from './carry-out.ts'
import { CARRY_OUT_AGAIN_MS, carryOut, expire, remind } from './decide.ts'

/** Approvals of one look. */
const BATCH = 100

/**
 * What is done about approvals as time passes: announces that time is running out, expires those without a decision, and goes on with what was approved by a
 * process that has died since. True when there may be more. Several processes may do it at once: the one that changes the row first acts.
 */
export async function checkApprovals(
  services: ApprovalServices,
  { clock, log, wake }: { readonly clock: () => Date; readonly log: Logger; readonly wake: () => void },
): Promise<boolean> {
  const now = clock()
  const due = await dueApprovals(services.store.read, now, BATCH)
  for (const approval of due) {
    const { taskId, state } = approval
    try {
      await settle(services, approval, now)
      log.info({ task: taskId, state }, 'an approval was checked')
    } catch (error) {
      log.warn({ err: error, task: taskId, state }, 'an approval could not be settled; trying again later')
      await postpone(services, approval, now)
    }
  }
  if (due.length > 0) wake()
  return due.length === BATCH
}

async function settle(services: ApprovalServices, approval: Approval, now: Date): Promise<void> {
  const { store } = services
  switch (approval.state) {
    case 'waiting':
    case 'asked':
      if (approval.expiresAt <= now.toISOString()) await expire(store, approval, now)
      else await remind(store, approval, now)
      return
    case 'approving': {
      const mine = await postpone(services, approval, now)
      if (mine) await carryOut(services, mine, now)
      return
    }
    default:
      await store.transaction((tx) => changeApproval(tx, approval, { dueAt: NEVER }, now))
  }
}

/** Keeps an approval from other processes for a while; undefined when one of them was faster. */
function postpone({ store }: ApprovalServices, approval: Approval, now: Date): Promise<Approval | undefined> {
  const dueAt = new Date(now.getTime() + CARRY_OUT_AGAIN_MS).toISOString()
  return store.transaction((tx) => changeApproval(tx, approval, { dueAt }, now))
}
