import { Argument, Command } from 'commander'
import { AdcpError } from '../protocol/errors.ts'
import { type AccountGrant, listAccountGrants, removeAccountGrant, saveAccountGrant } from '../store/account/account-grants.ts'
import { listTenantAccounts, setAccountStatus } from '../store/account/tenant-accounts.ts'
import { TASKS } from '../tasks/index.ts'
import { accountMoneyCommands } from './account-money.ts'
import { asOperator } from './as-operator.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface AccountOptions extends StoreOptions {
  readonly tenant?: string
  readonly principal?: string
  readonly readOnly?: boolean
  readonly tasks?: string
  readonly json?: boolean
}

/** What an operator may make of an account. */
const STATUSES = ['active', 'payment_required', 'suspended', 'rejected', 'closed'] as const

/** `sales-agent accounts list|grant|revoke|status|credit|payment|payments`: who may do what with which account, and its money. */
export function accountsCommand(): Command {
  const accounts = new Command('accounts').description('accounts of buyer agents, and what each agent may do with them')
  withStoreOptions(accounts.command('list').description('list the accounts with the agents that may use them'))
    .option('--tenant <id>')
    .option('--json')
    .action((options: AccountOptions) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const [rows, grants] = [await listTenantAccounts(store.read, tenantId), await listAccountGrants(store.read, tenantId)]
        const shown = rows.map((account) => ({
          account_id: account.accountId,
          name: account.document.name,
          principal: account.principalId,
          status: account.status,
          grants: grants.filter(({ accountId }) => accountId === account.accountId).map(describe),
        }))
        print(
          options.json,
          { accounts: shown },
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
      withStore(options, async (store) => {
        const grant: AccountGrant = {
          tenantId: await chooseTenant(store, options.tenant),
          accountId,
          principalId: options.principal ?? '',
          readOnly: options.readOnly === true,
          allowedTasks: tasksOf(options),
        }
        await asOperator(store, {
          task: 'accounts.grant',
          tenant: grant.tenantId,
          account: accountId,
          subject: grant.principalId,
        }).transaction((tx) => saveAccountGrant(tx, grant, new Date()))
        print(options.json, { account_id: accountId, ...describe(grant) }, [`${accountId}: ${textOf(describe(grant))}`])
      }),
    )
  withStoreOptions(accounts.command('revoke <account>').description('take a grant away'))
    .option('--tenant <id>')
    .requiredOption('--principal <id>')
    .option('--json')
    .action((accountId: string, options: AccountOptions) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const principal = options.principal ?? ''
        await asOperator(store, {
          task: 'accounts.revoke',
          tenant: tenantId,
          account: accountId,
          subject: principal,
        }).transaction((tx) => removeAccountGrant(tx, tenantId, accountId, principal))
        print(options.json, { account_id: accountId, principal, revoked: true }, [
          `${accountId}: the grant of ${principal} is gone`,
        ])
      }),
    )
  const status = new Command('status')
    .addArgument(new Argument('<account>'))
    .addArgument(new Argument('<status>').choices(STATUSES))
  withStoreOptions(status.description('approve, suspend or close an account'))
    .option('--tenant <id>')
    .option('--json')
    .action((accountId: string, status: (typeof STATUSES)[number], options: AccountOptions) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        await asOperator(store, { task: 'accounts.status', tenant: tenantId, account: accountId, subject: status }).transaction(
          (tx) => setAccountStatus(tx, tenantId, accountId, status, new Date()),
        )
        print(options.json, { account_id: accountId, status }, [`account ${accountId} of ${tenantId} is ${status}`])
      }),
    )
  accounts.addCommand(status)
  for (const command of accountMoneyCommands()) accounts.addCommand(command)
  return accounts
}

function tasksOf({ tasks, readOnly }: AccountOptions): readonly string[] | undefined {
  if (tasks === undefined) return undefined
  return tasks.split(',').map((text) => {
    const task = TASKS.find(({ name }) => name === text.trim())
    if (!task) throw new AdcpError('INVALID_REQUEST', `"${text}" is no task of this agent`, { field: 'tasks' })
    if (readOnly && task.mutating)
      throw new AdcpError('INVALID_REQUEST', `${task.name} changes state, which --read-only forbids`, { field: 'tasks' })
    return task.name
  })
}

function describe({ principalId, readOnly, allowedTasks }: AccountGrant) {
  return { principal: principalId, read_only: readOnly, ...(allowedTasks && { tasks: allowedTasks }) }
}

function textOf({ principal, read_only, tasks }: ReturnType<typeof describe>): string {
  return [principal, read_only ? 'read-only' : '', tasks?.join(',') ?? ''].filter(Boolean).join(' ')
}
