import { reschedule, unschedule } from '../../store/webhook/scheduled-events.ts'
import type { DueEvent } from './due-event.ts'

/** Settles an activation whose time has come: its task notifies its subscribers. */
export async function settleActivation({ store, settle, now, event }: DueEvent): Promise<void> {
  const next = await settle(event, event.subjectId, now)
  await store.transaction((tx) => (next ? reschedule(tx, event, next, event.state) : unschedule(tx, event)))
}
