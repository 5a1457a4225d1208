import type { InputNotes } from '../pipeline/task.ts'

/** AdCP core/account-ref.json: both of its forms. */
export const ACCOUNT_REFERENCE: InputNotes = {
  account: '{account_id}, or {brand, operator}',
  'account.account_id': '',
  'account.brand.domain': '',
  'account.operator': '',
}
