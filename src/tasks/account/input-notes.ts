import type { InputNotes } from '../../pipeline/task.ts'

export const SYNC_ACCOUNTS: InputNotes = {
  accounts: 'operator: the domain of who buys for the brand',
  'accounts.sandbox': '',
}
