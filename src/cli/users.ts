import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addUser, allowAgent, disallowAgent, listUsers, MIN_PASSWORD, revokeUser } from '../operator/users/manage-users.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface UserOptions extends TenantOption {
  readonly principal?: string
  readonly passwordStdin?: boolean
  readonly json?: boolean
}

/** `sales-agent users add|allow|disallow|list|revoke`: user names and passwords for HTTP Basic. */
export function usersCommand(): Command {
  const users = new Command('users')
  withStoreOptions(users.command('add <username>').description('add a user; makes a password and shows it once'))
    .option('--tenant <id>')
    .requiredOption('--principal <id>')
    .option('--password-stdin', `read the password from standard input (${MIN_PASSWORD} characters or more)`)
    .option('--json')
    .action((username: string, options: UserOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const principalId = options.principal ?? ''
        const password = options.passwordStdin ? readPassword() : undefined
        const { madePassword } = await addUser(operator, { tenantId, principalId, username, password })
        const line = `user ${username} for ${principalId} of ${tenantId}`
        print(
          options.json,
          { username, tenant: tenantId, principal: principalId, ...(madePassword !== undefined && { password: madePassword }) },
          madePassword === undefined ? [line] : [line, '', `  ${madePassword}`, '', 'It is shown this once.'],
        )
      }),
    )
  for (const act of ['allow', 'disallow'] as const) {
    const text = act === 'allow' ? 'let a user choose one more agent when connecting an assistant' : 'take that back'
    withStoreOptions(users.command(`${act} <username>`).description(text))
      .option('--tenant <id>')
      .requiredOption('--principal <id>')
      .option('--json')
      .action((username: string, options: UserOptions) => changeAgents(act, username, options))
  }
  withStoreOptions(users.command('list').description('list the users'))
    .option('--tenant <id>')
    .option('--json')
    .action((options: UserOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const rows = await listUsers(operator, tenantId)
        printList(
          options.json,
          rows,
          table(
            ['USER', 'PRINCIPAL', 'STATUS'],
            rows.map((row) => [row.username, row.principal, row.status]),
          ),
        )
      }),
    )
  withStoreOptions(users.command('revoke <username>').description('end a user now'))
    .option('--tenant <id>')
    .option('--json')
    .action((username: string, options: UserOptions) =>
      operateFor(options, async (operator, tenantId) => {
        await revokeUser(operator, { tenantId, username })
        print(options.json, { username, tenant: tenantId, revoked: true }, [`user ${username} is revoked`])
      }),
    )
  return users
}

async function changeAgents(act: 'allow' | 'disallow', username: string, options: UserOptions): Promise<void> {
  await operateFor(options, async (operator, tenantId) => {
    const principalId = options.principal ?? ''
    await (act === 'allow' ? allowAgent : disallowAgent)(operator, { tenantId, username, principalId })
    const words = act === 'allow' ? `${username} may choose ${principalId}` : `${username} may not choose ${principalId} any more`
    print(options.json, { username, tenant: tenantId, principal: principalId, allowed: act === 'allow' }, [words])
  })
}

function readPassword(): string {
  return readFileSync(0, 'utf8').replace(/\r?\n$/, '')
}
