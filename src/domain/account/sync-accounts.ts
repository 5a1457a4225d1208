import { AdcpError, toWireError, type WireError } from '../../protocol/errors.ts'
import { ruleOf } from '../approval/policy.ts'
import type { BillingParty, TenantSettings } from '../identity/principal.ts'
import type { BrandName } from '../party.ts'
import type { Account } from './account.ts'
import type { AccountDocument, AccountSetup, DeclaredAccount } from './account-document.ts'
import { billingFault } from './billing-gate.ts'
import type { OperatorVerdict } from './operator.ts'
import { settingsOf } from './settings-entry.ts'

/** A declared account with what became of it. */
export interface SyncedAccount
  extends Pick<
    AccountDocument,
    'billing' | 'billing_entity' | 'payment_terms' | 'setup' | 'sandbox' | 'notification_configs' | 'status'
  > {
  account_id?: string
  name?: string
  brand: BrandName
  operator: string
  action: 'created' | 'updated' | 'unchanged' | 'failed'
  errors?: WireError[]
}

/** The result of a declaration: nothing to write, a document to insert, or a changed account to save. */
export type SyncDecision =
  | { readonly action: 'unchanged'; readonly account: Account }
  | {
      readonly action: 'created'
      readonly status: 'active' | 'pending_approval'
      readonly document: Omit<AccountDocument, 'account_id' | 'status'>
    }
  | { readonly action: 'updated'; readonly account: Account }
  | { readonly action: 'failed'; readonly error: AdcpError }

/**
 * Decides on one declared account (AdCP sync_accounts: upsert by brand, operator and sandbox). Billing and payment terms
 * are accepted as asked or refused, never remapped. An operator that the brand does not vouch for waits for the publisher; an
 * account that waits opens when the brand vouches. `index` names the entry in errors; `agentBilling`
 * are the billing parties agreed with the calling agent, all when absent.
 */
export function decideSync(
  declared: DeclaredAccount,
  existing: Account | undefined,
  settings: TenantSettings,
  index: number,
  operator: OperatorVerdict,
  agentBilling?: readonly BillingParty[],
): SyncDecision {
  const unkept = identityFault(declared, `accounts[${index}]`)
  if (unkept) return { action: 'failed', error: unkept }
  const terms = { publisher: settings.billing, agent: agentBilling }
  const unbillable = billingFault(declared.billing, terms, `accounts[${index}].billing`)
  if (unbillable) return { action: 'failed', error: unbillable }
  const document = documentOf(declared)
  const byHand = ruleOf(settings, 'sync_accounts').when === 'always'
  if (!existing) {
    if (operator === 'authorized' && byHand)
      return { action: 'created', status: 'pending_approval', document: { ...document, setup: { message: BY_HAND } } }
    if (operator === 'authorized') return { action: 'created', status: 'active', document }
    return { action: 'created', status: 'pending_approval', document: { ...document, setup: setupOf(declared, operator) } }
  }
  if (existing.status === 'closed' || existing.status === 'rejected') {
    return {
      action: 'failed',
      error: new AdcpError('INVALID_STATE', `the account is ${existing.status}`, { field: `accounts[${index}]` }),
    }
  }
  if (existing.status === 'pending_approval' && settings.verifyOperators && operator === 'authorized' && !byHand) {
    const { setup: _setup, ...open } = existing.document
    const opened: Account = { ...existing, status: 'active', implicit: false, document: { ...open, ...document } }
    return { action: 'updated', account: opened }
  }
  const merged: AccountDocument = { ...existing.document, ...document }
  if (!existing.implicit && JSON.stringify(merged) === JSON.stringify({ ...existing.document }))
    return { action: 'unchanged', account: existing }
  return { action: 'updated', account: { ...existing, implicit: false, document: merged } }
}

/** Members of 3.2 that make another account of the same brand and operator (sync_accounts, "Natural key"), and why this seller has none such. */
const UNKEPT_IDENTITY = {
  currency: 'accounts have no currency here: a media buy has that of the pricing options it buys by; leave it out',
  timezone: 'accounts have no timezone of their own here: days are those of UTC; leave it out',
  operator_unit: 'accounts are not kept apart by units of an operator here; leave it out',
} as const

/** An account that is not the one asked for is not opened in its place: buyers would find two of their accounts to be one. */
function identityFault(declared: object, path: string): AdcpError | undefined {
  for (const [name, why] of Object.entries(UNKEPT_IDENTITY)) {
    if (Object.getOwnPropertyDescriptor(declared, name)?.value == null) continue
    return new AdcpError('UNSUPPORTED_PROVISIONING', `${path}.${name}: ${why}`, { field: `${path}.${name}` })
  }
  return undefined
}

/** The message for the buyer where the publisher reviews every account. */
const BY_HAND = 'the publisher approves every account; a webhook reports its decision'

/** What the buyer can do about an operator that is not verified. */
function setupOf({ brand, operator }: DeclaredAccount, verdict: OperatorVerdict): AccountSetup {
  const file = `https://${brand.domain}/.well-known/brand.json`
  if (verdict === 'not-caller') return { message: notCaller(operator) }
  return {
    message:
      verdict === 'unknown'
        ? `${file} cannot be read; the account is pending until it can, or until the publisher approves`
        : `${file} does not list ${operator} in authorized_operators; add it and declare the account again, or wait for the publisher's approval`,
  }
}

function notCaller(operator: string): string {
  return (
    `nothing shows that you are ${operator}: the address that the publisher has registered for your agent is neither at that domain nor in agents[] of ` +
    `https://${operator}/.well-known/brand.json; add it there and declare the account again, or wait for the publisher's approval`
  )
}

/** The account object of a declaration. */
function documentOf(declared: DeclaredAccount): Omit<AccountDocument, 'account_id' | 'status'> {
  const { brand, operator, billing, sandbox } = declared
  const direct = brand.domain === operator
  return {
    name: direct ? brand.domain : `${brand.domain} c/o ${operator}`,
    advertiser: brand.domain,
    ...(!direct && { billing_proxy: operator }),
    brand,
    operator,
    billing,
    ...(sandbox !== undefined && { sandbox }),
    ...settingsOf(declared),
  }
}

/** The wire row of an account that was created, updated or left alone. */
export function presentSynced(
  declared: Pick<DeclaredAccount, 'brand' | 'operator' | 'sandbox'>,
  account: Account,
  action: 'created' | 'updated' | 'unchanged',
): SyncedAccount {
  const { name, billing, billing_entity, payment_terms, setup, notification_configs: subscribers } = account.document
  return {
    account_id: account.accountId,
    brand: declared.brand,
    operator: declared.operator,
    name,
    action,
    status: account.status,
    ...(billing && { billing }),
    ...(billing_entity && { billing_entity }),
    ...(payment_terms && { payment_terms }),
    ...(setup && { setup }),
    ...(declared.sandbox !== undefined && { sandbox: declared.sandbox }),
    ...(subscribers && { notification_configs: subscribers }),
  }
}

/**
 * The wire row of a declaration that was refused. Its status is `rejected` whatever the account was before (list_accounts says that), and paths of its
 * errors begin at the row.
 */
export function presentFailed(declared: Pick<DeclaredAccount, 'brand' | 'operator'>, error: AdcpError): SyncedAccount {
  const { field, ...wire } = toWireError(error)
  const inRow = field?.replace(/^accounts\[\d+\]\.?/, '')
  return {
    brand: declared.brand,
    operator: declared.operator,
    action: 'failed',
    status: 'rejected',
    errors: [{ ...wire, ...(inRow && { field: inRow }) }],
  }
}
