import { DECIDED_STATUSES } from '../../domain/account/account-document.ts'
import { setAccountStatus as setStoredStatus } from '../../store/account/tenant-accounts.ts'
import { defineAct } from '../act.ts'
import { oneOf, required } from '../fields.ts'
import { EDITORS } from '../roles.ts'
import { object, string, word } from '../shape.ts'
import { ACCOUNT, getAccount } from './list-accounts.ts'

/** Approves, suspends or closes an account. Throws REFERENCE_NOT_FOUND, INVALID_STATE. */
export const setAccountStatus = defineAct({
  name: 'accounts.status',
  route: 'PUT /accounts/{account}/status',
  id: 'setAccountStatus',
  roles: EDITORS,
  summary: 'Approves, suspends or closes an account.',
  fields: { account: ACCOUNT, status: required(oneOf(DECIDED_STATUSES, 'the new status')) },
  account: 'account',
  answer: object({ account_id: string, status: word(...DECIDED_STATUSES) }),
  command: {
    args: ['account', 'status'],
    confirm: ({ account, status }) =>
      status === 'closed' ? `Account ${account} is closed for good: its buyer orders nothing more with it. Go on?` : undefined,
    text: ({ account_id: id, status }) => [`account ${id} is ${status}`],
  },
  async run({ store, tenantId, clock, noteAllChanges }, { account, status }) {
    await store.transaction(async (tx) => {
      noteAllChanges({ status: [(await getAccount(tx, tenantId, account)).status, status] })
      await setStoredStatus(tx, tenantId, account, status, clock())
    })
    return { account_id: account, status }
  },
})
