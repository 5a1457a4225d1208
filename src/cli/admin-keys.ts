import { Command } from 'commander'
import { ADMIN_ROLES, createAdminKey, endAdminKey, showAdminKeys } from '../operator/admin-keys/admin-keys.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface Options extends TenantOption {
  readonly name?: string
  readonly role?: string
  readonly expires?: string
  readonly deployment?: boolean
  readonly json?: boolean
}

/** `sales-agent admin-keys create|list|revoke`: keys of the admin API of one publisher. */
export function adminKeysCommand(): Command {
  const keys = new Command('admin-keys')
  withStoreOptions(keys.command('create').description('make a key; it is printed once'))
    .option('--tenant <id>')
    .requiredOption('--name <text>', 'what it is for')
    .option('--role <role>', ADMIN_ROLES.join(', '), 'viewer')
    .option('--expires <when>', 'ISO date or span, e.g. 90d')
    .option('--deployment', 'it may act on the whole deployment too: publishers, directory, signing keys')
    .option('--json')
    .action(({ name = '', role = '', ...options }: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const { expires, deployment } = options
        const key = await createAdminKey(operator, { tenantId, name, role, expires, deployment })
        print(options.json, key, [`${key.role} key ${key.key_id}, shown this once:`, '', `  ${key.token}`, ''])
      }),
    )
  withStoreOptions(keys.command('list').description('list the keys'))
    .option('--tenant <id>')
    .option('--json')
    .action((options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const all = await showAdminKeys(operator, tenantId)
        const rows = all.map((key) => [
          key.key_id,
          key.name,
          key.role,
          key.created_at,
          key.expires_at ?? '',
          key.revoked_at ?? '',
        ])
        printList(options.json, all, table(['KEY', 'NAME', 'ROLE', 'CREATED', 'EXPIRES', 'REVOKED'], rows))
      }),
    )
  withStoreOptions(keys.command('revoke <key>').description('end a key now'))
    .option('--tenant <id>')
    .option('--json')
    .action((key: string, options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        await endAdminKey(operator, tenantId, key)
        print(options.json, { key_id: key, revoked: true }, [`revoked ${key}`])
      }),
    )
  return keys
}
