import type { AccountReference } from '@adcp/sdk/types'
import type { Principal } from '../domain/identity/principal.ts'
import { AdcpError } from '../protocol/errors.ts'
import { instead, quoted } from '../protocol/nearest-name.ts'
import { listAccounts } from '../store/account/accounts.ts'
import type { Db } from '../store/database.ts'

/** An agent has a handful of accounts; with more, the one that was meant is looked for among these. */
const MAX_COMPARED = 50

/** The refusal of an account reference, with the account of the caller's own that was most likely meant. Nothing of other agents' accounts is in it. */
export async function accountNotFound(
  db: Db,
  principal: Principal,
  reference: AccountReference,
  field = 'account',
): Promise<AdcpError> {
  const { accounts } = await listAccounts(db, principal, {}, { after: undefined, limit: MAX_COMPARED })
  const [sent, known] =
    'account_id' in reference
      ? [reference.account_id, accounts.map(({ accountId }) => accountId)]
      : [nameOf(reference), accounts.map(({ document }) => nameOf(document))]
  const hint = instead(sent, known, 'list_accounts lists yours, sync_accounts declares one')
  const key: NaturalKey = 'account_id' in reference ? {} : reference
  const stranger = strangeOperator(key, accounts)
  const message =
    stranger === undefined
      ? `${field} ${quoted(sent)} is not one of yours${hint}`
      : `${field}.operator ${quoted(key.operator ?? '')} operates none of your accounts for ${key.brand?.domain}${stranger}`
  return new AdcpError('ACCOUNT_NOT_FOUND', message, {
    field: stranger === undefined ? field : `${field}.operator`,
    suggestion: `declare it with sync_accounts${accounts.length === 0 ? '' : `, or send one of yours: ${ownAccounts(accounts)}`}`,
  })
}

/** The caller's own accounts, in both forms that name one, as the end of a sentence; undefined without any. */
export async function ownAccountsOf(db: Db, principal: Principal): Promise<string | undefined> {
  const { accounts } = await listAccounts(db, principal, {}, { after: undefined, limit: MOST_NAMED + 1 })
  return accounts.length === 0 ? undefined : `yours: ${ownAccounts(accounts)}`
}

/** The end of a sentence that refuses an operator of a brand that the caller has accounts for; undefined where more than the operator is wrong. */
function strangeOperator(
  { brand, operator }: NaturalKey,
  accounts: Awaited<ReturnType<typeof listAccounts>>['accounts'],
): string | undefined {
  const known = accounts.flatMap(({ document }) => (document.brand?.domain === brand?.domain ? (document.operator ?? []) : []))
  return known.length === 0 || known.includes(operator ?? '') ? undefined : instead(operator ?? '', [...new Set(known)], '')
}

/** The most accounts that a suggestion names. */
const MOST_NAMED = 5

/** Accounts of the caller's own, in both forms that name one: the recovery class of the code says nothing of what to send (enums/error-code.json: terminal). */
function ownAccounts(accounts: Awaited<ReturnType<typeof listAccounts>>['accounts']): string {
  const named = accounts
    .slice(0, MOST_NAMED)
    .map(({ accountId, document }) => `account_id ${quoted(accountId)} (${nameOf(document)})`)
  return `${named.join('; ')}${accounts.length > MOST_NAMED ? '; list_accounts lists all' : ''}`
}

interface NaturalKey {
  readonly brand?: { readonly domain?: string }
  readonly operator?: string
  readonly sandbox?: boolean
}

/** An account by its natural key, as one text. */
function nameOf({ brand, operator, sandbox }: NaturalKey): string {
  return `brand ${brand?.domain ?? ''}, operator ${operator ?? ''}${sandbox ? ', sandbox: true' : ''}`
}
