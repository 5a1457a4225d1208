import { Command } from 'commander'
import { type Config, givenSecret, publicOrigin } from '../config/config.ts'
import { adagentsJson, brandAgentEntry, brandJson, brandJsonUrlOf, jwksUriOf } from '../domain/identity/documents.ts'
import { SEALED } from '../features/webhooks/service.ts'
import { Schemas } from '../protocol/schemas.ts'
import { deploymentSecret, secretPath } from '../security/secrets/deployment-secret.ts'
import { createSecretBox, type SecretBox } from '../security/secrets/secret-box.ts'
import type { KeyPurpose } from '../security/signing/key-provider.ts'
import { type Rotation, replaceCompromised, rotate } from '../security/signing/key-rotation.ts'
import { ensureSigningKey } from '../security/signing/stored-keys.ts'
import type { Store } from '../store/database.ts'
import { listTenants } from '../store/identity/principals.ts'
import { listSigningKeys } from '../store/identity/signing-keys.ts'
import { loadCatalogueHead } from '../store/product/products.ts'
import { asOperator } from './as-operator.ts'
import { print, table } from './output.ts'
import { type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface IdentityOptions extends StoreOptions {
  readonly compromised?: boolean
  readonly json?: boolean
}

const PURPOSES: readonly KeyPurpose[] = ['request-signing', 'webhook-signing', 'governance-signing']

/** `sales-agent identity init|show|rotate`: the seller's own keys and the documents in which others find them. */
export function identityCommand(): Command {
  const identity = new Command('identity').description('this agent’s own signing keys, brand.json entry and adagents.json')
  withStoreOptions(identity.command('init').description('make the keys that are missing, and say what to publish where'))
    .option('--json')
    .action((options: IdentityOptions) =>
      withStore(options, async (store, config) => {
        await asOperator(store, { task: 'identity.init' }).transaction(async (tx) => {
          for (const purpose of PURPOSES) await ensureSigningKey(tx, keyBox(config), purpose, new Date())
        })
        await show(store, config, options.json)
      }),
    )
  withStoreOptions(identity.command('show').description('show keys and documents; exit code 1 when a document breaks its schema'))
    .option('--json')
    .action((options: IdentityOptions) =>
      withStore(options, async (store, config) => {
        if (!(await show(store, config, options.json))) process.exitCode = 1
      }),
    )
  withStoreOptions(
    identity
      .command('rotate')
      .description('announce new keys; run again half an hour later, let them sign and retire the old ones'),
  )
    .option('--compromised', 'replace every key at once: receivers refuse us until they fetch the new ones')
    .option('--json')
    .action((options: IdentityOptions) =>
      withStore(options, async (store, config) => {
        const step = options.compromised ? replaceCompromised : rotate
        const box = keyBox(config)
        const done = await asOperator(store, { task: options.compromised ? 'identity.replace' : 'identity.rotate' }).transaction(
          async (tx) => {
            const rotations: (Rotation & { purpose: KeyPurpose })[] = []
            for (const purpose of PURPOSES) rotations.push({ purpose, ...(await step(tx, box, purpose, new Date())) })
            return rotations
          },
        )
        print(options.json, { rotations: done }, done.map(describe))
      }),
    )
  return identity
}

/** The box that seals the deployment's private keys. */
export function keyBox(config: Config): SecretBox {
  return createSecretBox(deploymentSecret(config.secretFile ?? secretPath(config.data), givenSecret()), SEALED.signingKeys)
}

/** Prints everything; gives whether the documents can be published. */
async function show(store: Store, config: Config, json: boolean | undefined): Promise<boolean> {
  const origin = publicOrigin(config)
  const address = { origin, agentUrl: `${origin}/mcp` }
  const schemas = new Schemas()
  const keys = await listSigningKeys(store.read)
  const tenants = await listTenants(store.read)
  const files = await Promise.all(
    tenants.map(async (tenant) => {
      const { publisher, properties } = await loadCatalogueHead(store.read, tenant.tenantId)
      const { name, domain } = publisher ?? tenant
      const path = tenant.isPublicDefault ? '' : `/t/${tenant.tenantId}`
      const document = adagentsJson(address, { name, domain, properties })
      return { tenant: tenant.tenantId, domain, url: `${origin}${path}/.well-known/adagents.json`, document }
    }),
  )
  const isPublic = origin.startsWith('https:')
  const problems = isPublic
    ? [
        ...problemsIn(schemas, 'brand.json', brandJson(address), 'brand.json'),
        ...files.flatMap(({ domain, document }) => problemsIn(schemas, 'adagents.json', document, `adagents.json of ${domain}`)),
      ]
    : [`${origin} is not https: set publicUrl (or tls), since only https addresses can be published`]
  const documents = {
    agent_url: address.agentUrl,
    jwks_uri: jwksUriOf(address),
    keys: keys.map(({ kid, purpose, state, created_at }) => ({ kid, purpose, state, created_at })),
    brand_json: { url: brandJsonUrlOf(address), agents_entry: brandAgentEntry(address) },
    adagents: files,
    problems,
  }
  print(json, documents, [
    ...table(
      ['KEY', 'PURPOSE', 'STATE', 'CREATED'],
      keys.map((key) => [key.kid, key.purpose, key.state, key.created_at]),
    ),
    '',
    `agent URL   ${address.agentUrl}`,
    `public keys ${documents.jwks_uri}`,
    `brand.json  ${documents.brand_json.url}; for a brand.json of your own, put this into its agents[]:`,
    `  ${JSON.stringify(documents.brand_json.agents_entry)}`,
    ...files.flatMap(({ domain, url }) => [
      `adagents    https://${domain}/.well-known/adagents.json has to authorise the agent; it may say no more than:`,
      `  ${JSON.stringify({ authoritative_location: url })}`,
    ]),
    ...problems.map((problem) => `problem: ${problem}`),
  ])
  return problems.length === 0
}

function problemsIn(schemas: Schemas, schema: string, document: object, name: string): string[] {
  return schemas
    .validator(schema)(document)
    .map(({ pointer, message }) => `${name}${pointer} ${message}`)
}

function describe(rotation: Rotation & { readonly purpose: KeyPurpose }): string {
  const { purpose, kid } = rotation
  if (rotation.step === 'switched') return `${purpose}: ${kid} signs now; retired: ${rotation.retired.join(', ') || 'none'}`
  const ready = `run this again after ${rotation.readyAt.toISOString()}`
  return rotation.step === 'announced' ? `${purpose}: ${kid} is published; ${ready}` : `${purpose}: ${kid} waits; ${ready}`
}
