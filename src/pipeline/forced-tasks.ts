import { staleAnswer } from '../domain/compliance/stale-answer.ts'
import { AdcpError } from '../protocol/errors.ts'
import { type Rejection, type SandboxDirective, useSandboxDirective } from '../store/approval/sandbox-directives.ts'
import { endOutages, type SandboxOutage } from '../store/approval/sandbox-outages.ts'
import { insertTask } from '../store/task/tasks.ts'
import type { InTransaction, PublicContext, Task } from './task.ts'

/** The task with an answer that mentions outages, which it ends: so the call is one that writes. */
export function answeringStale({ cacheKey: _key, ...task }: Task, outages: readonly SandboxOutage[]): Task {
  return {
    ...task,
    mutating: true,
    async handle(request, context, prepared) {
      const answer = await task.handle(request, context, prepared)
      if (context.principal) await endOutages(context.tx, context.principal, task.name)
      return staleAnswer(answer, outages)
    },
  }
}

/** The task with another way to answer: everything that is not about the answer stays. */
function answeredBy(
  { name, access, scope, account, summary, input, spends, sandboxOnly, aliases }: Task,
  answer: Pick<Task, 'summarize' | 'handle'>,
): Task {
  return { ...{ name, access, scope, account, summary, input, spends, sandboxOnly, aliases }, mutating: true, ...answer }
}

/** What a client that shows text reads of work that was submitted. */
export function submittedText(taskId: string): string {
  return `Submitted as task ${taskId}; get_task_status says when it is completed.`
}

/** The task with the answer that it was submitted under the directive's task id. */
export function submitting(task: Task, directive: SandboxDirective): Task {
  return answeredBy(task, {
    summarize: () => submittedText(directive.taskId),
    handle: (request, context) => submit(task.name, request, context, directive),
  })
}

/** The same of a search that was declined. */
export function declinedText(reason: string, suggestions: unknown): string {
  const instead = Array.isArray(suggestions) ? suggestions.map((each) => `\n- ${each}`).join('') : ''
  return `The seller declines this search: ${reason}${instead}`
}

/** The task with the answer that the seller declines the search, for this reason (AdCP 3.2 media-buy/get-products-rejected.json): no error, and no products. */
export function declining(task: Task, directive: SandboxDirective, rejection: Rejection): Task {
  return answeredBy(task, {
    summarize: () => declinedText(rejection.reason, rejection.suggestions),
    async handle(_request, { tx, principal }) {
      await useUp(tx, principal, directive)
      return { status: 'rejected', ...rejection }
    },
  })
}

/** What a buyer is told where the directive brings no words of its own. */
const INPUT_REQUIRED = 'The seller needs more of the buyer before it can book this order.'

/**
 * The task with the answer that something is needed of the buyer: errors and no order (AdCP 3.1, media-buy/create-media-buy-async-response-input-required.json
 * and the error form of its response).
 */
export function needingInput(task: Task, directive: SandboxDirective): Task {
  const message = directive.message ?? INPUT_REQUIRED
  return answeredBy(task, {
    summarize: () => message,
    async handle(_request, { tx, principal }) {
      await useUp(tx, principal, directive)
      const errors = [{ code: 'INVALID_REQUEST', message, recovery: 'correctable' }]
      return { status: 'input-required', reason: 'APPROVAL_REQUIRED', message, errors }
    },
  })
}

/** Throws CONFLICT when another call used the directive up first. */
async function useUp(
  tx: InTransaction<PublicContext>['tx'],
  principal: PublicContext['principal'],
  directive: SandboxDirective,
): Promise<void> {
  if (!principal || !(await useSandboxDirective(tx, principal, directive)))
    throw new AdcpError('CONFLICT', 'another call used the directive up; try again')
}

async function submit(
  taskType: string,
  request: object,
  { tx, principal, account, contract, now }: InTransaction<PublicContext>,
  directive: SandboxDirective,
): Promise<object> {
  const { taskId, message } = directive
  if (!principal) throw new Error('a directive belongs to a principal')
  await useUp(tx, principal, directive)
  const status = 'submitted'
  await insertTask(
    tx,
    principal,
    {
      ...{ taskId, taskType, status, accountId: account?.accountId ?? '', protocol: contract.protocolOf(taskType) ?? '' },
      ...(message !== undefined && { message }),
      request,
      hasWebhook: 'push_notification_config' in request && request.push_notification_config !== undefined,
    },
    now,
  )
  return { status, task_id: taskId, ...(message !== undefined && { message }) }
}
