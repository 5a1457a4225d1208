import { Argument, Command } from 'commander'
import { grantAccount, revokeAccount } from '../operator/accounts/grant-account.ts'
import { listAccounts, type ShownGrant } from '../operator/accounts/list-accounts.ts'
import { ACCOUNT_STATUSES, type AccountStatus, setAccountStatus } from '../operator/accounts/set-account-status.ts'
import { accountMoneyCommands } from './account-money.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface AccountOptions extends TenantOption {
  readonly principal?: string
  readonly readOnly?: boolean
  readonly tasks?: string
  readonly json?: boolean
}

/** `sales-agent accounts list|grant|revoke|status|credit|payment|payments`: who may do what with which account, and its money. */
export function accountsCommand(): Command {
  const accounts = new Command('accounts')
  withStoreOptions(accounts.command('list').description('list the accounts with the agents that may use them'))
    .option('--tenant <id>')
    .option('--json')
    .action((options: AccountOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const shown = await listAccounts(operator, tenantId)
        printList(
          options.json,
          shown,
          table(
            ['ACCOUNT', 'NAME', 'PRINCIPAL', 'STATUS', 'GRANTS'],
            shown.map((row) => [row.account_id, row.name, row.principal, row.status, row.grants.map(textOf).join('; ')]),
          ),
        )
      }),
    )
  withStoreOptions(
    accounts.command('grant <account>').description('let an agent use an account, or narrow what its own agent may do'),
  )
    .option('--tenant <id>')
    .requiredOption('--principal <id>')
    .option('--read-only', 'nothing that changes state')
    .option('--tasks <list>', 'these tasks only, comma-separated')
    .option('--json')
    .action((accountId: string, options: AccountOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const input = { tenantId, accountId, principalId: options.principal ?? '', readOnly: options.readOnly === true }
        const grant = await grantAccount(operator, { ...input, tasks: options.tasks?.split(',').map((name) => name.trim()) })
        print(options.json, { account_id: accountId, ...grant }, [`${accountId}: ${textOf(grant)}`])
      }),
    )
  withStoreOptions(accounts.command('revoke <account>').description('take a grant away'))
    .option('--tenant <id>')
    .requiredOption('--principal <id>')
    .option('--json')
    .action((accountId: string, options: AccountOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const principal = options.principal ?? ''
        await revokeAccount(operator, { tenantId, accountId, principalId: principal })
        print(options.json, { account_id: accountId, principal, revoked: true }, [
          `${accountId}: the grant of ${principal} is gone`,
        ])
      }),
    )
  const status = new Command('status')
    .addArgument(new Argument('<account>'))
    .addArgument(new Argument('<status>').choices(ACCOUNT_STATUSES))
  withStoreOptions(status.description('approve, suspend or close an account'))
    .option('--tenant <id>')
    .option('--json')
    .action((accountId: string, status: AccountStatus, options: AccountOptions) =>
      operateFor(options, async (operator, tenantId) => {
        await setAccountStatus(operator, { tenantId, accountId, status })
        print(options.json, { account_id: accountId, status }, [`account ${accountId} of ${tenantId} is ${status}`])
      }),
    )
  accounts.addCommand(status)
  for (const command of accountMoneyCommands()) accounts.addCommand(command)
  return accounts
}

function textOf({ principal, read_only, tasks }: ShownGrant): string {
  return [principal, read_only ? 'read-only' : '', tasks?.join(',') ?? ''].filter(Boolean).join(' ')
}
