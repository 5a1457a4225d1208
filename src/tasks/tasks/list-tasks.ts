import type { AccountReference } from '@adcp/sdk/types'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { filterTimes } from '../../domain/filter-times.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { accountReference } from '../../protocol/account-reference.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findReferencedAccount } from '../../store/account/account-references.ts'
import { listTasks as listStored, type TaskPosition, type TaskQuery, type TaskSortField } from '../../store/task/list-tasks.ts'
import type { TaskStatus } from '../../store/task/rows.ts'
import { changesOfTasks, type StoredTask } from '../../store/task/tasks.ts'
import { namedAccount } from '../account/named-account.ts'
import { appliedFilters } from '../applied-filters.ts'
import { presentHistory, presentTask } from './present-task.ts'
import { summarizeTasks } from './summaries.ts'

/** core/pagination-request.json */
const DEFAULT_PAGE = 50

/** core/tasks-list-request.json; the SDK has no type for it. */
interface ListTasksRequest {
  /** Its tasks alone (since 3.1). */
  readonly account?: AccountReference
  readonly filters?: Filters
  readonly sort?: { readonly field?: TaskSortField; readonly direction?: 'asc' | 'desc' }
  readonly pagination?: { readonly max_results?: number; readonly cursor?: string }
  readonly include_history?: boolean
}

interface Filters {
  readonly protocol?: string
  readonly protocols?: readonly string[]
  readonly status?: TaskStatus
  readonly statuses?: readonly TaskStatus[]
  readonly task_type?: string
  readonly task_types?: readonly string[]
  readonly created_after?: string
  readonly created_before?: string
  readonly updated_after?: string
  readonly updated_before?: string
  readonly task_ids?: readonly string[]
  readonly context_contains?: string
  readonly has_webhook?: boolean
}

export const listTasks = defineTask<ListTasksRequest>()({
  name: 'list_tasks',
  aliases: ['tasks/list', 'tasks_list'],
  access: 'authenticated',
  scope: 'tasks',
  summary: 'Your tasks with this seller: filtered and sorted, e.g. all that are open.',
  summarize: summarizeTasks,
  takesForm: ({ pointer }) => TYPE_FILTER.test(pointer),
  async handle({ account: reference, filters = {}, sort: order, pagination, include_history }, context) {
    const { tx, principal, contract } = context
    const accountId = await accountOf(context, reference)
    const sort = { field: order?.field ?? 'created_at', direction: order?.direction ?? 'desc' } as const
    const query: TaskQuery = {
      ...queryOf(filters, contract.taskTypes),
      accountId,
    }
    const signature = ['list_tasks', principal.tenantId, principal.principalId, query, sort]
    const limit = pagination?.max_results ?? DEFAULT_PAGE
    const after = positionOf(decodeCursor(signature, pagination?.cursor))
    const { tasks: shown, isCut, counts } = await listStored(tx, principal, query, sort, { after, limit })
    const ids = shown.map(({ task }) => task.taskId)
    const changes = include_history ? await changesOfTasks(tx, principal, ids) : new Map()
    const last = isCut ? shown.at(-1)?.position : undefined
    return {
      query_summary: {
        total_matching: counts.total,
        returned: shown.length,
        domain_breakdown: Object.fromEntries(counts.byProtocol),
        status_breakdown: Object.fromEntries(counts.byStatus),
        filters_applied: appliedFilters('list_tasks', filters, context),
        sort_applied: sort,
      },
      tasks: shown.map(({ task }) => ({
        ...presentTask(task),
        domain: domainOf(task),
        ...(include_history && { history: presentHistory(task, changes.get(task.taskId)) }),
      })),
      pagination: {
        has_more: last !== undefined,
        ...(last && { cursor: encodeCursor(signature, JSON.stringify(last)) }),
        total_count: counts.total,
      },
    }
  },
})

/** Tasks have the account that their call named, also those of a conformance suite, whose other rows count as those of one account. */
async function accountOf(context: InTransaction<AuthenticatedContext>, named: unknown): Promise<string | undefined> {
  const reference = accountReference(named)
  if (!context.principal.conformance || reference === undefined) return (await namedAccount(context, reference))?.accountId
  return (await findReferencedAccount(context.tx, context.principal, reference))?.accountId ?? NO_ACCOUNT
}

/** The id of no account. */
const NO_ACCOUNT = ''

const TYPE_FILTER = /^\/filters\/task_types?(\/\d+)?$/

/** The query of a request. One value and a list of them under the same name both have to hold. `types`: those that the release of the answer has a name for. */
function queryOf(filters: Filters, types: ReadonlySet<string>): TaskQuery {
  return {
    taskIds: filters.task_ids,
    taskTypes: (among(filters.task_type, filters.task_types) ?? [...types]).filter((type) => types.has(type)),
    protocols: among(filters.protocol, filters.protocols),
    statuses: among(filters.status, filters.statuses),
    ...filterTimes(filters),
    hasWebhook: filters.has_webhook,
    contains: filters.context_contains,
  }
}

function among<T>(one: T | undefined, many: readonly T[] | undefined): readonly T[] | undefined {
  if (one === undefined) return many
  return many === undefined || many.includes(one) ? [one] : []
}

/** The response schema of 3.0 knows two domains; `protocol` beside it says which it is. */
function domainOf({ protocol }: StoredTask): 'signals' | 'media-buy' {
  return protocol === 'signals' ? 'signals' : 'media-buy'
}

function positionOf(text: string | undefined): TaskPosition | undefined {
  if (text === undefined) return undefined
  const [value, taskId, ...rest] = parsed(text)
  if (typeof value === 'string' && typeof taskId === 'string' && rest.length === 0) return [value, taskId]
  throw new AdcpError('INVALID_REQUEST', 'the cursor was not issued here', { field: 'pagination.cursor' })
}

function parsed(text: string): unknown[] {
  const value = foreignJsonIn(text)
  return Array.isArray(value) ? value : []
}
