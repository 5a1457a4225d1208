import { createHash } from 'node:crypto'
import { cacheValidUntil, type ListKind } from '../../domain/inventory-list.ts'
import { countChanges } from '../../domain/webhook/list-change.ts'
import { enqueue } from '../../store/webhook/outbox.ts'
import { reschedule, unschedule } from '../../store/webhook/scheduled-events.ts'
import { endEndpoints, findEndpoint } from '../../store/webhook/webhook-endpoints.ts'
import type { DueEvent } from './due-event.ts'

/** What was sent last; the JSON of a scheduled event. */
interface ListState {
  readonly kind: ListKind
  readonly print: string
  /** Absent for long lists: then the event says that they changed, and not by how much. */
  readonly members?: readonly string[]
}

/** More members than this are not stored for comparison: their keys would weigh megabytes. */
const MOST_KEPT = 2000
/** What a list is resolved from (products, publishers' files) changes while the list does not. */
const LOOK_MS = 60 * 60_000

/** The state of a list that is followed from now on. */
export function listState(kind: ListKind, members: readonly string[]): ListState {
  return { kind, print: printOf(members), ...(members.length <= MOST_KEPT && { members }) }
}

/** Tells the follower of a list that it resolves to something else than before (AdCP property-list-changed-webhook and its sister). */
export async function tellList({ store, lists, now, event }: DueEvent): Promise<void> {
  const endpoint = await findEndpoint(store.read, event.endpointId)
  const before = stateOf(event.state)
  const resolved = endpoint && (await lists(event.tenantId, before.kind, event.subjectId))
  await store.transaction(async (tx) => {
    if (!endpoint || !resolved) {
      if ((await unschedule(tx, event)) && endpoint) await endEndpoints(tx, [endpoint.endpointId], now)
      return
    }
    const after = listState(before.kind, resolved.members)
    const later = new Date(now.getTime() + LOOK_MS)
    if (!(await reschedule(tx, event, later, after)) || after.print === before.print) return
    const counts = before.members && after.members ? countChanges(before.members, after.members) : {}
    const change = {
      listId: event.subjectId,
      kind: before.kind,
      name: resolved.name,
      total: resolved.members.length,
      at: now,
      cacheValidUntil: cacheValidUntil(now, resolved.cacheHours),
      ...counts,
    }
    await enqueue(tx, endpoint, change, now)
  })
}

function stateOf(state: Readonly<Record<string, unknown>>): ListState {
  const kind = state.kind === 'collection' ? 'collection' : 'property'
  const members = Array.isArray(state.members) ? state.members.map(String) : undefined
  return { kind, print: String(state.print), ...(members && { members }) }
}

function printOf(members: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url')
}
