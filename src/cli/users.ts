import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { AdcpError } from '../protocol/errors.ts'
import { hashPassword } from '../security/auth/password.ts'
import { addBasicUser, listBasicUsers, revokeBasicUser } from '../store/identity/basic-users.ts'
import { allowPrincipal, disallowPrincipal } from '../store/identity/user-principals.ts'
import { asOperator } from './as-operator.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface UserOptions extends StoreOptions {
  readonly tenant?: string
  readonly principal?: string
  readonly passwordStdin?: boolean
  readonly json?: boolean
}

/** RFC 7617 §2: no colon, no control characters. */
const USERNAME = /^[^\p{Cc}:]{1,128}$/u
const MIN_PASSWORD = 16

/** `sales-agent users add|allow|disallow|list|revoke`: user names and passwords for HTTP Basic. */
export function usersCommand(): Command {
  const users = new Command('users').description('user names and passwords (HTTP Basic) of buyer agents')
  withStoreOptions(users.command('add <username>').description('add a user; makes a password and shows it once'))
    .option('--tenant <id>')
    .requiredOption('--principal <id>')
    .option('--password-stdin', `read the password from standard input (${MIN_PASSWORD} characters or more)`)
    .option('--json')
    .action((username: string, options: UserOptions) =>
      withStore(options, async (store) => {
        if (!USERNAME.test(username))
          throw new AdcpError('INVALID_REQUEST', 'a user name has no colon and no control characters', { field: 'username' })
        const tenantId = await chooseTenant(store, options.tenant)
        const principalId = options.principal ?? ''
        const given = options.passwordStdin ? readPassword() : undefined
        const password = given ?? randomBytes(24).toString('base64url')
        const passwordHash = await hashPassword(password)
        await asOperator(store, { task: 'users.add', tenant: tenantId, subject: username }).transaction((tx) =>
          addBasicUser(tx, { tenantId, principalId, username, passwordHash }, new Date()),
        )
        print(
          options.json,
          { username, tenant: tenantId, principal: principalId, ...(given === undefined && { password }) },
          given === undefined
            ? [`user ${username} for ${principalId} of ${tenantId}`, '', `  ${password}`, '', 'It is shown this once.']
            : [`user ${username} for ${principalId} of ${tenantId}`],
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
      withStore(options, async (store) => {
        const rows = await listBasicUsers(store.read, await chooseTenant(store, options.tenant))
        print(
          options.json,
          { users: rows },
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
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        await asOperator(store, { task: 'users.revoke', tenant: tenantId, subject: username }).transaction((tx) =>
          revokeBasicUser(tx, tenantId, username, new Date()),
        )
        print(options.json, { username, tenant: tenantId, revoked: true }, [`user ${username} is revoked`])
      }),
    )
  return users
}

async function changeAgents(act: 'allow' | 'disallow', username: string, options: UserOptions): Promise<void> {
  await withStore(options, async (store) => {
    const tenantId = await chooseTenant(store, options.tenant)
    const principalId = options.principal ?? ''
    await asOperator(store, { task: `users.${act}`, tenant: tenantId, subject: username }).transaction((tx) =>
      act === 'allow'
        ? allowPrincipal(tx, { tenantId, username, principalId }, new Date())
        : disallowPrincipal(tx, tenantId, username, principalId),
    )
    const words = act === 'allow' ? `${username} may choose ${principalId}` : `${username} may not choose ${principalId} any more`
    print(options.json, { username, tenant: tenantId, principal: principalId, allowed: act === 'allow' }, [words])
  })
}

function readPassword(): string {
  const password = readFileSync(0, 'utf8').replace(/\r?\n$/, '')
  if (password.length >= MIN_PASSWORD) return password
  throw new AdcpError('INVALID_REQUEST', `a password has ${MIN_PASSWORD} characters or more`, { field: 'password' })
}
