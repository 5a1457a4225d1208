import { randomUUID } from 'node:crypto'
import type { SyncAccountsRequest } from '@adcp/sdk/types'
import { type Account, naturalKeyOf } from '../../domain/account/account.ts'
import {
  ACCOUNT,
  checkSubscribers,
  declaredSubscribers,
  type NotificationConfig,
  needsProof,
} from '../../domain/account/notification-configs.ts'
import { isSettingsEntry } from '../../domain/account/settings-entry.ts'
import type { Principal } from '../../domain/identity/principal.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findOwnAccountByKey } from '../../store/account/accounts.ts'
import type { Db } from '../../store/database.ts'
import type { NamedAccounts } from './named-accounts.ts'

/** What came of the subscribers of one declared account. */
export interface Proof {
  /** The id that a new account has to get, since its subscribers were asked under it. */
  readonly accountId: string | undefined
  /** Why the account is refused; undefined when every subscriber may be stored. */
  readonly error: AdcpError | undefined
}

export const NO_PROOF: Proof = { accountId: undefined, error: undefined }

/**
 * Checks the subscribers of every declared account, and asks those that are to be active to prove that they control their addresses (AdCP sync_accounts,
 * "Account-level webhook subscriptions"). A dry run sends nothing.
 */
export function proveSubscribers(
  { accounts, dry_run }: Pick<SyncAccountsRequest, 'accounts' | 'dry_run'>,
  named: NamedAccounts,
  context: AuthenticatedContext,
): Promise<Proof[]> {
  return Promise.all(
    accounts.map((declared, index) => {
      const configs = declaredSubscribers(declared)
      if (!configs) return NO_PROOF
      const field = `accounts[${index}].notification_configs`
      return proofOf(configs, { declared, named: named.get(declared), field, sends: dry_run !== true }, context)
    }),
  )
}

interface Subject {
  readonly declared: SyncAccountsRequest['accounts'][number]
  /** The account that the entry names instead of declaring one. */
  readonly named: Account | undefined
  readonly field: string
  readonly sends: boolean
}

async function proofOf(
  configs: readonly NotificationConfig[],
  { declared, named, field, sends }: Subject,
  { db, principal, services }: AuthenticatedContext,
): Promise<Proof> {
  try {
    checkSubscribers(configs, field, ACCOUNT)
  } catch (error) {
    if (error instanceof AdcpError) return { accountId: undefined, error }
    throw error
  }
  const existing = named ?? (await findDeclared(db, principal, declared))
  const accountId = existing?.accountId ?? `acc_${randomUUID()}`
  const known = existing?.document.notification_configs ?? []
  const candidates = configs.map((config, position) => ({
    config,
    accountId,
    field: `${field}[${position}]`,
    challenged: sends && needsProof(config, known),
  }))
  const errors = await services.webhooks.proveSubscribers(principal, candidates)
  return { accountId, error: errors.find((error) => error !== undefined) }
}

/** The account that an entry declares; undefined when there is none yet. */
function findDeclared(
  db: Db,
  principal: Principal,
  declared: SyncAccountsRequest['accounts'][number],
): Promise<Account | undefined> {
  if (isSettingsEntry(declared)) return Promise.resolve(undefined)
  const { brand, operator, sandbox = false } = declared
  const key = naturalKeyOf({ brand, operator, sandbox })
  return key ? findOwnAccountByKey(db, principal, key) : Promise.resolve(undefined)
}
