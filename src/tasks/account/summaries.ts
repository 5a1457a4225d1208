import type { ListAccountsResponse, SyncAccountsSuccess } from '@adcp/sdk/types'
import { outline } from '../../domain/summary/outline.ts'

/** sync_accounts: each account with what became of it. */
export const summarizeSyncedAccounts = (response: SyncAccountsSuccess): string =>
  outline(
    response,
    'Next: pass account {account_id}, or {brand, operator}, in the calls about it. Only an active account can buy.',
  )

/** list_accounts: each account with its status. */
export const summarizeAccounts = (response: ListAccountsResponse): string =>
  outline(response, 'Next: sync_accounts declares further ones.')
