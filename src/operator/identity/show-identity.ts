import { publicOrigin } from '../../config/config.ts'
import { adagentsJson, brandAgentEntry, brandJson, brandJsonUrlOf, jwksUriOf } from '../../domain/identity/documents.ts'
import { SIGNING_KEY_STATES } from '../../domain/identity/signing-key-state.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import { listSigningKeys } from '../../store/identity/signing-keys.ts'
import { listTenants } from '../../store/identity/tenants.ts'
import { loadPublisherInventory } from '../../store/product/products.ts'
import { defineAct } from '../act.ts'
import type { OperatorContext } from '../operator-context.ts'
import { ADMINISTRATORS, READERS } from '../roles.ts'
import { anything, documentOf, listOf, mapOf, moment, named, type Of, object, string, word } from '../shape.ts'
import { table } from '../text-table.ts'

// Several acts in one file: they list, change and remove the same thing.

/** The signing keys of a deployment, and the documents that publish them. */
export type Identity = Of<typeof identityShape>
export const identityShape = named(
  'Identity',
  object({
    agent_url: string,
    jwks_uri: string,
    keys: listOf(object({ kid: string, purpose: string, state: word(...SIGNING_KEY_STATES), created_at: moment })),
    brand_json: object({
      url: string,
      agents_entry: documentOf<ReturnType<typeof brandAgentEntry>>('The entry of this agent in agents[] of a brand.json.'),
    }),
    adagents: listOf(object({ tenant: string, domain: string, url: string, document: mapOf(anything) })),
    problems: listOf(string),
  }),
)

/** Shows the keys and the documents. The command exits with code 1 when a document does not match its schema. */
export const showOwnIdentity = defineAct({
  name: 'identity.show',
  route: 'GET /deployment/identity',
  id: 'showIdentity',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'The signing keys of this deployment, and the documents that publish them (JWKS, brand.json, adagents.json).',
  fields: {},
  answer: identityShape,
  command: {
    help: 'show keys and documents; exit code 1 when a document breaks its schema',
    fails: ({ problems }) => problems.length > 0,
    text: identityLines,
  },
  run: (context) => showIdentity(context),
})

/** The same for one publisher: its adagents.json alone, and what keeps it or the documents of the agent from being published. */
export const showPublisherIdentity = defineAct({
  name: 'identity.own',
  route: 'GET /identity',
  id: 'showPublisherIdentity',
  roles: READERS,
  summary: 'The signing keys of the agent, and the documents that publish them and this publisher.',
  fields: {},
  answer: identityShape,
  command: {
    help: 'show the keys of the agent, and the documents of one publisher; exit code 1 when one breaks its schema',
    fails: ({ problems }) => problems.length > 0,
    text: identityLines,
  },
  run: (context) => showIdentity(context, context.tenantId),
})

/** What is published where. */
export function identityLines(shown: Identity): readonly string[] {
  return [
    ...table(
      ['KEY', 'PURPOSE', 'STATE', 'CREATED'],
      shown.keys.map((key) => [key.kid, key.purpose, key.state, key.created_at]),
    ),
    '',
    `agent URL   ${shown.agent_url}`,
    `public keys ${shown.jwks_uri}`,
    `brand.json  ${shown.brand_json.url}; for a brand.json of your own, put this into its agents[]:`,
    `  ${JSON.stringify(shown.brand_json.agents_entry)}`,
    ...shown.adagents.flatMap(({ domain, url }) => [
      `adagents    https://${domain}/.well-known/adagents.json has to authorise the agent; it may say no more than:`,
      `  ${JSON.stringify({ authoritative_location: url })}`,
    ]),
    ...shown.problems.map((problem) => `problem: ${problem}`),
  ]
}

/**
 * The keys of this deployment and the documents in which others find them. Without `problems` the documents can be published: the origin is https, and the
 * official schemas accept them. `tenantId`: with the file of this publisher alone.
 */
export async function showIdentity({ store, config, schemas }: OperatorContext, tenantId?: string): Promise<Identity> {
  const origin = publicOrigin(config)
  const address = { origin, agentUrl: `${origin}/mcp` }
  const keys = await listSigningKeys(store.read)
  const tenants = (await listTenants(store.read)).filter((each) => tenantId === undefined || each.tenantId === tenantId)
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
