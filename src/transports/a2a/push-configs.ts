import type { Task, TaskPushNotificationConfig } from 'a2a'
import { TaskNotFoundError, UnsupportedOperationError } from 'a2a/errors'
import type { Logger } from 'pino'
import type { Principal, Tenant } from '../../domain/identity/principal.ts'
import { CallLog, linesOfCalls } from '../../pipeline/call-log.ts'
import type { Services } from '../../pipeline/services.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { claimsSignature, demandSignature } from '../../security/auth/signing-policy.ts'
import type { Store } from '../../store/database.ts'
import { getTask } from '../../store/task/tasks.ts'
import { endEndpoints, endpointsOfTask, type WebhookEndpoint } from '../../store/webhook/webhook-endpoints.ts'
import { adcpStatus, isOver } from './envelope.ts'
import type { Exchange } from './exchange.ts'
import { adcpPush, malformed } from './invocation.ts'

export interface PushConfigOptions {
  readonly store: Store
  readonly services: Pick<Services, 'webhooks' | 'wiring' | 'contracts'>
  readonly clock: () => Date
  readonly log: Logger
}

/** The webhooks of one task, as its principal keeps them. `get` and `remove` take the id of the configuration. */
export interface PushConfigs {
  add(exchange: Exchange, known: { principal: Principal; tenant: Tenant }, task: Task): Promise<TaskPushNotificationConfig>
  list(principal: Principal, taskId: string): Promise<TaskPushNotificationConfig[]>
  get(principal: Principal, taskId: string, id: string): Promise<TaskPushNotificationConfig>
  remove(principal: Principal, taskId: string, id: string): Promise<void>
}

/** More than clients have a use for, and few enough to tell at every change. */
const MAX_CONFIGS = 10

/** A2A's push notification configurations: the task's webhooks, checked, stored and delivered like those of any AdCP request. */
export function pushConfigs({ store, services, clock, log }: PushConfigOptions): PushConfigs {
  const list = async (principal: Principal, taskId: string) =>
    (await endpointsOfTask(store.read, principal, taskId)).filter(({ kind }) => kind === 'push')

  async function add(exchange: Exchange, known: { principal: Principal; tenant: Tenant }, task: Task) {
    const { principal } = known
    if (isOver(task)) throw new UnsupportedOperationError('The task is over')
    const { pushNotificationConfig = exchange.params } = exchange.params
    if (!isObject(pushNotificationConfig)) throw malformed('the push notification configuration must be an object')
    const request = { push_notification_config: adcpPush(pushNotificationConfig) }
    demandSigned(exchange, known, request)
    const before = await list(principal, task.id)
    if (before.length >= MAX_CONFIGS) throw new UnsupportedOperationError(`A task has at most ${MAX_CONFIGS} webhooks`)
    const { taskType } = await getTask(store.read, principal, task.id)
    const callLog = new CallLog(linesOfCalls(log), { request: exchange.requestId, transport: 'a2a', task: taskType })
    const native = { format: `a2a-${exchange.version}` as const }
    const contract = services.contracts.base
    const call = {
      task: { name: taskType },
      contract,
      request,
      principal,
      account: undefined,
      native,
      now: clock(),
      log: callLog,
    }
    await services.webhooks.check(call).catch(asMalformed)
    await store.transaction((tx) =>
      services.webhooks.record(tx, call, { status: adcpStatus(task.status?.state ?? 0), task_id: task.id }),
    )
    const added = (await list(principal, task.id)).find(({ endpointId }) => before.every((one) => one.endpointId !== endpointId))
    if (!added) throw malformed('the push notification configuration must have a url')
    return wireOf(added)
  }

  /** Setting where callbacks go with credentials, and changing anything under profile 3.1, needs a signature here too. */
  function demandSigned(
    exchange: Exchange,
    { principal, tenant }: { principal: Principal; tenant: Tenant },
    request: object,
  ): void {
    if (claimsSignature(exchange.credentials.rawHeaders)) return
    const { sandbox, signing, agentUrl } = services.wiring
    const call = { agentUrl, task: 'pushNotificationConfig', isMutating: true, arguments: request, principal }
    demandSignature(
      { ...call, isSandbox: sandbox && principal.sandbox },
      tenant.settings.signingProfile ?? signing.profile,
      signing,
    )
  }

  return {
    add,
    list: async (principal: Principal, taskId: string) => (await list(principal, taskId)).map(wireOf),
    async get(principal: Principal, taskId: string, id: string): Promise<TaskPushNotificationConfig> {
      const all = await list(principal, taskId)
      // A2A 0.3 may ask for a task's configuration without saying which.
      const found = id === '' || id === taskId ? all[0] : all.find(({ endpointId }) => endpointId === id)
      if (!found) throw new TaskNotFoundError('There is no such push notification configuration')
      return wireOf(found)
    },
    async remove(principal: Principal, taskId: string, id: string): Promise<void> {
      const found = (await list(principal, taskId)).filter(({ endpointId }) => endpointId === id)
      await store.transaction((tx) =>
        endEndpoints(
          tx,
          found.map(({ endpointId }) => endpointId),
          clock(),
        ),
      )
    },
  }
}

/** Without its secrets: they are write-only. */
function wireOf({ endpointId, taskId, url }: WebhookEndpoint): TaskPushNotificationConfig {
  return { id: endpointId, taskId, url, token: '', tenant: '', authentication: undefined }
}

function asMalformed(error: unknown): never {
  throw error instanceof AdcpError ? malformed(error.message) : error
}
