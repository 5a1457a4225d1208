import { randomUUID } from 'node:crypto'
import type { AgentCard, StreamResponse, Task } from 'a2a'
import { A2AError, TaskNotFoundError, UnsupportedOperationError } from 'a2a/errors'
import type { A2ARequestHandler, ServerCallContext } from 'a2a/server'
import type { Identity } from '../../domain/identity/identity.ts'
import type { NativePush } from '../../features/webhooks/webhook-types.ts'
import type { Call, Dispatch, Outcome } from '../../pipeline/call.ts'
import { AdcpError, type RecoveryOf } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { bearerChallenge, realmAt } from '../../security/auth/challenge.ts'
import type { AnswerSeal } from '../../security/secrets/sealed-answer.ts'
import type { JsonObject } from '../json-rpc/json.ts'
import { calledTask, eventsOf, isOver, isWaitingForBuyer, storedTask } from './envelope.ts'
import { Exchange } from './exchange.ts'
import { checkShared, checkTaskId, type Invocation, invocationOf, malformed } from './invocation.ts'
import { type PushConfigOptions, pushConfigs } from './push-configs.ts'
import { CALL_PREFIX, createRecentTasks, KEEP_MINUTES } from './recent-tasks.ts'
import { listArguments, type StoredTaskOptions, storedTasks } from './stored-tasks.ts'

export interface RequestHandlerOptions extends StoredTaskOptions, PushConfigOptions {
  readonly dispatch: Dispatch
  /** Recovery classes for what is refused before a release is negotiated. */
  readonly recoveryOf: RecoveryOf
  /** Writes and reads answers that are stored for `tasks/get`. */
  readonly answerSeal: AnswerSeal
  /** The card that the sender of a request sees, and the one for everybody. */
  readonly cardFor: (exchange: Exchange) => Promise<AgentCard>
  readonly publicCard: () => Promise<AgentCard>
  /** Whether the task of that name takes a `push_notification_config`. */
  readonly takesPush: (skill: string) => boolean
  /** Whether a call of the task of that name changes something. */
  readonly isChange: (skill: string, args: unknown) => boolean
}

/** The same for an id that another has and for one that nobody has. */
const NO_TASK = `There is no such task: answers of calls are there for ${KEEP_MINUTES} minutes, submitted work under the task_id of its answer (the skill list_tasks lists it); a message without taskId begins anew`

/**
 * The operations of A2A, both revisions, over the one pipeline: a message is a call of the task that it names, and the task
 * operations are `get_task_status` and `list_tasks` in other words. Nothing is stored here that the store does not have, but for the
 * last answers of calls that read.
 */
export function createRequestHandler(options: RequestHandlerOptions): A2ARequestHandler {
  const { dispatch, clock, log } = options
  const recent = createRecentTasks(options.store, options.answerSeal)
  const stored = storedTasks(options)
  const push = pushConfigs(options)

  /** Runs an operation. What is no A2A error stays in the log, or becomes the refusal of the HTTP request. */
  async function guarded<T>(context: ServerCallContext, operation: (exchange: Exchange) => Promise<T>): Promise<T> {
    const exchange = Exchange.of(context)
    try {
      checkShared(exchange.params)
      return await operation(exchange)
    } catch (error) {
      if (error instanceof A2AError || exchange.refusal) throw error
      if (error instanceof AdcpError && error.http) throw exchange.refuse(error)
      log.error({ err: error, requestId: exchange.requestId }, 'a2a request failed')
      throw new A2AError('Internal error')
    }
  }

  function call(exchange: Exchange, tool: string, args: unknown, more: Pick<Call, 'meta' | 'nativePush'> = {}): Promise<Outcome> {
    const { requestId, credentials, caller, publicTenant } = exchange
    return dispatch({
      requestId,
      transport: 'a2a',
      tool,
      arguments: args,
      ...more,
      credentials,
      caller,
      ...(publicTenant !== undefined && { publicTenant }),
    })
  }

  /** Calls one of the task operations and gives its payload; what it refuses is refused in A2A's words. */
  async function ask(exchange: Exchange, tool: string, args: JsonObject): Promise<JsonObject> {
    const outcome = await call(exchange, tool, args)
    if (outcome.ok) return outcome.payload
    const { error } = outcome
    if (error.http) throw exchange.refuse(error)
    if (error.code === 'REFERENCE_NOT_FOUND') throw new TaskNotFoundError(NO_TASK)
    throw error.code === 'INVALID_REQUEST' ? malformed(error.message) : new UnsupportedOperationError(error.message)
  }

  async function known(exchange: Exchange): Promise<Identity> {
    const caller = await exchange.caller()
    if (caller.kind === 'known') return caller
    throw caller.kind === 'refused' ? exchange.refuse(caller.error) : exchange.refuse(authRequired(options, exchange))
  }

  async function find(exchange: Exchange, id: string): Promise<Task> {
    checkTaskId(id)
    const caller = await exchange.caller()
    const answered = caller.kind === 'known' ? await recent.find(caller.principal, id, clock()) : undefined
    return answered ?? findStored(exchange, id)
  }

  async function findStored(exchange: Exchange, id: string): Promise<Task> {
    checkTaskId(id)
    const release = await stored.releaseOf(exchange, id)
    const args = { task_id: id, include_result: true, ...(release !== undefined && { adcp_version: release }) }
    return storedTask(await ask(exchange, 'get_task_status', args), options.recoveryOf)
  }

  async function send(exchange: Exchange): Promise<Task> {
    const invocation = invocationOf(exchange.params)
    const caller = await exchange.caller()
    const answered = caller.kind === 'known' ? await goesOnWith(exchange, invocation.taskId) : undefined
    const ids = { id: `${CALL_PREFIX}${randomUUID()}`, contextId: invocation.contextId ?? `ctx_${randomUUID()}` }
    const { args, isNative } = argumentsOf(invocation, options.takesPush, answered)
    const nativePush: NativePush = { format: `a2a-${exchange.version}`, a2aTask: ids }
    const more = { meta: invocation.meta, ...(isNative && { nativePush }) }
    const outcome = await call(exchange, invocation.skill, args, more)
    if (!outcome.ok && outcome.error.http) throw exchange.refuse(outcome.error, outcome.context)
    const now = clock()
    const task = calledTask(outcome, ids, exchange.version, now)
    if (caller.kind === 'known') {
      // What was done is done: its answer goes out, whether or not it can be asked for again.
      await recent
        .keep(caller.principal, task, now, { changes: options.isChange(invocation.skill, args) })
        .catch((error: unknown) =>
          log.error({ err: error, requestId: exchange.requestId }, 'the answer of a call was not stored'),
        )
    }
    return task
  }

  /**
   * A message may go on with work that is stored: where that waits for the buyer, the message answers it, else what it calls is a call of its own.
   * An answered call is over, and so is finished work by A2A 1.0 §3.1.1. Under 0.3 the official client of AdCP sends the id of submitted work along with the call after
   * it, which may well find the work finished.
   */
  async function goesOnWith(exchange: Exchange, taskId: string | undefined): Promise<string | undefined> {
    if (taskId === undefined) return undefined
    const task = await find(exchange, taskId)
    if (isOver(task) && (exchange.version === '1.0' || taskId.startsWith(CALL_PREFIX)))
      throw new UnsupportedOperationError('The task is over: send the message without its taskId')
    return isWaitingForBuyer(task) ? taskId : undefined
  }

  return {
    getAgentCard: () => options.publicCard(),
    getAuthenticatedExtendedAgentCard: (_params, context) =>
      guarded(context, async (exchange) => {
        await known(exchange)
        return options.cardFor(exchange)
      }),
    sendMessage: (_params, context) => guarded(context, send),
    async *sendMessageStream(_params, context): AsyncGenerator<StreamResponse, void, undefined> {
      yield* eventsOf(await guarded(context, send))
    },
    getTask: ({ id }, context) => guarded(context, (exchange) => find(exchange, id)),
    listTasks: (params, context) =>
      guarded(context, async (exchange) => {
        const payload = await ask(exchange, 'list_tasks', listArguments(params))
        const { principal } = await known(exchange)
        return stored.page(principal, payload, params)
      }),
    cancelTask: ({ id }, context) =>
      guarded(context, async (exchange) => {
        const task = await find(exchange, id)
        const { principal } = await known(exchange)
        return stored.cancel(principal, task)
      }),
    async *resubscribe({ id }, context): AsyncGenerator<StreamResponse, void, undefined> {
      const { task, principal } = await guarded(context, async (exchange) => {
        const task = await find(exchange, id)
        if (isOver(task)) throw new UnsupportedOperationError('The task is over')
        return { task, principal: (await known(exchange)).principal }
      })
      yield* stored.watch(principal, task)
    },
    createTaskPushNotificationConfig: ({ taskId }, context) =>
      guarded(context, async (exchange) => {
        const task = await findStored(exchange, taskId)
        return push.add(exchange, await known(exchange), task)
      }),
    getTaskPushNotificationConfig: ({ taskId, id }, context) =>
      guarded(context, async (exchange) => {
        await findStored(exchange, taskId)
        return push.get((await known(exchange)).principal, taskId, id)
      }),
    listTaskPushNotificationConfigs: ({ taskId }, context) =>
      guarded(context, async (exchange) => {
        await findStored(exchange, taskId)
        return { configs: await push.list((await known(exchange)).principal, taskId), nextPageToken: '' }
      }),
    deleteTaskPushNotificationConfig: ({ taskId, id }, context) =>
      guarded(context, async (exchange) => {
        await findStored(exchange, taskId)
        await push.remove((await known(exchange)).principal, taskId, id)
      }),
  }
}

/**
 * The arguments with what came beside them: the webhook, unless they name one themselves or the task takes none, and the task that the message
 * answers, in the member by which AdCP requests do so here.
 */
function argumentsOf(
  { skill, arguments: args, push }: Invocation,
  takesPush: (skill: string) => boolean,
  answered: string | undefined,
): { readonly args: unknown; readonly isNative: boolean } {
  if (!isObject(args)) return { args, isNative: false }
  const isNative = push !== undefined && !('push_notification_config' in args) && takesPush(skill)
  const ext =
    answered !== undefined && takesPush(skill) ? { ext: { answers_task: answered, ...(isObject(args.ext) && args.ext) } } : {}
  return { args: { ...args, ...ext, ...(isNative && { push_notification_config: push }) }, isNative }
}

function authRequired({ services }: RequestHandlerOptions, { credentials }: Exchange): AdcpError {
  return new AdcpError('AUTH_REQUIRED', 'this needs credentials: send Authorization: Bearer on the transport', {
    http: { status: 401, headers: { 'WWW-Authenticate': bearerChallenge(realmAt(services.wiring, credentials.target)) } },
  })
}
