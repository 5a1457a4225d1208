import type { Account } from '../../domain/account/account.ts'
import { ACCOUNT_STATUSES } from '../../domain/account/account-document.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type AccountGrant, listAccountGrants } from '../../store/account/account-grants.ts'
import { findTenantAccount, listTenantAccounts } from '../../store/account/tenant-accounts.ts'
import type { Db } from '../../store/database.ts'
import { defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { DEFAULT_PAGE, paged, required } from '../fields.ts'
import { NAMED_BUYER, namedBuyer, OF_BUYER } from '../named-buyer.ts'
import { READERS } from '../roles.ts'
import { about, boolean, list, listOf, named, number, type Of, object, optional, orNull, pageOf, string, word } from '../shape.ts'
import { idText } from '../text-form.ts'

// Several acts in one file: a list, and one of its items in full.

/** The field of a list that is about one account. */
export const OF_ACCOUNT = idText('of one account')

/** The field that names an account. */
export const ACCOUNT = required(idText('id of the account'))

/** A credit limit as its buyer sees it. */
export const creditLimit = object({ amount: number, currency: about('ISO 4217', string) })

/** What a buyer may do with an account. */
export const accountGrant = {
  ...NAMED_BUYER,
  read_only: boolean,
  tasks: optional(about('the only tasks that are allowed; absent: all', listOf(string))),
}
const grantShape = object(accountGrant)
export type ShownGrant = Of<typeof grantShape>

const accountStatus = word(...ACCOUNT_STATUSES)

const accountShape = named(
  'ShownAccount',
  object({
    account_id: string,
    name: string,
    ...NAMED_BUYER,
    advertiser: about('domain of the brand that it advertises', orNull(string)),
    status: accountStatus,
    credit_limit: orNull(creditLimit),
    grants: listOf(grantShape),
  }),
)
export type ShownAccount = Of<typeof accountShape>

/** A page of the accounts of a publisher, by id, each with the buyers that may use it beside its own. Throws INVALID_REQUEST for a cursor of another query. */
export const listAccounts = defineAct({
  name: 'accounts.list',
  route: 'GET /accounts',
  id: 'listAccounts',
  roles: READERS,
  summary: 'Accounts, each with the buyers that may use it, by pages.',
  fields: { buyer: OF_BUYER, ...paged('accounts') },
  answer: pageOf(accountShape),
  command: {
    columns: [
      ['ACCOUNT', (row) => row.account_id],
      ['NAME', ({ name }) => name],
      ['BUYER', ({ buyer }) => buyer],
      ['STATUS', ({ status }) => status],
      ['GRANTS', ({ grants }) => grants.map(grantText).join('; ')],
    ],
  },
  async run({ store, tenantId }, { buyer, cursor, limit = DEFAULT_PAGE }) {
    const bound = ['accounts', tenantId, buyer]
    const after = decodeCursor(bound, cursor)
    const found = await listTenantAccounts(store.read, tenantId, { buyer, after, limit: limit + 1 })
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    return list(await withGrants(store.read, tenantId, page), last ? encodeCursor(bound, last.accountId) : null)
  },
})

/** One account. Throws REFERENCE_NOT_FOUND. */
export const showAccount = defineAct({
  name: 'accounts.show',
  route: 'GET /accounts/{account}',
  id: 'showAccount',
  roles: READERS,
  summary: 'One account with the buyers that may use it.',
  fields: { account: ACCOUNT },
  answer: accountShape,
  command: {
    text: ({ account_id, name, buyer, status, credit_limit: limit, grants }) => [
      `${account_id}: ${name}, of ${buyer}, ${status}`,
      `credit limit: ${limit === null ? 'none' : `${amountText(limit.amount, limit.currency)} ${limit.currency}`}`,
      ...grants.map((grant) => `may be used by ${grantText(grant)}`),
    ],
  },
  async run({ store, tenantId }, { account }) {
    const [shown] = await withGrants(store.read, tenantId, [await getAccount(store.read, tenantId, account)])
    if (!shown) throw new Error('one account is shown as one')
    return shown
  },
})

async function withGrants(db: Db, tenantId: string, accounts: readonly Account[]): Promise<ShownAccount[]> {
  const ids = accounts.map(({ accountId }) => accountId)
  const grants = await listAccountGrants(db, tenantId, ids)
  return accounts.map((account) => ({
    account_id: account.accountId,
    name: account.document.name,
    ...namedBuyer(account.principalId),
    advertiser: account.document.brand?.domain ?? null,
    status: account.status,
    credit_limit: account.document.credit_limit ?? null,
    grants: grants.filter(({ accountId }) => accountId === account.accountId).map(presentGrant),
  }))
}

/** A declared account. Throws REFERENCE_NOT_FOUND. */
export async function getAccount(db: Db, tenantId: string, accountId: string): Promise<Account> {
  const account = await findTenantAccount(db, tenantId, accountId)
  if (account && !account.implicit) return account
  throw new AdcpError('REFERENCE_NOT_FOUND', `no account ${accountId} in ${tenantId}`, { field: 'account' })
}

export function presentGrant({ principalId, readOnly, allowedTasks }: AccountGrant): ShownGrant {
  return { ...namedBuyer(principalId), read_only: readOnly, ...(allowedTasks && { tasks: allowedTasks }) }
}

/** A grant as a person reads it. */
export function grantText({ buyer, read_only, tasks }: ShownGrant): string {
  return [buyer, read_only ? 'read-only' : '', tasks?.join(',') ?? ''].filter(Boolean).join(' ')
}
