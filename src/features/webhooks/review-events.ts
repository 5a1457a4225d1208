import type { Creative } from '../../domain/creative/creative.ts'
import { findCreative, findCreatives } from '../../store/creative/creatives.ts'
import { enqueue } from '../../store/webhook/outbox.ts'
import { reschedule, unschedule, WHEN_ASKED } from '../../store/webhook/scheduled-events.ts'
import { findEndpoint } from '../../store/webhook/webhook-endpoints.ts'
import type { DueEvent } from './due-event.ts'

/** Tells the outcome of a creative's review to the call that submitted it. */
export async function tellReview({ store, now, event }: DueEvent): Promise<void> {
  const { accountId } = event.state
  const own = typeof accountId === 'string' ? await findCreatives(store.read, event, accountId, [event.subjectId]) : undefined
  // In a sandbox all accounts are one, and the creative may be filed under another of them.
  const creative =
    own?.get(event.subjectId) ?? (await findCreative(store.read, { ...event, accountId: undefined }, event.subjectId))
  const endpoint = await findEndpoint(store.read, event.endpointId)
  await store.transaction(async (tx) => {
    if (creative && endpoint && isWaiting(creative)) {
      await reschedule(tx, event, WHEN_ASKED, event.state)
      return
    }
    if (!(await unschedule(tx, event)) || !creative || !endpoint) return
    const { taskId, taskType } = endpoint
    const message = `creative ${creative.creativeId} is ${creative.status}`
    await enqueue(tx, endpoint, { taskId, taskType, status: 'completed', message, at: now, result: resultOf(creative) }, now)
  })
}

function isWaiting({ status }: Creative): boolean {
  return status === 'processing' || status === 'pending_review'
}

/** The creative as a sync_creatives response reports it. */
function resultOf({ creativeId, status, statusReason }: Creative): object {
  const reason = statusReason === undefined ? {} : { changes: ['status'], warnings: [statusReason] }
  return { creatives: [{ creative_id: creativeId, action: 'updated', status, ...reason }] }
}
