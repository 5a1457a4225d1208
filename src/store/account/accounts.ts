import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Account, NaturalKey } from '../../domain/account/account.ts'
import { naturalKeyText } from '../../domain/account/account.ts'
import type { AccountDocument, AccountStatus } from '../../domain/account/account-document.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { giveWay } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { pageOfSize } from '../page-size.ts'
import { scheduleAccountCheck } from '../webhook/scheduled-events.ts'
import { noteChange } from './account-changes.ts'
import { permissionOf } from './account-grants.ts'
import type { AccountTables } from './rows.ts'

type AccountRow = Selectable<AccountTables['accounts']>

/** An account with what the grant of the asking agent says, when there is one. */
type UsableRow = AccountRow & { readonly grant_read_only: number | null; readonly grant_allowed_tasks: string | null }

function usableOf(row: UsableRow): Account {
  if (row.grant_read_only === null) return accountOf(row)
  return { ...accountOf(row), permission: permissionOf(row.grant_read_only, row.grant_allowed_tasks) }
}

/** The account of a row, without the permissions of a caller. */
export function accountOf(row: AccountRow): Account {
  const document: AccountDocument = JSON.parse(row.document)
  return {
    tenantId: row.tenant_id,
    accountId: row.account_id,
    principalId: row.principal_id,
    naturalKey: row.natural_key,
    status: row.status,
    sandbox: row.sandbox === 1,
    implicit: row.implicit === 1,
    document: { ...document, status: row.status },
    revision: row.revision,
  }
}

/** An account that the principal may use, by seller-assigned id; any other is indistinguishable from none. */
export async function findAccount(db: Db, user: PrincipalRef, accountId: string): Promise<Account | undefined> {
  const [row] = (await usableById(db, { ...user, accountId })).rows
  return row && usableOf(row)
}

/** An account that the principal may use, by natural key; its own comes before one that it shares. */
export async function findAccountByKey(db: Db, user: PrincipalRef, key: NaturalKey): Promise<Account | undefined> {
  const { rows } = await usableByKey(db, { ...user, naturalKey: naturalKeyText(key) })
  const row = rows.find(({ principal_id }) => principal_id === user.principalId) ?? rows[0]
  return row && usableOf(row)
}

/** The account that the principal itself declared under a natural key. */
export async function findOwnAccountByKey(db: Db, owner: PrincipalRef, key: NaturalKey): Promise<Account | undefined> {
  const account = await findAccountByKey(db, owner, key)
  return account?.principalId === owner.principalId ? account : undefined
}

/** Accounts that the principal declared or was let into. */
function usable(db: Db, user: PrincipalRef) {
  return db
    .selectFrom('accounts as a')
    .leftJoin('account_grants as g', (j) =>
      j
        .onRef('g.tenant_id', '=', 'a.tenant_id')
        .onRef('g.account_id', '=', 'a.account_id')
        .on('g.principal_id', '=', user.principalId),
    )
    .selectAll('a')
    .select(['g.read_only as grant_read_only', 'g.allowed_tasks as grant_allowed_tasks'])
    .where('a.tenant_id', '=', user.tenantId)
    .where((e) => e.or([e('a.principal_id', '=', user.principalId), e('g.principal_id', 'is not', null)]))
}

const usableById = hotQuery(['tenantId', 'principalId', 'accountId'], (db, value) =>
  usable(db, { tenantId: value('tenantId'), principalId: value('principalId') }).where('a.account_id', '=', value('accountId')),
)

const usableByKey = hotQuery(['tenantId', 'principalId', 'naturalKey'], (db, value) =>
  usable(db, { tenantId: value('tenantId'), principalId: value('principalId') })
    .where('a.natural_key', '=', value('naturalKey'))
    .orderBy('a.account_id'),
)

function owned(db: Db, owner: PrincipalRef) {
  return db
    .selectFrom('accounts')
    .selectAll()
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
}

export interface AccountPage {
  readonly accounts: readonly Account[]
  /** Keyset position of the next page. */
  readonly after: string | undefined
}

/** The accounts that the principal may use in order of id, `limit` at most, fewer where they are large, after the given id; `opened`: those that were never declared. */
export async function listAccounts(
  db: Db,
  user: PrincipalRef,
  filter: { status?: AccountStatus | undefined; sandbox?: boolean | undefined; opened?: boolean },
  page: { after: string | undefined; limit: number },
): Promise<AccountPage> {
  const matching = usable(db, user)
    .where('a.implicit', '=', filter.opened ? 1 : 0)
    .$if(filter.status !== undefined, (q) => q.where('a.status', '=', filter.status ?? 'active'))
    .$if(filter.sandbox !== undefined, (q) => q.where('a.sandbox', '=', filter.sandbox ? 1 : 0))
  const ordered = matching
    .$if(page.after !== undefined, (q) => q.where('a.account_id', '>', page.after ?? ''))
    .orderBy('a.account_id')
  const { rows, isCut } = await pageOfSize(ordered, ['a.document'], page.limit)
  return { accounts: rows.map(usableOf), after: isCut ? rows.at(-1)?.account_id : undefined }
}

export interface NewAccount {
  readonly key: NaturalKey
  readonly status: AccountStatus
  readonly document: Omit<AccountDocument, 'account_id' | 'status'>
  readonly implicit?: boolean
  /** Only a sandbox caller chooses its own id. */
  readonly accountId?: string
}

/** Creates an account, under a random id unless one is given. Returns undefined when the natural key is taken (a concurrent twin won). */
export async function insertAccount(tx: Db, owner: PrincipalRef, account: NewAccount, now: Date): Promise<Account | undefined> {
  const accountId = account.accountId ?? `acc_${randomUUID()}`
  const row = await tx
    .insertInto('accounts')
    .values({
      tenant_id: owner.tenantId,
      account_id: accountId,
      principal_id: owner.principalId,
      natural_key: naturalKeyText(account.key),
      status: account.status,
      sandbox: account.key.sandbox ? 1 : 0,
      implicit: account.implicit ? 1 : 0,
      billing: account.document.billing ?? null,
      document: JSON.stringify({ ...account.document, account_id: accountId, status: account.status }),
      revision: 1,
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
    })
    .onConflict((c) => c.doNothing())
    .returningAll()
    .executeTakeFirst()
  const inserted = row && accountOf(row)
  if (inserted && !inserted.implicit) await noteChange(tx, changeOf(inserted, 'created'))
  return inserted
}

function changeOf({ tenantId, accountId, revision }: Account, action: 'created' | 'updated') {
  return { tenantId, accountId, resource: 'account', resourceId: accountId, action, revision } as const
}

/** Saves a changed account by compare-and-set on its revision. Throws CONFLICT when another write came first. */
export async function saveAccount(tx: Db, account: Account, now: Date): Promise<Account> {
  const row = await tx
    .updateTable('accounts')
    .set({
      status: account.status,
      implicit: account.implicit ? 1 : 0,
      billing: account.document.billing ?? null,
      document: JSON.stringify({ ...account.document, status: account.status }),
      revision: account.revision + 1,
      updated_at: now.toISOString(),
    })
    .where('tenant_id', '=', account.tenantId)
    .where('account_id', '=', account.accountId)
    .where('revision', '=', account.revision)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new AdcpError('CONFLICT', 'the account changed at the same time; read it again', { field: 'account' })
  await scheduleAccountCheck(tx, account.tenantId, account.accountId, now)
  const saved = accountOf(row)
  await noteChange(tx, changeOf(saved, 'updated'))
  return saved
}

/** Accounts that are read at once to be closed. */
const CLOSED_AT_ONCE = 100

/** Closes the principal's declared accounts whose natural keys are not among `keys`, some at a time: others are served in between. */
export async function closeAccountsExcept(tx: Db, owner: PrincipalRef, keys: readonly string[], now: Date): Promise<void> {
  const kept = new Set(keys)
  for (let after = ''; ; ) {
    const open = await owned(tx, owner)
      .where('implicit', '=', 0)
      .where('status', 'not in', ['closed', 'rejected'])
      .where('account_id', '>', after)
      .orderBy('account_id')
      .limit(CLOSED_AT_ONCE)
      .execute()
    for (const row of open) if (!kept.has(row.natural_key)) await saveAccount(tx, { ...accountOf(row), status: 'closed' }, now)
    await giveWay()
    const last = open.at(-1)
    if (open.length < CLOSED_AT_ONCE || !last) return
    after = last.account_id
  }
}
