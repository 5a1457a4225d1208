import { randomUUID } from 'node:crypto'
import type { SyncEventSourcesSuccess } from '@adcp/sdk'
import type { SyncEventSourcesRequest } from '@adcp/sdk/types'
import type { Account } from '../../domain/account/account.ts'
import { MOST_OF_ACCOUNT, tooManyOf } from '../../domain/account/most-of-account.ts'
import type { EventSource } from '../../domain/event/event.ts'
import { decideEventSource, presentEventSource, presentSourceFailure } from '../../domain/event/sync-event-source.ts'
import { namedAndStored } from '../../domain/named-and-stored.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import {
  activityOf,
  deleteEventSource,
  findEventSources,
  insertEventSource,
  saveEventSource,
} from '../../store/event/event-sources.ts'

type Row = SyncEventSourcesSuccess['event_sources'][number]
type Context = InTransaction<AuthenticatedContext>
type Shown = readonly [source: EventSource, action: 'created' | 'updated' | 'unchanged']

export const syncEventSources = defineTask<SyncEventSourcesRequest, SyncEventSourcesSuccess>()({
  name: 'sync_event_sources',
  mutating: true,
  access: 'authenticated',
  scope: 'events',
  account: 'required',
  summary: 'Declare where conversion events of an account come from. Answers with all its sources and their health.',
  async handle(request, context) {
    const { principal, account } = context
    if (!account) throw new AdcpError('INVALID_REQUEST', 'account is required', { field: 'account' })
    if (request.delete_missing && !request.event_sources) {
      throw new AdcpError('INVALID_REQUEST', 'event_sources is required with delete_missing: without it every source would go', {
        field: 'event_sources',
      })
    }
    const rows = await synced(request, context, account)
    return { event_sources: rows, ...((principal.sandbox || account.sandbox) && { sandbox: true }) }
  },
})

/** Rows of the request first, in its order; then what else the account has. */
async function synced(request: SyncEventSourcesRequest, context: Context, { accountId }: Account): Promise<Row[]> {
  const { tx, principal, now } = context
  const { tenantId, principalId } = principal
  const stored = await findEventSources(tx, { tenantId, principalId, accountId })
  const sources = request.event_sources ?? []
  const ids = sources.map(({ event_source_id }) => event_source_id)
  const { isFirst, storedOf, others } = namedAndStored(ids, stored, ({ eventSourceId }) => eventSourceId)
  const shown: Shown[] = []
  const failures: Row[] = []
  let count = stored.length
  for (const [index, wire] of sources.entries()) {
    if (!isFirst(index)) {
      const field = `event_sources[${index}].event_source_id`
      const error = new AdcpError('VALIDATION_ERROR', `${field} is that of an earlier source`, { field })
      failures.push(presentSourceFailure(wire.event_source_id, error))
      continue
    }
    const { action, source } = decideEventSource(wire, storedOf(wire.event_source_id), {
      accountId,
      sellerId: `evs_${randomUUID()}`,
      now,
    })
    if (action === 'created' && count >= MOST_OF_ACCOUNT.event_sources) {
      const full = tooManyOf('event_sources', `event_sources[${index}].event_source_id`)
      failures.push(presentSourceFailure(wire.event_source_id, full))
      continue
    }
    if (action === 'created') await insertEventSource(tx, principal, source)
    if (action === 'created') count += 1
    if (action === 'updated') await saveEventSource(tx, principal, source)
    shown.push([source, action])
  }
  for (const { sellerId } of request.delete_missing ? others : []) await deleteEventSource(tx, principal, sellerId)
  const rest = request.delete_missing
    ? others.map(({ eventSourceId }): Row => ({ event_source_id: eventSourceId, action: 'deleted' }))
    : await presented(
        context,
        others.map((source): Shown => [source, 'unchanged']),
      )
  return [...(await presented(context, shown)), ...failures, ...rest]
}

async function presented({ tx, principal, now }: Context, shown: readonly Shown[]): Promise<Row[]> {
  const ids = shown.map(([{ sellerId }]) => sellerId)
  const activity = await activityOf(tx, principal.tenantId, ids, now)
  return shown.map(([source, action]) => presentEventSource(source, action, activity.get(source.sellerId), now))
}
