import { AdcpError } from '../../protocol/errors.ts'
import type { AccountName } from '../party.ts'
import type { Account } from './account.ts'
import type { AccountDocument, DeclaredAccount } from './account-document.ts'
import { declaredSubscribers, shownSubscriber } from './notification-configs.ts'
import type { SyncDecision } from './sync-accounts.ts'

/** An entry of sync_accounts that changes settings of an existing account, named by `account` (AdCP 3.1 sync_accounts, settings-update mode). */
export type SettingsEntry = Pick<DeclaredAccount, 'billing_entity' | 'payment_terms'> & { readonly account: AccountName }

/** Whether an entry names an existing account instead of declaring one. Its release's schema has been held against it: the two forms exclude each other. */
export function isSettingsEntry<T extends object>(entry: T): entry is T & SettingsEntry {
  return 'account' in entry && !('brand' in entry)
}

/** The settings that both forms of an entry carry; bank details are write-only and never stored. */
export function settingsOf(
  entry: Pick<DeclaredAccount, 'billing_entity' | 'payment_terms'>,
): Pick<AccountDocument, 'billing_entity' | 'payment_terms' | 'notification_configs'> {
  const { billing_entity: entity, payment_terms: terms } = entry
  const subscribers = declaredSubscribers(entry)
  const { bank: _bank, ...shownEntity } = entity ?? { legal_name: '' }
  return {
    ...(entity && { billing_entity: shownEntity }),
    ...(terms && { payment_terms: terms }),
    ...(subscribers && { notification_configs: subscribers.map(shownSubscriber) }),
  }
}

/** Decides on the entry at `index` for the account that it names: what it does not mention stays as it is. */
export function decideSettings(
  entry: SettingsEntry,
  existing: Account | undefined,
  index: number,
): Exclude<SyncDecision, { action: 'created' }> {
  const field = `accounts[${index}].account`
  if (!existing) {
    const message = `${field} is no account of yours, and an entry with account never makes one: send brand, operator and billing instead`
    return { action: 'failed', error: new AdcpError('UNSUPPORTED_PROVISIONING', message, { field }) }
  }
  if (existing.status === 'closed' || existing.status === 'rejected')
    return { action: 'failed', error: new AdcpError('INVALID_STATE', `the account is ${existing.status}`, { field }) }
  const document: AccountDocument = { ...existing.document, ...settingsOf(entry) }
  const isSame = JSON.stringify(document) === JSON.stringify(existing.document)
  return isSame ? { action: 'unchanged', account: existing } : { action: 'updated', account: { ...existing, document } }
}

/** The brand and operator that the answer's row of an entry names: those that were declared, those of the account, else those of the reference. */
export function partiesOf(
  entry: DeclaredAccount | SettingsEntry,
  existing: Account | undefined,
): Pick<DeclaredAccount, 'brand' | 'operator'> {
  if (!isSettingsEntry(entry)) return entry
  const { brand, operator } = existing?.document ?? {}
  if (brand) return { brand, operator: operator ?? brand.domain }
  if ('brand' in entry.account) return { brand: entry.account.brand, operator: entry.account.operator }
  throw new Error('an account that is named by its id was found')
}
