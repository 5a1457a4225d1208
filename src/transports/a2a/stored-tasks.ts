import { setTimeout as sleep } from 'node:timers/promises'
import type { ListTasksRequest, ListTasksResponse, StreamResponse, Task } from 'a2a'
import { TaskNotCancelableError, UnsupportedOperationError } from 'a2a/errors'
import { hasScope, type Principal } from '../../domain/identity/principal.ts'
import type { Services } from '../../pipeline/services.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Store } from '../../store/database.ts'
import { findTask, getTask, type StoredTask } from '../../store/task/tasks.ts'
import { withdraw } from '../../tasks/approvals/decide.ts'
import { presentTask } from '../../tasks/tasks/present-task.ts'
import type { JsonObject } from '../json-rpc/json.ts'
import { adcpStatus, isOver, snapshotOf, storedTask, updatesOf } from './envelope.ts'
import type { Exchange } from './exchange.ts'
import { malformed } from './invocation.ts'

export interface StoredTaskOptions {
  readonly store: Store
  readonly services: Pick<Services, 'webhooks' | 'wiring' | 'contracts'>
  readonly clock: () => Date
  /** How often a subscription polls for changes. */
  readonly pollMs?: number
}

/** A subscription ends after this long; the client subscribes again, or has a webhook. */
const WATCH_MS = 10 * 60_000
/** Beyond this many at a time a subscriber gets the task as it is. */
const MAX_WATCHERS = 200

/** Operations of A2A on work that outlives its call. Callers have established that the task is the principal's own. */
export function storedTasks({ store, services, clock, pollMs = 1000 }: StoredTaskOptions) {
  let watchers = 0
  const { recoveryOf } = services.contracts.base
  const asA2a = (task: StoredTask): Task => {
    const answer = { ...presentTask(task), ...(task.result !== undefined && { result: task.result }) }
    return storedTask(services.contracts.serving(versionOf(task)).answerOf('get_task_status', answer), recoveryOf)
  }

  /** The release that a caller's work was asked for under, where the request named one; undefined for what is not its own. */
  async function releaseOf(exchange: Exchange, id: string): Promise<string | undefined> {
    const caller = await exchange.caller()
    if (caller.kind !== 'known') return undefined
    const task = await findTask(store.read, caller.principal, id)
    return task && versionOf(task)
  }

  /** What becomes of a task that is not over, from now on. */
  async function* watch(principal: Principal, task: Task): AsyncGenerator<StreamResponse> {
    yield snapshotOf(task)
    if (watchers >= MAX_WATCHERS) return
    watchers += 1
    try {
      let known = task
      for (let waited = 0; waited < WATCH_MS && !isOver(known); waited += pollMs) {
        await sleep(pollMs, undefined, { ref: false })
        const now = asA2a(await getTask(store.read, principal, task.id))
        if (now.status?.timestamp === known.status?.timestamp && now.status?.state === known.status?.state) continue
        known = now
        yield* updatesOf(known)
      }
    } finally {
      watchers -= 1
    }
  }

  /** Ends what the seller has not decided yet. Everything else takes its course: a media buy is canceled with update_media_buy. */
  async function cancel(principal: Principal, task: Task): Promise<Task> {
    if (isOver(task)) throw new TaskNotCancelableError('The task is over')
    if (!hasScope(principal.scopes, 'media_buys')) throw new UnsupportedOperationError('This needs the scope adcp:media_buys')
    try {
      const canceled = await withdraw(store, principal, task.id, clock())
      services.webhooks.wake()
      return asA2a(canceled)
    } catch (error) {
      if (error instanceof AdcpError) throw new TaskNotCancelableError('The task cannot be canceled any more')
      throw error
    }
  }

  /** The page that `list_tasks` gave, as A2A lists tasks. */
  async function page(
    principal: Principal,
    { tasks, pagination }: JsonObject,
    { pageSize = DEFAULT_PAGE, includeArtifacts = false }: ListTasksRequest,
  ): Promise<ListTasksResponse> {
    const { cursor, total_count: total } = isObject(pagination) ? pagination : {}
    const entries = Array.isArray(tasks) ? tasks.filter(isObject) : []
    return {
      tasks: await Promise.all(
        entries.map(async (entry) =>
          includeArtifacts
            ? asA2a(await getTask(store.read, principal, String(entry.task_id)))
            : { ...storedTask(entry, recoveryOf), artifacts: [] },
        ),
      ),
      nextPageToken: typeof cursor === 'string' ? cursor : '',
      pageSize,
      totalSize: typeof total === 'number' ? total : entries.length,
    }
  }

  return { watch, cancel, page, releaseOf }
}

/** The release that a stored request names. */
function versionOf({ request }: StoredTask): string | undefined {
  return 'adcp_version' in request && typeof request.adcp_version === 'string' ? request.adcp_version : undefined
}

const DEFAULT_PAGE = 50

/** What `list_tasks` has to be asked for: newest change first (A2A 1.0 §3.1.4). */
export function listArguments(request: ListTasksRequest): JsonObject {
  const { contextId, status, pageSize = DEFAULT_PAGE, pageToken, statusTimestampAfter } = request
  const wanted = status === 0 ? undefined : adcpStatus(status)
  if (status !== 0 && wanted === undefined)
    throw malformed('status must be a state of a task, such as TASK_STATE_SUBMITTED or TASK_STATE_COMPLETED')
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 100) throw malformed('pageSize must be 1 to 100')
  return {
    filters: {
      ...(wanted !== undefined && { status: wanted }),
      ...(contextId !== '' && { task_ids: [contextId] }),
      ...(statusTimestampAfter !== undefined && { updated_after: statusTimestampAfter }),
    },
    sort: { field: 'updated_at', direction: 'desc' },
    pagination: { max_results: pageSize, ...(pageToken !== '' && { cursor: pageToken }) },
  }
}
