import { withoutWebhookSecrets } from '../../domain/webhook/without-webhook-secrets.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findSandboxDirective, type SandboxDirective, useSandboxDirective } from '../../store/approval/sandbox-directives.ts'
import { insertTask } from '../../store/task/tasks.ts'
import type { State, Step } from '../state.ts'
import type { InTransaction, PublicContext, Task } from '../task.ts'

/** The calls that a directive is for: searches. A read of the whole feed is always answered at once (AdCP 3.1, wholesale feeds). */
const IS_SEARCH: Readonly<Record<string, (request: object) => boolean>> = {
  get_products: (request) => 'buying_mode' in request && request.buying_mode !== 'wholesale',
  get_signals: (request) => !('discovery_mode' in request) || request.discovery_mode !== 'wholesale',
}

/**
 * Answers a sandbox agent's search as its directive says (AdCP 3.1, comply_test_controller `force_get_products_arm`, `force_get_signals_arm`): as
 * `submitted`, with a task that the controller completes. The call is then one that writes: it has a transaction, an idempotency record and webhooks
 * as every other.
 */
export const answerAsForced: Step = async (state, next) => {
  const directive = await directiveFor(state)
  return next(directive && state.task ? { ...state, task: submitting(state.task, directive) } : state)
}

/** 3.0 has no task that a search could be followed by. */
async function directiveFor({ task, request, principal, contract, deps }: State): Promise<SandboxDirective | undefined> {
  if (contract.isBase || !principal?.sandbox || !task || !request || !IS_SEARCH[task.name]?.(request)) return undefined
  return findSandboxDirective(deps.store.read, principal, task.name)
}

/** The task with another way to answer: everything that is not about the answer stays. */
function submitting(
  { name, access, scope, account, summary, input, spends, sandboxOnly, aliases }: Task,
  directive: SandboxDirective,
): Task {
  return {
    ...{ name, access, scope, account, summary, input, spends, sandboxOnly, aliases },
    mutating: true,
    summarize: () => `Submitted as task ${directive.taskId}; get_task_status says when it is completed.`,
    handle: (request, context) => submit(name, request, context, directive),
  }
}

async function submit(
  taskType: string,
  request: object,
  { tx, principal, account, contract, now }: InTransaction<PublicContext>,
  directive: SandboxDirective,
): Promise<object> {
  const { taskId, message } = directive
  if (!principal || !(await useSandboxDirective(tx, principal, directive)))
    throw new AdcpError('CONFLICT', 'another call used the directive up; try again')
  const status = 'submitted'
  await insertTask(
    tx,
    principal,
    {
      ...{ taskId, taskType, status, accountId: account?.accountId ?? '', protocol: contract.protocolOf(taskType) ?? '' },
      ...(message !== undefined && { message }),
      request: withoutWebhookSecrets(request),
      hasWebhook: 'push_notification_config' in request && request.push_notification_config !== undefined,
    },
    now,
  )
  return { status, task_id: taskId, ...(message !== undefined && { message }) }
}
