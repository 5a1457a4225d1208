import { randomUUID } from 'node:crypto'
import type { Principal } from '../../domain/identity/principal.ts'
import { taskTypeOf } from '../../domain/protocol/task-type.ts'
import type { Lookup } from '../../platform/net/lookup.ts'
import { isThisMachine } from '../../platform/net/safe-post.ts'
import type { Contracts } from '../../protocol/contracts.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import type { SecretBox } from '../../security/secrets/secret-box.ts'
import type { Db } from '../../store/database.ts'
import { advanceTask, getTask, insertTask } from '../../store/task/tasks.ts'
import { schedule, unscheduleEndpoints } from '../../store/webhook/scheduled-events.ts'
import { endEndpoints, endpointsOfKind, endpointsOfTask, insertEndpoint } from '../../store/webhook/webhook-endpoints.ts'
import { listState } from './list-events.ts'
import type { ProveControl } from './prove-control.ts'
import {
  checkAddress,
  checkWebhook,
  listEndpoint,
  registrationOf,
  subscriberEndpoint,
  THIS_AGENT,
  type Wanted,
  type WireWebhook,
  wantedWebhooks,
} from './registration.ts'
import type { WebhookCall, Webhooks } from './webhook-types.ts'

export interface WebhooksOptions {
  readonly contracts: Contracts
  readonly box: SecretBox
  /** Whether the server is a sandbox: only then may a sandbox buyer's webhooks go to this machine. */
  readonly sandbox: boolean
  readonly wake: () => void
  readonly proveControl: ProveControl
  readonly lookup?: Lookup | undefined
}

/** Statuses of a task that is not over (enums/task-status, and that of acquire_rights): its end is reported later. */
const UNFINISHED: ReadonlySet<unknown> = new Set(['submitted', 'working', 'input-required', 'auth-required', 'pending_approval'])

/**
 * Tasks that may outlast their call although their request schema has no place for a webhook: it is taken all the same, with an address and no
 * secrets, which the schema would have to declare.
 */
const OUTLASTING: ReadonlySet<string> = new Set(['activate_signal'])

/** Registers webhooks of calls and announces the end of those that were done at once. */
export function createWebhooks({ contracts, box, sandbox, wake, proveControl, lookup }: WebhooksOptions): Webhooks {
  const { base } = contracts
  const taskTypes = taskTypesOf(base.schemas)
  const isTold = ({ task, contract }: WebhookCall) =>
    taskTypes.has(taskTypeOf(task.name)) || taskTypesOf(contract.schemas).has(taskTypeOf(task.name))
  const wanted = (call: WebhookCall): readonly Wanted[] => {
    const { task, contract, request } = call
    return isTold(call)
      ? wantedWebhooks(request).filter(({ field }) => OUTLASTING.has(task.name) || isDeclared(contract.schemas, task.name, field))
      : []
  }
  const mayBeLocal = ({ principal }: { readonly principal: Principal }) => sandbox && principal.sandbox
  return {
    wake,
    checkAddress: (principal, url, field) => checkAddress(url, field, mayBeLocal({ principal }), lookup),
    async followList(tx, wish) {
      const { principal, kind, listId, url, members, now } = wish
      const before = (await endpointsOfTask(tx, principal, listId)).map(({ endpointId }) => endpointId)
      await endEndpoints(tx, before, now)
      await unscheduleEndpoints(tx, before)
      if (url === '') return
      const endpoint = listEndpoint(wish, mayBeLocal(wish), box)
      await insertEndpoint(tx, endpoint, now)
      await schedule(tx, endpoint, 'list', listId, now, listState(kind, members))
    },
    proveSubscribers: (principal, candidates) =>
      Promise.all(
        candidates.map(async ({ config, accountId, field, challenged }) => {
          const loopback = mayBeLocal({ principal })
          try {
            await checkAddress(config.url, `${field}.url`, loopback, lookup)
          } catch (error) {
            if (error instanceof AdcpError) return error
            throw error
          }
          // Receivers of the official suite are on this machine and answer no challenge (DIVERGENCES, `--conformance`).
          if (principal.conformance && isThisMachine(new URL(config.url).hostname)) return undefined
          if (!challenged || (await proveControl({ config, accountId, loopback }))) return undefined
          const message = `${field}.url did not answer the challenge: it has to send the text back as {"challenge": …} with HTTP 200`
          return new AdcpError('VALIDATION_ERROR', message, { field: `${field}.url` })
        }),
      ),
    async follow(tx, { principal, accountId, configs, release, now }) {
      const all = await endpointsOfKind(tx, principal, accountId === undefined ? 'agent' : 'account')
      const before = all.filter(({ taskId }) => taskId === (accountId ?? THIS_AGENT)).map(({ endpointId }) => endpointId)
      await endEndpoints(tx, before, now)
      for (const config of configs) {
        if (config.active === false) continue
        const options = { principal, accountId, release, loopback: mayBeLocal({ principal }), box }
        await insertEndpoint(tx, subscriberEndpoint(config, options), now)
      }
    },
    checkRevocation: (principal, webhook) => checkWebhook(revocationOf(webhook), mayBeLocal({ principal }), lookup),
    async followGrant(tx, { principal, grantId, webhook, now }) {
      const before = (await endpointsOfTask(tx, principal, grantId)).map(({ endpointId }) => endpointId)
      await endEndpoints(tx, before, now)
      const context = undefined
      const options = {
        principal,
        taskId: grantId,
        taskType: 'acquire_rights',
        protocol: base.protocolOf('acquire_rights'),
        context,
        loopback: mayBeLocal({ principal }),
        box,
      }
      await insertEndpoint(tx, registrationOf(revocationOf(webhook), options), now)
    },
    async check(call) {
      for (const one of wanted(call)) await checkWebhook(one, mayBeLocal(call), lookup)
    },
    async record(tx, call, payload) {
      const unfinished = UNFINISHED.has(payload.status) && typeof payload.task_id === 'string'
      // Searches are work of their own since 3.1: what is not deferred is in the answer, and told to nobody else.
      const all = unfinished || taskTypes.has(taskTypeOf(call.task.name)) ? wanted(call) : []
      if (all.length === 0) return false
      const taskId = unfinished ? String(payload.task_id) : `task_${randomUUID()}`
      const context: unknown = Reflect.get(call.request, 'context')
      for (const one of all) {
        // Work that outlasts its call is an A2A task of its own.
        const native = call.native && (unfinished ? { format: call.native.format } : call.native)
        const { principal } = call
        const { contract } = call
        const options = {
          principal,
          taskId,
          taskType: taskTypeOf(call.task.name),
          protocol: contract.protocolOf(call.task.name),
          release: contract.namedLine,
          context,
          loopback: mayBeLocal(call),
          box,
          native,
        }
        const registration = registrationOf(one, options)
        if (registration.scheme) call.log.info({ scheme: registration.scheme, field: one.field }, 'webhook with a legacy secret')
        await insertEndpoint(tx, registration, call.now)
      }
      if (!unfinished) await recordDone(tx, call, all, taskId, payload)
      return !unfinished
    },
  }
}

/** A call that was done at once is a task that is over: the webhook names it, and `tasks/get` knows it. */
async function recordDone(
  tx: Db,
  { task, contract, request, principal, account, now }: WebhookCall,
  wanted: readonly Wanted[],
  taskId: string,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  await insertTask(
    tx,
    principal,
    {
      taskId,
      accountId: account?.accountId ?? '',
      taskType: taskTypeOf(task.name),
      protocol: contract.protocolOf(task.name) ?? '',
      status: 'submitted',
      request,
      hasWebhook: wanted.some(({ kind }) => kind === 'push'),
    },
    now,
  )
  const begun = await getTask(tx, principal, taskId)
  await advanceTask(tx, principal, begun, { status: 'completed', result: payload }, now)
}

function revocationOf(webhook: WireWebhook): Wanted {
  return { kind: 'revocation', field: 'revocation_webhook', webhook }
}

/** Whether the official request schema of a task has the field: an unknown one is data of the caller's, not a registration. */
function isDeclared(schemas: Schemas, task: string, field: string): boolean {
  const path = schemas.pathsOf(task)?.request
  const properties = path === undefined ? undefined : schemas.document(path).properties
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, field)
}

/** Tasks that a release tells of by webhook (enums/task-type). */
function taskTypesOf(schemas: Schemas): ReadonlySet<unknown> {
  const values = schemas.document('enums/task-type.json').enum
  return new Set<unknown>(Array.isArray(values) ? values : [])
}
