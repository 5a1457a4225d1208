import { AdcpError } from '../../protocol/errors.ts'
import type { Account } from './account.ts'
import type { AccountStatus } from './account-document.ts'

/** Every status and where it may go (AdCP enums/account-status; rejected and closed are terminal). */
export const TRANSITIONS: Readonly<Record<AccountStatus, readonly AccountStatus[]>> = {
  pending_approval: ['active', 'rejected', 'closed'],
  active: ['payment_required', 'suspended', 'closed'],
  payment_required: ['active', 'suspended', 'closed'],
  suspended: ['active', 'payment_required', 'closed'],
  rejected: [],
  closed: [],
}

/** Whether an account may go from one status to another. */
export function canTransition(from: AccountStatus, to: AccountStatus): boolean {
  return TRANSITIONS[from].includes(to)
}

/** Throws what keeps an account from being used for a task that changes something. */
export function requireUsable(account: Account): void {
  switch (account.status) {
    case 'active':
      return
    case 'pending_approval':
      throw new AdcpError('ACCOUNT_SETUP_REQUIRED', 'the account is pending approval by the publisher', {
        field: 'account',
        ...(account.document.setup && { details: { setup: account.document.setup } }),
      })
    case 'payment_required':
      throw new AdcpError('ACCOUNT_PAYMENT_REQUIRED', 'the account has an unpaid balance', { field: 'account' })
    case 'suspended':
      throw new AdcpError('ACCOUNT_SUSPENDED', 'the account is suspended', { field: 'account' })
    case 'rejected':
    case 'closed':
      throw new AdcpError('ACCOUNT_NOT_FOUND', 'the account is not open', { field: 'account' })
  }
}
