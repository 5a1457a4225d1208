import { Command, Option } from 'commander'
import { AdcpError } from '../protocol/errors.ts'
import { newKey } from '../security/auth/opaque-key.ts'
import type { Db } from '../store/database.ts'
import { revokeAgentKey } from '../store/identity/agent-key-sources.ts'
import { addKey, endKey, type KeyRow, listKeys } from '../store/identity/api-keys.ts'
import { findPrincipal } from '../store/identity/principals.ts'
import { TASKS } from '../tasks/index.ts'
import { asOperator } from './as-operator.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface KeyOptions extends StoreOptions {
  readonly tenant?: string
  readonly principal?: string
  readonly scopes?: string
  readonly expires?: string
  readonly overlap?: string
  readonly signing?: boolean
  readonly json?: boolean
}

export interface IssuedKey {
  readonly key_id: string
  /** Shown once. */
  readonly token: string
  readonly tenant: string
  readonly principal: string
  readonly scopes: readonly string[]
  readonly expires_at: string | null
}

/** `sales-agent keys create|list|rotate|revoke`. */
export function keysCommand(): Command {
  const keys = new Command('keys').description(
    'keys that buyers authenticate with; a token is shown once, only its hash is stored',
  )
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
      withStore(options, async (store) => {
        const tenant = await chooseTenant(store, options.tenant)
        const issued = await asOperator(store, { task: 'keys.create', tenant, subject: options.principal ?? '' }).transaction(
          (tx) => issueKey(tx, tenant, options.principal ?? '', options, new Date()),
        )
        print(options.json, issued, issuedLines(issued))
      }),
    )

  withStoreOptions(keys.command('list').description('keys by prefix and last four characters'))
    .option('--tenant <id>')
    .option('--principal <id>')
    .option('--json')
    .action((options: KeyOptions) =>
      withStore(options, async (store) => {
        const tenant = await chooseTenant(store, options.tenant)
        const rows = await listKeys(store.read, tenant, options.principal)
        const shown = rows.map((row) => describeKey(row, new Date()))
        print(
          options.json,
          { keys: shown },
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
      withStore(options, async (store) => {
        const tenant = await chooseTenant(store, options.tenant)
        const now = new Date()
        const issued = await asOperator(store, { task: 'keys.rotate', tenant, subject: keyId }).transaction(async (tx) => {
          const old = (await listKeys(tx, tenant)).find((row) => row.key_id === keyId)
          if (!old) throw new AdcpError('REFERENCE_NOT_FOUND', `no key ${keyId} in ${tenant}`)
          if (old.revoked_at !== null) throw new AdcpError('INVALID_STATE', `key ${keyId} is revoked`)
          await endKey(tx, tenant, keyId, { expiresAt: endOfOverlap(old, options.overlap ?? '24h', now) })
          const expires = options.expires ?? renewedExpiry(old, now)
          const scopes = JSON.parse(old.scopes).join(',')
          return issueKey(tx, tenant, old.principal_id, { scopes, ...(expires !== undefined && { expires }) }, now)
        })
        print(options.json, issued, issuedLines(issued))
      }),
    )

  withStoreOptions(keys.command('revoke <keyId>').description('end a key now; with --signing the key that an agent signs with'))
    .option('--tenant <id>')
    .option('--signing', 'keyId is the kid of an agent’s signing key: no signature by it counts again')
    .option('--json')
    .action((keyId: string, options: KeyOptions) =>
      withStore(options, async (store) => {
        const revokedAt = new Date()
        if (options.signing) {
          await asOperator(store, { task: 'keys.revoke-signing', subject: keyId }).transaction((tx) =>
            revokeAgentKey(tx, keyId, revokedAt),
          )
          print(options.json, { kid: keyId, revoked_at: revokedAt.toISOString() }, [`signing key ${keyId} is revoked`])
          return
        }
        const tenant = await chooseTenant(store, options.tenant)
        await asOperator(store, { task: 'keys.revoke', tenant, subject: keyId }).transaction((tx) =>
          endKey(tx, tenant, keyId, { revokedAt }),
        )
        print(options.json, { key_id: keyId, revoked_at: revokedAt.toISOString() }, [`key ${keyId} is revoked`])
      }),
    )
  return keys
}

/** Makes and stores a key of an existing principal. Throws REFERENCE_NOT_FOUND or INVALID_REQUEST. */
export async function issueKey(
  tx: Db,
  tenantId: string,
  principalId: string,
  options: { readonly scopes?: string; readonly expires?: string },
  now: Date,
): Promise<IssuedKey> {
  if (!(await findPrincipal(tx, tenantId, principalId)))
    throw new AdcpError('REFERENCE_NOT_FOUND', `no principal ${principalId} in ${tenantId}`)
  const key = newKey()
  const scopes = scopesOf(options.scopes)
  const expiresAt = options.expires === undefined ? null : moment(options.expires, now).toISOString()
  await addKey(tx, {
    key_hash: key.hash,
    key_id: key.keyId,
    tenant_id: tenantId,
    principal_id: principalId,
    prefix: key.prefix,
    last_four: key.lastFour,
    scopes: JSON.stringify(scopes),
    created_at: now.toISOString(),
    expires_at: expiresAt,
  })
  return { key_id: key.keyId, token: key.token, tenant: tenantId, principal: principalId, scopes, expires_at: expiresAt }
}

/** Every scope that a task asks for, its family, all of them, and that of whoever writes to the registry. */
const SCOPES: readonly string[] = [
  ...new Set(['adcp:*', 'registry', ...TASKS.flatMap(({ scope }) => [`adcp:${scope.split(':', 1)[0]}`, `adcp:${scope}`])]),
]

/** Scopes from a comma-separated list; none means all. Throws INVALID_REQUEST for a word that is no scope. */
export function scopesOf(list: string | undefined): readonly string[] {
  if (list === undefined) return ['adcp:*']
  const scopes = list.split(',').map((scope) => scope.trim())
  const wrong = scopes.find((scope) => !SCOPES.includes(scope))
  if (wrong !== undefined)
    throw new AdcpError('INVALID_REQUEST', `"${wrong}" is no scope; there are ${SCOPES.join(', ')}`, { field: 'scopes' })
  return scopes
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A moment given as an ISO date or as a span from now (`30m`, `12h`, `90d`). Throws INVALID_REQUEST, also for the past. */
export function moment(text: string, now: Date): Date {
  const span = /^(\d+)([mhd])$/.exec(text)
  const at = span ? new Date(now.getTime() + Number(span[1]) * (UNITS[span[2] ?? ''] ?? 0)) : new Date(text)
  if (Number.isNaN(at.getTime()))
    throw new AdcpError('INVALID_REQUEST', `"${text}" is neither a date nor a span such as 90d`, { field: 'expires' })
  if (at < now) throw new AdcpError('INVALID_REQUEST', `"${text}" is in the past`, { field: 'expires' })
  return at
}

/** Rotation may shorten the life of a key, never lengthen it: an old key that expires sooner than the overlap still does. */
function endOfOverlap(old: KeyRow, overlap: string, now: Date): Date {
  const end = moment(overlap, now)
  return old.expires_at !== null && old.expires_at < end.toISOString() ? new Date(old.expires_at) : end
}

/** A successor lives as long as its predecessor was made to live; one without an end has none either. */
function renewedExpiry(old: KeyRow, now: Date): string | undefined {
  if (old.expires_at === null) return undefined
  const life = Date.parse(old.expires_at) - Date.parse(old.created_at)
  return new Date(now.getTime() + life).toISOString()
}

function describeKey(row: KeyRow, now: Date) {
  const scopes: readonly string[] = JSON.parse(row.scopes)
  const status =
    row.revoked_at !== null ? 'revoked' : row.expires_at !== null && row.expires_at <= now.toISOString() ? 'expired' : 'active'
  return {
    key_id: row.key_id,
    principal: row.principal_id,
    token: `${row.prefix}…${row.last_four}`,
    scopes,
    status,
    created_at: row.created_at,
    last_used_at: row.last_used_at,
    expires_at: row.expires_at,
  }
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
