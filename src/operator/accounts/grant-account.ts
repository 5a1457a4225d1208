import { AdcpError } from '../../protocol/errors.ts'
import { type AccountGrant, listAccountGrants, removeAccountGrant, saveAccountGrant } from '../../store/account/account-grants.ts'
import type { Db } from '../../store/database.ts'
import { TASKS } from '../../tasks/index.ts'
import { defineAct, type Watching } from '../act.ts'
import { flag, ids, type Values } from '../fields.ts'
import { BUYER, namedBuyer } from '../named-buyer.ts'
import { SELLERS } from '../roles.ts'
import { about, boolean, object, string } from '../shape.ts'
import { ACCOUNT, accountGrant, grantText, presentGrant } from './list-accounts.ts'

// Several acts in one file: they list, change and remove the same thing.

const GRANT = { account: ACCOUNT, buyer: BUYER }

/** Lets a buyer use an account, or limits what the account’s own buyer may do. Throws REFERENCE_NOT_FOUND, and INVALID_REQUEST for tasks that do not fit. */
export const grantAccount = defineAct({
  name: 'accounts.grant',
  route: 'PUT /accounts/{account}/grants/{buyer}',
  id: 'grantAccount',
  roles: SELLERS,
  summary: 'Lets a buyer use an account, or limits what the account’s own buyer may do.',
  fields: { ...GRANT, read_only: flag('nothing that changes state'), tasks: ids('only these tasks') },
  account: 'account',
  answer: object({ account_id: string, ...accountGrant }),
  command: { args: ['account'], text: ({ account_id: id, ...grant }) => [`${id}: ${grantText(grant)}`] },
  watch: watchedGrant,
  async run({ store, tenantId, clock }, { account: accountId, buyer, read_only: readOnly = false, tasks }) {
    const allowedTasks = tasks?.map((name) => taskNamed(name, readOnly))
    const grant: AccountGrant = { tenantId, accountId, principalId: buyer, readOnly, allowedTasks }
    await store.transaction((tx) => saveAccountGrant(tx, grant, clock()))
    return { account_id: accountId, ...presentGrant(grant) }
  },
})

/** What a buyer may do with an account by a grant, for the audit log. */
async function watchedGrant(tx: Db, { tenantId }: Watching, { account, buyer }: Values<typeof GRANT>) {
  const grants = await listAccountGrants(tx, tenantId, [account])
  const grant = grants.find(({ principalId }) => principalId === buyer)
  return grant ? { read_only: grant.readOnly, tasks: grant.allowedTasks ?? 'all' } : { read_only: null, tasks: null }
}

/** Removes a grant. Throws REFERENCE_NOT_FOUND. */
export const revokeAccount = defineAct({
  name: 'accounts.revoke',
  route: 'DELETE /accounts/{account}/grants/{buyer}',
  id: 'revokeAccountGrant',
  roles: SELLERS,
  summary: 'Removes a grant.',
  fields: GRANT,
  account: 'account',
  answer: object({ account_id: string, buyer: about('id of the buyer', string), removed: boolean }),
  command: {
    args: ['account'],
    text: ({ account_id: id, buyer }) => [`${id}: the grant of ${buyer} is gone`],
    json: ({ account_id, buyer }) => ({ account_id, ...namedBuyer(buyer), revoked: true }),
  },
  watch: watchedGrant,
  async run({ store, tenantId }, { account, buyer }) {
    await store.transaction((tx) => removeAccountGrant(tx, tenantId, account, buyer))
    return { account_id: account, buyer, removed: true }
  },
})

function taskNamed(name: string, readOnly: boolean): string {
  const task = TASKS.find((each) => each.name === name)
  if (!task) throw new AdcpError('INVALID_REQUEST', `"${name}" is no task of this agent`, { field: 'tasks' })
  if (readOnly && task.mutating)
    throw new AdcpError('INVALID_REQUEST', `${task.name} changes state, and the grant is read-only`, { field: 'tasks' })
  return task.name
}
