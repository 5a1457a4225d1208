import { publicOrigin } from '../../config/config.ts'
import { adagentsJson, brandAgentEntry, brandJson, brandJsonUrlOf, jwksUriOf } from '../../domain/identity/documents.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import { listSigningKeys } from '../../store/identity/signing-keys.ts'
import { listTenants } from '../../store/identity/tenants.ts'
import { loadPublisherInventory } from '../../store/product/products.ts'
import type { OperatorContext } from '../operator-context.ts'

/**
 * The keys of this deployment and the documents in which others find them. Without `problems` the documents can be published: the origin is https, and the
 * official schemas accept them.
 */
export async function showIdentity({ store, config, schemas }: OperatorContext) {
  const origin = publicOrigin(config)
  const address = { origin, agentUrl: `${origin}/mcp` }
  const keys = await listSigningKeys(store.read)
  const tenants = await listTenants(store.read)
  const files = await Promise.all(
    tenants.map(async (tenant) => {
      const { publisher, properties } = await loadPublisherInventory(store.read, tenant.tenantId)
      const { name, domain } = publisher ?? tenant
      const path = tenant.isPublicDefault ? '' : `/t/${tenant.tenantId}`
      const document = adagentsJson(address, { name, domain, properties })
      return { tenant: tenant.tenantId, domain, url: `${origin}${path}/.well-known/adagents.json`, document }
    }),
  )
  const problems = origin.startsWith('https:')
    ? [
        ...problemsIn(schemas, 'brand.json', brandJson(address), 'brand.json'),
        ...files.flatMap(({ domain, document }) => problemsIn(schemas, 'adagents.json', document, `adagents.json of ${domain}`)),
      ]
    : [`${origin} is not https: set publicUrl (or tls), since only https addresses can be published`]
  return {
    agent_url: address.agentUrl,
    jwks_uri: jwksUriOf(address),
    keys: keys.map(({ kid, purpose, state, created_at }) => ({ kid, purpose, state, created_at })),
    brand_json: { url: brandJsonUrlOf(address), agents_entry: brandAgentEntry(address) },
    adagents: files,
    problems,
  }
}

function problemsIn(schemas: Schemas, schema: string, document: object, name: string): string[] {
  return schemas
    .validator(schema)(document)
    .map(({ pointer, message }) => `${name}${pointer} ${message}`)
}
