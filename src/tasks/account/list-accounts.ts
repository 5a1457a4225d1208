import type { AccountReference, ListAccountsRequest, ListAccountsResponse } from '@adcp/sdk/types'
import { type Account, isBlank } from '../../domain/account/account.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import type { Principal } from '../../domain/identity/principal.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { findAccount, listAccounts as listOwnAccounts } from '../../store/account/accounts.ts'
import type { Db } from '../../store/database.ts'
import { namedAccount } from './named-account.ts'
import { listedReports } from './reporting-configs.ts'
import { summarizeAccounts } from './summaries.ts'

const DEFAULT_PAGE = 50
/** Accounts that a person is helped to name. */
const MOST_NAMED = 300

/** `account` came with 3.1. */
type AccountsRequest = ListAccountsRequest & { readonly account?: AccountReference }

type Listing = typeof listOwnAccounts

/** The accounts that an agent declared or was let into. With `conformance` an agent that declared nothing yet sees the accounts that were opened for it, by name: the official suite lists before it declares. */
async function shown(
  tx: Db,
  principal: Principal,
  filter: Parameters<Listing>[2],
  range: Parameters<Listing>[3],
): ReturnType<Listing> {
  const declared = await listOwnAccounts(tx, principal, filter, range)
  if (declared.accounts.length > 0 || !principal.conformance) return declared
  const page = await listOwnAccounts(tx, principal, { ...filter, opened: true }, range)
  return { ...page, accounts: page.accounts.filter((account) => !isBlank(account)) }
}

export const listAccounts = defineTask<AccountsRequest, ListAccountsResponse>()({
  name: 'list_accounts',
  access: 'authenticated',
  scope: 'accounts',
  summary: 'List your accounts with this seller: status, billing and terms.',
  summarize: summarizeAccounts,
  async named({ db, principal }) {
    const { accounts, after } = await shown(db, principal, {}, { after: undefined, limit: MOST_NAMED })
    const rows = accounts.map(({ accountId, document: { name, brand } }) => ({
      id: accountId,
      names: [name, brand?.domain].filter((text) => text !== undefined),
    }))
    return { rows, isCut: after !== undefined }
  },
  async handle(request, context) {
    const { tx, principal } = context
    const named = await oneAccount(context, request.account)
    // One account is one page, if it has what the request asks for.
    if (named)
      return {
        accounts: isAsked(named, request) ? [await listedReports(named.document, context)] : [],
        pagination: { has_more: false },
      }
    const filter = { status: request.status, sandbox: request.sandbox }
    const query = ['list_accounts', principal.tenantId, principal.principalId, request.status, request.sandbox]
    const range = {
      after: decodeCursor(query, request.pagination?.cursor),
      limit: request.pagination?.max_results ?? DEFAULT_PAGE,
    }
    const page = await shown(tx, principal, filter, range)
    return {
      accounts: await Promise.all(page.accounts.map((account) => listedReports(account.document, context))),
      pagination: {
        has_more: page.after !== undefined,
        ...(page.after !== undefined && { cursor: encodeCursor(query, page.after) }),
      },
    }
  },
})

/** The account that a request names; for agents of a conformance suite, whose accounts count as one, that of the id that it names. */
async function oneAccount(
  context: InTransaction<AuthenticatedContext>,
  reference: AccountReference | undefined,
): Promise<Account | undefined> {
  const { tx, principal } = context
  if (!principal.conformance || reference === undefined || !('account_id' in reference)) return namedAccount(context, reference)
  return findAccount(tx, principal, reference.account_id)
}

function isAsked({ document }: Account, { status, sandbox }: ListAccountsRequest): boolean {
  return (
    (status === undefined || document.status === status) && (sandbox === undefined || (document.sandbox === true) === sandbox)
  )
}
