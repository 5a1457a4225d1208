import { Command, Option } from 'commander'
import { createKey, type IssuedKey } from '../operator/keys/create-key.ts'
import { listKeys } from '../operator/keys/list-keys.ts'
import { revokeKey, revokeSigningKey } from '../operator/keys/revoke-key.ts'
import { rotateKey } from '../operator/keys/rotate-key.ts'
import { operate, operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface KeyOptions extends TenantOption {
  readonly principal?: string
  readonly scopes?: string
  readonly expires?: string
  readonly overlap?: string
  readonly signing?: boolean
  readonly json?: boolean
}

/** `sales-agent keys create|list|rotate|revoke`. */
export function keysCommand(): Command {
  const keys = new Command('keys')
  const scopes = new Option(
    '--scopes <list>',
    'comma-separated, e.g. adcp:products,adcp:media_buys (default: all of the principal)',
  )
  const expires = new Option('--expires <when>', 'ISO date, or a span such as 90d or 12h')

  withStoreOptions(keys.command('create').description('make a key for a principal'))
    .option('--tenant <id>')
    .requiredOption('--principal <id>')
    .addOption(scopes)
    .addOption(expires)
    .option('--json')
    .action((options: KeyOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const { principal: principalId = '', scopes, expires } = options
        const issued = await createKey(operator, { tenantId, principalId, scopes, expires })
        print(options.json, issued, issuedLines(issued))
      }),
    )

  withStoreOptions(keys.command('list').description('keys by prefix and last four characters'))
    .option('--tenant <id>')
    .option('--principal <id>')
    .option('--json')
    .action((options: KeyOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const shown = await listKeys(operator, { tenantId, principalId: options.principal })
        printList(
          options.json,
          shown,
          table(
            ['KEY', 'PRINCIPAL', 'TOKEN', 'SCOPES', 'STATUS', 'LAST USED', 'EXPIRES'],
            shown.map((key) => [
              key.key_id,
              key.principal,
              key.token,
              key.scopes.join(','),
              key.status,
              key.last_used_at ?? 'never',
              key.expires_at ?? 'never',
            ]),
          ),
        )
      }),
    )

  withStoreOptions(keys.command('rotate <keyId>').description('make a successor; the old key works until the overlap ends'))
    .option('--tenant <id>')
    .option('--overlap <span>', 'how long both work', '24h')
    .addOption(expires)
    .option('--json')
    .action((keyId: string, options: KeyOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const { overlap = '24h', expires } = options
        const issued = await rotateKey(operator, { tenantId, keyId, overlap, expires })
        print(options.json, issued, issuedLines(issued))
      }),
    )

  withStoreOptions(keys.command('revoke <keyId>').description('end a key now; with --signing the key that an agent signs with'))
    .option('--tenant <id>')
    .option('--signing', 'keyId is the kid of an agent’s signing key: no signature by it counts again')
    .option('--json')
    .action((keyId: string, options: KeyOptions) => (options.signing ? revokeSigning(keyId, options) : revoke(keyId, options)))
  return keys
}

function revokeSigning(kid: string, options: KeyOptions): Promise<void> {
  return operate(options, async (operator) => {
    const revokedAt = await revokeSigningKey(operator, kid)
    print(options.json, { kid, revoked_at: revokedAt.toISOString() }, [`signing key ${kid} is revoked`])
  })
}

function revoke(keyId: string, options: KeyOptions): Promise<void> {
  return operateFor(options, async (operator, tenantId) => {
    const revokedAt = await revokeKey(operator, { tenantId, keyId })
    print(options.json, { key_id: keyId, revoked_at: revokedAt.toISOString() }, [`key ${keyId} is revoked`])
  })
}

function issuedLines(issued: IssuedKey): readonly string[] {
  return [
    `key ${issued.key_id} for ${issued.principal} of ${issued.tenant}${issued.expires_at === null ? '' : `, until ${issued.expires_at}`}`,
    '',
    `  ${issued.token}`,
    '',
    'It is shown this once; only its hash is stored.',
  ]
}
