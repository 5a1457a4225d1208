import type { ListAccountsRequest, ListAccountsResponse } from '@adcp/sdk/types'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { defineTask } from '../../pipeline/task.ts'
import { listAccounts as listOwnAccounts } from '../../store/accounts.ts'

const DEFAULT_PAGE = 50

export const listAccounts = defineTask<ListAccountsRequest, ListAccountsResponse>()({
  name: 'list_accounts',
  access: 'authenticated',
  scope: 'accounts',
  summary: 'List your accounts with this seller: status, billing and terms, page by page.',
  async handle(request, { tx, principal }) {
    const query = ['list_accounts', principal.tenantId, principal.principalId, request.status, request.sandbox]
    const page = await listOwnAccounts(
      tx,
      principal,
      { status: request.status, sandbox: request.sandbox },
      { after: decodeCursor(query, request.pagination?.cursor), limit: request.pagination?.max_results ?? DEFAULT_PAGE },
    )
    return {
      accounts: page.accounts.map((account) => account.document),
      pagination: {
        has_more: page.after !== undefined,
        ...(page.after !== undefined && { cursor: encodeCursor(query, page.after) }),
      },
    }
  },
})
