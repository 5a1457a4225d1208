import type { SyncGovernanceRequest, SyncGovernanceResponse } from '@adcp/sdk/types'
import type { Account } from '../../domain/account/account.ts'
import { checkGovernanceAgents, type WantedAgent } from '../../domain/account/governance-agents.ts'
import { requireUsable } from '../../domain/account/lifecycle.ts'
import { requirePermission } from '../../domain/account/permission.ts'
import { addressParts, withoutQuery } from '../../domain/webhook-address.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { AdcpError, toWireError } from '../../protocol/errors.ts'
import { findOrOpenAccount } from '../../store/account/account-references.ts'
import { saveAccount } from '../../store/account/accounts.ts'
import { governanceQueryPlace, governanceSealPlace, replaceGovernanceAgents } from '../../store/governance/governance-agents.ts'

type Success = Extract<SyncGovernanceResponse, { accounts: unknown }>
type Entry = SyncGovernanceRequest['accounts'][number]
type Result = Success['accounts'][number]

export const syncGovernance = defineTask<SyncGovernanceRequest, Success>()({
  name: 'sync_governance',
  mutating: true,
  access: 'authenticated',
  scope: 'accounts',
  summary: 'Name the governance agents that have to agree before an account spends; replaces the earlier ones.',
  async handle(request, context) {
    const accounts: Result[] = []
    for (const [index, entry] of request.accounts.entries()) accounts.push(await syncOne(entry, index, context))
    return { accounts }
  },
})

/** One account's agents: all of them or none; the other accounts of the call are not concerned. */
async function syncOne(entry: Entry, index: number, context: InTransaction<AuthenticatedContext>): Promise<Result> {
  const { tx, principal, services, now } = context
  try {
    const account = await findOrOpenAccount(tx, principal, entry.account, now)
    requireOwn(account, `accounts[${index}].account`)
    const agents = checkGovernanceAgents(entry.governance_agents, `accounts[${index}].governance_agents`, {
      // Nothing outside is called for what is simulated, so that there any address will do.
      anyAddress: principal.sandbox || account.sandbox,
    })
    const { tenantId, accountId } = account
    const sealed = agents.map(({ url: whole, credentials, categories }) => {
      const { shown: url, query } = addressParts(whole)
      return {
        url,
        query:
          query === undefined ? undefined : services.governanceSeal.seal(query, governanceQueryPlace(tenantId, accountId, url)),
        scheme: 'Bearer' as const,
        credentials: services.governanceSeal.seal(credentials, governanceSealPlace(tenantId, accountId, url)),
        categories,
      }
    })
    await replaceGovernanceAgents(tx, principal, account.accountId, sealed, now)
    const shown = agents.map(present)
    await saveAccount(tx, { ...account, document: { ...account.document, governance_agents: shown } }, now)
    return { account: entry.account, status: 'synced', governance_agents: shown }
  } catch (error) {
    if (!(error instanceof AdcpError) || error.code === 'CONFLICT') throw error
    return { account: entry.account, status: 'failed', errors: [toWireError(error)] }
  }
}

function requireOwn(account: Account | undefined, field: string): asserts account is Account {
  if (!account) throw new AdcpError('ACCOUNT_NOT_FOUND', 'the account is not one of yours', { field })
  requirePermission(account.permission, { name: 'sync_governance', isMutating: true })
  // An account that waits or owes money may be put under governance; one that is over may not.
  if (account.status === 'rejected' || account.status === 'closed') requireUsable(account)
}

/** Credentials go in and never come out, and so does the query of an address. */
function present({ url, categories }: WantedAgent) {
  return { url: withoutQuery(url), ...(categories && { categories: [...categories] }) }
}
