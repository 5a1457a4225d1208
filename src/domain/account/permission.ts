import { AdcpError } from '../../protocol/errors.ts'

/** What one agent may do in one account. */
export interface AccountPermission {
  readonly readOnly: boolean
  /** Undefined allows every task. */
  readonly allowedTasks: readonly string[] | undefined
}

/** Throws READ_ONLY_SCOPE when the agent may only read this account, INSUFFICIENT_PERMISSIONS when it may not run this task in it. */
export function requirePermission(
  permission: AccountPermission | undefined,
  task: { readonly name: string; readonly isMutating: boolean },
): void {
  if (!permission) return
  if (permission.readOnly && task.isMutating) {
    throw new AdcpError('READ_ONLY_SCOPE', 'you may only read this account', {
      field: 'account',
      suggestion: 'ask the publisher for write access to the account',
    })
  }
  if (permission.allowedTasks && !allowsTask(permission, task.name)) {
    throw new AdcpError('INSUFFICIENT_PERMISSIONS', `you may not use ${task.name} with this account`, {
      field: 'account',
      suggestion: `allowed with this account: ${permission.allowedTasks.join(', ') || 'no task'}`,
    })
  }
}

/** Whether an agent may run a task that reads in an account. */
export function allowsTask(permission: AccountPermission | undefined, task: string): boolean {
  return permission?.allowedTasks?.includes(task) ?? true
}
