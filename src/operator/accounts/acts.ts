import type { Act } from '../act.ts'
import { addPayment, listPayments, setCredit, takeBackAccountPayment } from './account-money.ts'
import { grantAccount, revokeAccount } from './grant-account.ts'
import { listAccounts, showAccount } from './list-accounts.ts'
import { setAccountStatus } from './set-account-status.ts'

/** What can be done with the accounts of buyers, in the order of the help. */
export const accountActs: readonly Act[] = [
  listAccounts,
  showAccount,
  grantAccount,
  revokeAccount,
  setAccountStatus,
  setCredit,
  addPayment,
  takeBackAccountPayment,
  listPayments,
]
