import type { SyncAccountsRequest, SyncAccountsSuccess } from '@adcp/sdk/types'
import { naturalKeyOf, naturalKeyText } from '../../domain/account/account.ts'
import type { OperatorVerdict } from '../../domain/account/operator.ts'
import {
  type DeclaredAccount,
  decideSync,
  presentFailed,
  presentSynced,
  type SyncDecision,
  type SyncedAccount,
} from '../../domain/account/sync-accounts.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { closeAccountsExcept, findOwnAccountByKey, insertAccount, saveAccount } from '../../store/account/accounts.ts'
import { SYNC_ACCOUNTS } from './input-notes.ts'
import { summarizeSyncedAccounts } from './summaries.ts'

export const syncAccounts = defineTask<SyncAccountsRequest, SyncAccountsSuccess>()({
  name: 'sync_accounts',
  mutating: true,
  access: 'authenticated',
  scope: 'accounts',
  summary: 'Declare the advertiser accounts (brand, operator, billing) you buy for; upserts and returns their status.',
  input: SYNC_ACCOUNTS,
  summarize: summarizeSyncedAccounts,
  async prepare(request, { tenant, principal, services, now }): Promise<readonly OperatorVerdict[]> {
    if (!tenant.settings.verifyOperators || principal.sandbox) return []
    const { agentUrl } = principal
    return Promise.all(request.accounts.map((declared) => services.operators({ ...keyOf(declared), agentUrl }, now)))
  },
  async handle(request, context, verdicts) {
    const keys = request.accounts.map((declared) => naturalKeyText(keyOf(declared)))
    const accounts: SyncedAccount[] = []
    for (const [index, declared] of request.accounts.entries()) {
      if (keys.indexOf(naturalKeyText(keyOf(declared))) !== index) {
        const twice = new AdcpError('VALIDATION_ERROR', 'the same account is declared twice', { field: `accounts[${index}]` })
        accounts.push(presentFailed(declared, twice, 'rejected'))
      } else {
        accounts.push(await syncOne(request, declared, index, context, verdicts[index] ?? 'authorized'))
      }
    }
    if (request.delete_missing && !request.dry_run) await closeAccountsExcept(context.tx, context.principal, keys, context.now)
    return { accounts, ...(request.dry_run !== undefined && { dry_run: request.dry_run }) }
  },
})

async function syncOne(
  request: SyncAccountsRequest,
  declared: DeclaredAccount,
  index: number,
  { tx, principal, tenant, now }: InTransaction<AuthenticatedContext>,
  verdict: OperatorVerdict,
): Promise<SyncedAccount> {
  const existing = await findOwnAccountByKey(tx, principal, keyOf(declared))
  if (existing?.permission?.readOnly) {
    const error = new AdcpError('READ_ONLY_SCOPE', 'you may only read this account', { field: `accounts[${index}]` })
    return presentFailed(declared, error, existing.status)
  }
  const decision = decideSync(declared, existing, tenant.settings, index, verdict)
  if (decision.action === 'failed') return presentFailed(declared, decision.error, existing?.status ?? 'rejected')
  if (decision.action === 'unchanged') return presentSynced(declared, decision.account, 'unchanged')
  if (decision.action === 'updated') {
    return presentSynced(declared, request.dry_run ? decision.account : await saveAccount(tx, decision.account, now), 'updated')
  }
  if (request.dry_run) return preview(declared, decision)
  const account = await insertAccount(
    tx,
    principal,
    { key: keyOf(declared), status: decision.status, document: decision.document },
    now,
  )
  if (!account)
    throw new AdcpError('CONFLICT', 'the account was declared at the same time; try again', { field: `accounts[${index}]` })
  return presentSynced(declared, account, 'created')
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
