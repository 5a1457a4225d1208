import type { SyncAccountsRequest, SyncAccountsSuccess } from '@adcp/sdk/types'
import { type Account, naturalKeyOf, naturalKeyText } from '../../domain/account/account.ts'
import type { DeclaredAccount } from '../../domain/account/account-document.ts'
import { declaredSubscribers, isMediaBuyEventAt } from '../../domain/account/notification-configs.ts'
import type { OperatorVerdict } from '../../domain/account/operator.ts'
import { decideSettings, isSettingsEntry, partiesOf, type SettingsEntry } from '../../domain/account/settings-entry.ts'
import {
  decideSync,
  presentFailed,
  presentSynced,
  type SyncDecision,
  type SyncedAccount,
} from '../../domain/account/sync-accounts.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { closeAccountsExcept, findOwnAccountByKey, insertAccount, saveAccount } from '../../store/account/accounts.ts'
import { replaceGovernanceAgents } from '../../store/governance/governance-agents.ts'
import { SYNC_ACCOUNTS } from './input-notes.ts'
import { findNamedAccounts, requireNamedAccounts } from './named-accounts.ts'
import { NO_PROOF, type Proof, proveSubscribers } from './prove-subscribers.ts'
import { reportsFault, withReports } from './reporting-configs.ts'
import { summarizeSyncedAccounts } from './summaries.ts'

interface Prepared {
  readonly verdicts: readonly OperatorVerdict[]
  readonly proofs: readonly Proof[]
}

/** Entries that are right but for their currency are answered one by one; one that is refused for other reasons says so at once. */
function currencyBeside(pointer: string, accounts: unknown): string | undefined {
  const [, index, member] = /^\/accounts\/(\d+)(?:\/(brand|operator|billing))?$/.exec(pointer) ?? []
  const entry: unknown = Array.isArray(accounts) ? accounts[Number(index)] : undefined
  if (!isObject(entry) || !('currency' in entry)) return undefined
  const first = ['brand', 'operator'].find((name) => !(name in entry)) ?? 'billing'
  return member === undefined || member === first
    ? 'leave out currency: accounts have none here, a media buy has that of its pricing options'
    : undefined
}

export const syncAccounts = defineTask<SyncAccountsRequest, SyncAccountsSuccess>()({
  name: 'sync_accounts',
  mutating: true,
  access: 'authenticated',
  scope: 'accounts',
  summary: 'Declare the advertiser accounts (brand, operator, billing) you buy for; upserts and returns their status.',
  input: SYNC_ACCOUNTS,
  summarize: summarizeSyncedAccounts,
  takesForm: ({ pointer }, { accounts }) => {
    const entry = accounts[Number(/^\/accounts\/(\d+)\//.exec(pointer)?.[1])]
    return entry !== undefined && isSettingsEntry(entry)
  },
  takesValue: ({ pointer }, request) => isMediaBuyEventAt(pointer, request),
  candidates: async ({ pointer }, request) => currencyBeside(pointer, Reflect.get(request, 'accounts')),
  async prepare(request, context): Promise<Prepared> {
    const { tenant, principal, services, now } = context
    const named = await requireNamedAccounts(request.accounts, context)
    const proofs = await proveSubscribers(request, named, context)
    if (!tenant.settings.verifyOperators || principal.sandbox) return { verdicts: [], proofs }
    const { agentUrl } = principal
    const verdicts = await Promise.all(
      request.accounts.map((declared) =>
        isSettingsEntry(declared) ? 'authorized' : services.operators({ ...keyOf(declared), agentUrl }, now),
      ),
    )
    return { verdicts, proofs }
  },
  async handle(request, context, { verdicts, proofs }) {
    const named = await findNamedAccounts(request.accounts, context.tx, context.principal)
    const keys = request.accounts.map((declared) =>
      isSettingsEntry(declared) ? named.get(declared)?.naturalKey : naturalKeyText(keyOf(declared)),
    )
    const accounts: SyncedAccount[] = []
    for (const [index, declared] of request.accounts.entries()) {
      const proof = proofs[index] ?? NO_PROOF
      if (keys[index] !== undefined && keys.indexOf(keys[index]) !== index) {
        const twice = new AdcpError('VALIDATION_ERROR', 'the same account is declared twice', { field: `accounts[${index}]` })
        accounts.push(presentFailed(partiesOf(declared, named.get(declared)), twice))
        continue
      }
      const existing = await existingOf(declared, named, context)
      const unreported = await reportsFault(declared, existing, index, context)
      const synced = unreported
        ? presentFailed(partiesOf(declared, existing), unreported)
        : isSettingsEntry(declared)
          ? await updateNamed({ entry: declared, index, existing, proof }, request, context)
          : await syncOne(request, declared, index, context, { verdict: verdicts[index] ?? 'authorized', proof })
      accounts.push(await withReports(declared, synced, { index, dryRun: request.dry_run === true }, context))
    }
    const mentioned = keys.filter((key) => key !== undefined)
    if (request.delete_missing && !request.dry_run)
      await closeAccountsExcept(context.tx, context.principal, mentioned, context.now)
    return { accounts, ...(request.dry_run !== undefined && { dry_run: request.dry_run }) }
  },
})

/** The account that an entry is about, where there is one. */
function existingOf(
  declared: SyncAccountsRequest['accounts'][number],
  named: Awaited<ReturnType<typeof findNamedAccounts>>,
  { tx, principal }: InTransaction<AuthenticatedContext>,
): Account | undefined | Promise<Account | undefined> {
  return isSettingsEntry(declared) ? named.get(declared) : findOwnAccountByKey(tx, principal, keyOf(declared))
}

interface NamedEntry {
  readonly entry: SettingsEntry
  readonly index: number
  readonly existing: Account | undefined
  readonly proof: Proof
}

/** Changes the settings of an account that an entry names (AdCP 3.1 sync_accounts, settings-update mode). */
async function updateNamed(
  { entry, index, existing, proof }: NamedEntry,
  request: SyncAccountsRequest,
  context: InTransaction<AuthenticatedContext>,
): Promise<SyncedAccount> {
  const parties = partiesOf(entry, existing)
  if (existing?.permission?.readOnly) return presentFailed(parties, readOnly(index))
  if (proof.error) return presentFailed(parties, proof.error)
  const decision = decideSettings(entry, existing, index)
  if (decision.action === 'failed') return presentFailed(parties, decision.error)
  const shown = { ...parties, ...(existing?.sandbox && { sandbox: true }) }
  if (request.dry_run) return presentSynced(shown, decision.account, decision.action)
  await followAccount(context, entry, decision.account.accountId)
  const saved = decision.action === 'updated' ? await saveAccount(context.tx, decision.account, context.now) : decision.account
  return presentSynced(shown, saved, decision.action)
}

function readOnly(index: number): AdcpError {
  return new AdcpError('READ_ONLY_SCOPE', 'you may only read this account', { field: `accounts[${index}]` })
}

async function syncOne(
  request: SyncAccountsRequest,
  declared: DeclaredAccount,
  index: number,
  context: InTransaction<AuthenticatedContext>,
  { verdict, proof }: { readonly verdict: OperatorVerdict; readonly proof: Proof },
): Promise<SyncedAccount> {
  const { tx, principal, tenant, now } = context
  const existing = await findOwnAccountByKey(tx, principal, keyOf(declared))
  // A story that declares the account again has left the governance agents of the one before.
  if (existing && principal.conformance && !request.dry_run)
    await replaceGovernanceAgents(tx, principal, existing.accountId, [], now)
  if (existing?.permission?.readOnly) return presentFailed(declared, readOnly(index))
  if (proof.error) return presentFailed(declared, proof.error)
  const decision = decideSync(declared, existing, tenant.settings, index, verdict, principal.billing)
  if (decision.action === 'failed') return presentFailed(declared, decision.error)
  if (decision.action === 'unchanged') {
    // A secret that is sent again may be another one.
    if (!request.dry_run) await followAccount(context, declared, decision.account.accountId)
    return presentSynced(declared, decision.account, 'unchanged')
  }
  if (decision.action === 'updated') {
    if (!request.dry_run) await followAccount(context, declared, decision.account.accountId)
    return presentSynced(declared, request.dry_run ? decision.account : await saveAccount(tx, decision.account, now), 'updated')
  }
  if (request.dry_run) return preview(declared, decision)
  const account = await insertAccount(
    tx,
    principal,
    {
      key: keyOf(declared),
      status: decision.status,
      document: decision.document,
      ...(proof.accountId !== undefined && { accountId: proof.accountId }),
    },
    now,
  )
  if (!account)
    throw new AdcpError('CONFLICT', 'the account was declared at the same time; try again', { field: `accounts[${index}]` })
  await followAccount(context, declared, account.accountId)
  return presentSynced(declared, account, 'created')
}

async function followAccount(
  { tx, principal, services, contract, now }: InTransaction<AuthenticatedContext>,
  declared: object,
  accountId: string,
): Promise<void> {
  const configs = declaredSubscribers(declared)
  const release = contract.namedLine
  if (configs) await services.webhooks.follow(tx, { principal, accountId, configs, release, now })
}

function preview(declared: DeclaredAccount, { status, document }: Extract<SyncDecision, { action: 'created' }>): SyncedAccount {
  return {
    brand: declared.brand,
    operator: declared.operator,
    name: document.name,
    billing: declared.billing,
    action: 'created',
    status,
    ...(document.setup && { setup: document.setup }),
  }
}

function keyOf(declared: DeclaredAccount) {
  const key = naturalKeyOf({ brand: declared.brand, operator: declared.operator, sandbox: declared.sandbox ?? false })
  if (!key) throw new Error('a declared account has a natural key')
  return key
}
