import { canonicalUrl } from '../../domain/canonical-url.ts'
import type { AgentKeySource } from '../../domain/identity/agent-key-source.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { readJwks } from '../../security/signing/jwk.ts'
import { addAgentKeySource, listAgentKeySources, removeAgentKeySource } from '../../store/identity/agent-key-sources.ts'
import { addPrincipal, findPrincipal } from '../../store/identity/principals.ts'
import { auditedStore } from '../audited-store.ts'
import { requireHttpsUrl } from '../https-url.ts'
import type { OperatorContext } from '../operator-context.ts'
import { requirePrincipalId } from '../principals/principal-id.ts'
import { readScopes } from '../scopes.ts'

/** Where the public keys of an agent are: exactly one of these. */
export interface KeyPlace {
  /** A parsed JWKS document, and what to call it in messages. */
  readonly jwks?: { readonly document: unknown; readonly name: string } | undefined
  readonly jwksUri?: string | undefined
  /** Domain whose /.well-known/brand.json lists the agent. */
  readonly brandDomain?: string | undefined
  /** Ask the agent itself for its brand.json. */
  readonly discover?: boolean | undefined
}

export interface SigningAgent extends KeyPlace {
  readonly tenantId: string
  readonly principalId: string
  /** The agent's own address, for a new principal. */
  readonly url?: string | undefined
  /** Comma-separated, for a new principal; default: all. */
  readonly scopes?: string | undefined
  readonly signingRequired: boolean
}

/**
 * Registers where the keys of an agent are; makes the principal when it is new. Gives the agent's address and the kind of the source. Throws INVALID_REQUEST.
 */
export async function addAgent(
  context: OperatorContext,
  agent: SigningAgent,
): Promise<{ readonly agentUrl: string | null; readonly kind: AgentKeySource['kind'] }> {
  const { tenantId, principalId, url, scopes, signingRequired } = agent
  const source = sourceOf(agent)
  const allowed = await readScopes(scopes)
  const store = auditedStore(context, { task: 'agents.add', tenant: tenantId, subject: principalId })
  const agentUrl = await store.transaction(async (tx) => {
    const now = context.clock()
    const address = url === undefined ? undefined : agentUrlOf(url)
    const fresh = { tenantId, principalId, name: principalId, agentUrl: address, sandbox: false, signingRequired }
    const known = await findPrincipal(tx, tenantId, principalId)
    const row =
      known ?? (await addPrincipal(tx, { ...fresh, principalId: requirePrincipalId(principalId), scopes: allowed }, now))
    if (address !== undefined && row.agent_url !== address) {
      const message = `${principalId} has another agent URL: ${row.agent_url ?? 'none'}`
      throw new AdcpError('INVALID_REQUEST', message, { field: 'url' })
    }
    await addAgentKeySource(tx, { tenantId, principalId, ...source }, now)
    return row.agent_url
  })
  return { agentUrl, kind: source.kind }
}

/** Agents with keys, and where those are. */
export async function listAgents({ store }: OperatorContext) {
  return (await listAgentKeySources(store.read)).map(({ agentUrl, kind, value }) => {
    const keys = kind === 'jwks' ? (readJwks(JSON.parse(value)) ?? []) : []
    const where = kind === 'jwks' ? keys.map(({ kid }) => kid).join(', ') : value === '' ? 'its capabilities' : value
    return { agent_url: agentUrl, kind, where }
  })
}

/** Removes the keys of an agent, whatever their source. */
export async function removeAgent(
  context: OperatorContext,
  { tenantId, principalId }: { readonly tenantId: string; readonly principalId: string },
): Promise<void> {
  const store = auditedStore(context, { task: 'agents.remove', tenant: tenantId, subject: principalId })
  await store.transaction(async (tx) => {
    for (const kind of ['jwks', 'jwks_uri', 'brand_json'] as const) await removeAgentKeySource(tx, tenantId, principalId, kind)
  })
}

function sourceOf({ jwks, jwksUri, brandDomain, discover }: KeyPlace): Omit<AgentKeySource, 'agentUrl'> {
  const given: Omit<AgentKeySource, 'agentUrl'>[] = [
    ...(jwks === undefined ? [] : [{ kind: 'jwks' as const, value: publicKeysIn(jwks.document, jwks.name) }]),
    ...(jwksUri === undefined ? [] : [{ kind: 'jwks_uri' as const, value: requireHttpsUrl(jwksUri, 'jwks-uri') }]),
    ...(brandDomain === undefined ? [] : [{ kind: 'brand_json' as const, value: requireDomain(brandDomain) }]),
    ...(discover ? [{ kind: 'brand_json' as const, value: '' }] : []),
  ]
  const [source, ...others] = given
  if (source && others.length === 0) return source
  throw new AdcpError('INVALID_REQUEST', 'say where the keys are: one of --jwks, --jwks-uri, --brand-domain, --discover')
}

/** Public members only, so that a private key in the document never reaches the store. */
function publicKeysIn(document: unknown, name: string): string {
  const keys = readJwks(document)
  if (!keys?.some((key) => key.adcp_use === 'request-signing'))
    throw new AdcpError('INVALID_REQUEST', `${name} holds no key with "adcp_use": "request-signing"`, { field: 'jwks' })
  return JSON.stringify({ keys })
}

/** An agent URL in the form in which it is compared everywhere. */
function agentUrlOf(text: string): string {
  requireHttpsUrl(text, 'url')
  return canonicalUrl(text).targetUri
}

function requireDomain(text: string): string {
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(text)) return text
  throw new AdcpError('INVALID_REQUEST', `"${text}" is not a domain`, { field: 'brand-domain' })
}
