import { Command } from 'commander'
import { type Config, givenSecret } from '../config/config.ts'
import { oauthBox } from '../features/oauth/compose.ts'
import { rotateTokenKey } from '../features/oauth/token-keys.ts'
import { AdcpError } from '../protocol/errors.ts'
import { deploymentSecret, secretPath } from '../security/secrets/deployment-secret.ts'
import type { SecretBox } from '../security/secrets/secret-box.ts'
import type { Store } from '../store/database.ts'
import { deleteByGrant, deleteOauthRecord, listOauthRecords } from '../store/identity/oauth-records.ts'
import { asOperator } from './as-operator.ts'
import { print, table } from './output.ts'
import { type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface Options extends StoreOptions {
  readonly json?: boolean
}

interface RotateOptions extends Options {
  readonly compromised?: boolean
}

interface Grant {
  readonly jti: string
  readonly accountId: string
  readonly clientId: string
  readonly resources?: Readonly<Record<string, string>>
}

interface Client {
  readonly client_id: string
  readonly client_name?: string
  readonly redirect_uris: readonly string[]
}

/** `sales-agent oauth clients|grants|revoke|remove-client|rotate-key`: assistants that people connected, and how to end that. */
export function oauthCommand(): Command {
  const oauth = new Command('oauth').description('assistants that people connected by logging in')
  withStoreOptions(oauth.command('clients').description('list the registered clients'))
    .option('--json')
    .action((options: Options) => withStore(options, (store, config) => listClients(store, config, options)))
  withStoreOptions(oauth.command('grants').description('list who let which client act for them, and for what'))
    .option('--json')
    .action((options: Options) => withStore(options, (store, config) => listGrants(store, config, options)))
  withStoreOptions(oauth.command('revoke <grant>').description('end a grant: its tokens stop working at once'))
    .option('--json')
    .action((grantId: string, options: Options) => withStore(options, (store) => revoke(store, grantId, options)))
  withStoreOptions(oauth.command('remove-client <client>').description('forget a client and end every grant to it'))
    .option('--json')
    .action((clientId: string, options: Options) =>
      withStore(options, (store, config) => removeClient(store, config, clientId, options)),
    )
  withStoreOptions(oauth.command('rotate-key').description('sign access tokens with a new key; those signed before still count'))
    .option('--compromised', 'forget the keys before it at once: every access token ends, and is got anew with its refresh token')
    .option('--json')
    .action((options: RotateOptions) => withStore(options, (store, config) => rotateKey(store, config, options)))
  return oauth
}

async function listClients(store: Store, config: Config, { json }: Options): Promise<void> {
  const records = await listOauthRecords(store.read, 'Client', new Date())
  const box = boxOf(config)
  const clients = records.map(({ document, createdAt, usedAt }) => {
    const { client_id, client_name, redirect_uris }: Client = JSON.parse(box.open(document, 'Client'))
    return { client_id, client_name: client_name ?? '', redirect_uris, registered_at: createdAt, used_at: usedAt || null }
  })
  const rows = clients.map((each) => [each.client_id, each.client_name, each.redirect_uris.join(' '), each.used_at ?? 'never'])
  print(json, { clients }, table(['CLIENT', 'NAME', 'REDIRECTS', 'USED'], rows))
}

async function grantsOf(
  store: Store,
  config: Config,
): Promise<(Grant & { readonly createdAt: string; readonly principalId: string | undefined })[]> {
  const box = boxOf(config)
  const records = await listOauthRecords(store.read, 'Grant', new Date())
  return records.map(({ document, createdAt, principalId }) => {
    const grant: Grant = JSON.parse(box.open(document, 'Grant'))
    return { ...grant, createdAt, principalId }
  })
}

async function listGrants(store: Store, config: Config, { json }: Options): Promise<void> {
  const grants = (await grantsOf(store, config)).map(({ jti, accountId, clientId, resources = {}, createdAt, principalId }) => ({
    grant: jti,
    user: accountId,
    principal: principalId ?? null,
    client_id: clientId,
    resources,
    granted_at: createdAt,
  }))
  const rows = grants.map((each) => [
    each.grant,
    each.principal === null ? each.user : `${each.user} as ${each.principal}`,
    each.client_id,
    Object.values(each.resources).join(' '),
    each.granted_at,
  ])
  print(json, { grants }, table(['GRANT', 'USER', 'CLIENT', 'SCOPES', 'GRANTED'], rows))
}

async function revoke(store: Store, grantId: string, { json }: Options): Promise<void> {
  const found = await asOperator(store, { task: 'oauth.revoke', subject: grantId }).transaction(async (tx) => {
    await deleteByGrant(tx, grantId)
    return deleteOauthRecord(tx, 'Grant', grantId)
  })
  if (!found) throw new AdcpError('REFERENCE_NOT_FOUND', 'there is no such grant', { field: 'grant' })
  print(json, { revoked: grantId }, [`grant ${grantId} is revoked; its tokens stop working at once`])
}

async function removeClient(store: Store, config: Config, clientId: string, { json }: Options): Promise<void> {
  const grants = (await grantsOf(store, config)).filter((grant) => grant.clientId === clientId)
  const found = await asOperator(store, { task: 'oauth.remove-client', subject: clientId }).transaction(async (tx) => {
    for (const { jti } of grants) {
      await deleteByGrant(tx, jti)
      await deleteOauthRecord(tx, 'Grant', jti)
    }
    return deleteOauthRecord(tx, 'Client', clientId)
  })
  if (!found) throw new AdcpError('REFERENCE_NOT_FOUND', 'there is no such client', { field: 'client' })
  const value = { removed: clientId, grants: grants.length }
  print(json, value, [`client ${clientId} is gone, with ${grants.length} grants`])
}

async function rotateKey(store: Store, config: Config, { compromised = false, json }: RotateOptions): Promise<void> {
  const operator = asOperator(store, { task: compromised ? 'oauth.replace-key' : 'oauth.rotate-key' })
  const { kid, signsFrom, kept } = await operator.transaction((tx) =>
    rotateTokenKey(tx, boxOf(config), new Date(), { compromised }),
  )
  const value = { kid, signs_from: signsFrom.toISOString(), kept }
  print(json, value, [
    `key ${kid} signs access tokens from ${value.signs_from}; running servers know it by then`,
    kept.length > 0
      ? `${kept.join(', ')} verifies until its last token has run out, an hour later`
      : 'no token from before counts',
  ])
}

function boxOf(config: Config): SecretBox {
  return oauthBox(deploymentSecret(config.secretFile ?? secretPath(config.data), givenSecret()))
}
