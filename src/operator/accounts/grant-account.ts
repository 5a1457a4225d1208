import { AdcpError } from '../../protocol/errors.ts'
import { type AccountGrant, removeAccountGrant, saveAccountGrant } from '../../store/account/account-grants.ts'
import { TASKS } from '../../tasks/index.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'
import { presentGrant, type ShownGrant } from './list-accounts.ts'

/** Lets an agent use an account, or narrows what its own agent may do. Throws REFERENCE_NOT_FOUND, and INVALID_REQUEST for tasks that do not fit. */
export async function grantAccount(
  context: OperatorContext,
  input: {
    readonly tenantId: string
    readonly accountId: string
    readonly principalId: string
    readonly readOnly: boolean
    /** Names of the only tasks that are allowed; absent: all. */
    readonly tasks?: readonly string[] | undefined
  },
): Promise<ShownGrant> {
  const { tasks, ...facts } = input
  const { tenantId, accountId, principalId, readOnly } = facts
  const grant: AccountGrant = { ...facts, allowedTasks: tasks?.map((name) => taskNamed(name, readOnly)) }
  const store = auditedStore(context, { task: 'accounts.grant', tenant: tenantId, account: accountId, subject: principalId })
  await store.transaction((tx) => saveAccountGrant(tx, grant, context.clock()))
  return presentGrant(grant)
}

/** Takes a grant away. Throws REFERENCE_NOT_FOUND. */
export async function revokeAccount(
  context: OperatorContext,
  { tenantId, accountId, principalId }: { readonly tenantId: string; readonly accountId: string; readonly principalId: string },
): Promise<void> {
  const store = auditedStore(context, { task: 'accounts.revoke', tenant: tenantId, account: accountId, subject: principalId })
  await store.transaction((tx) => removeAccountGrant(tx, tenantId, accountId, principalId))
}

function taskNamed(name: string, readOnly: boolean): string {
  const task = TASKS.find((each) => each.name === name)
  if (!task) throw new AdcpError('INVALID_REQUEST', `"${name}" is no task of this agent`, { field: 'tasks' })
  if (readOnly && task.mutating)
    throw new AdcpError('INVALID_REQUEST', `${task.name} changes state, which --read-only forbids`, { field: 'tasks' })
  return task.name
}
