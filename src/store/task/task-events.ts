import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { FOLLOWED } from '../../domain/webhook/followed.ts'
import type { Db } from '../database.ts'
import { enqueue } from '../webhook/outbox.ts'
import { schedule, takeOverEvent, unscheduleEndpoints, WHEN_ASKED } from '../webhook/scheduled-events.ts'
import {
  endEndpoints,
  endpointsOfMediaBuy,
  endpointsOfTask,
  followMediaBuy,
  type WebhookEndpoint,
} from '../webhook/webhook-endpoints.ts'
import type { StoredTask } from './tasks.ts'

/**
 * Tells the subscribers of a task what became of it, in the transaction of the change, and lets them follow what it made. Every change of a
 * task's status comes through here, whichever process made it.
 */
export async function recordTaskEvent(tx: Db, owner: PrincipalRef, task: StoredTask, now: Date): Promise<void> {
  const endpoints = await endpointsOfTask(tx, owner, task.taskId)
  for (const endpoint of endpoints.filter(({ kind }) => kind === 'push')) {
    const { taskId, taskType, status, message } = task
    await enqueue(tx, endpoint, { taskId, taskType, status, message, at: now, result: task.result ?? errorsOf(task) }, now)
  }
  if (task.status === 'completed') await follow(tx, owner, task, endpoints, now)
}

/** A failed task's payload is the error form of its response (AdCP core/async-response-data). */
function errorsOf({ error }: StoredTask): object | undefined {
  return error && { errors: [error] }
}

async function follow(
  tx: Db,
  owner: PrincipalRef,
  task: StoredTask,
  endpoints: readonly WebhookEndpoint[],
  now: Date,
): Promise<void> {
  for (const { kind, subjectId, status, by, isPersistent = false } of FOLLOWED[task.taskType]?.(task.result ?? {}) ?? []) {
    for (const endpoint of endpoints.filter((one) => one.kind === by)) {
      if (isPersistent && endpoint.settings.release === undefined) continue
      if (kind === 'report') await replaceReporting(tx, owner, endpoint, subjectId, now)
      if (kind === 'status' && (await replaceStatus(tx, owner, endpoint, subjectId, now))) continue
      const state = kind === 'report' ? {} : { status, accountId: task.accountId }
      await schedule(tx, endpoint, kind, subjectId, kind === 'creative' || kind === 'account' ? WHEN_ASKED : now, state)
    }
  }
}

/** A media buy has one webhook for its status: a new one takes over what the one before was told last. False when there was none. */
async function replaceStatus(
  tx: Db,
  owner: PrincipalRef,
  endpoint: WebhookEndpoint,
  mediaBuyId: string,
  now: Date,
): Promise<boolean> {
  const replaced = await endpointsOfMediaBuy(tx, owner, mediaBuyId, 'push')
  await followMediaBuy(tx, endpoint, mediaBuyId)
  if (replaced.length === 0) return false
  const ids = replaced.map(({ endpointId }) => endpointId)
  const isTaken = await takeOverEvent(tx, ids, endpoint.endpointId, now)
  await endEndpoints(tx, ids, now)
  await unscheduleEndpoints(tx, ids)
  return isTaken
}

/** A media buy has one reporting webhook: a new one replaces the one before. */
async function replaceReporting(
  tx: Db,
  owner: PrincipalRef,
  endpoint: WebhookEndpoint,
  mediaBuyId: string,
  now: Date,
): Promise<void> {
  const replaced = await endpointsOfMediaBuy(tx, owner, mediaBuyId, 'reporting')
  const ids = replaced.map(({ endpointId }) => endpointId)
  await endEndpoints(tx, ids, now)
  await unscheduleEndpoints(tx, ids)
  await followMediaBuy(tx, endpoint, mediaBuyId)
}
