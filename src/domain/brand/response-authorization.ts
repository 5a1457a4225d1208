import { isObject } from '../../protocol/is-object.ts'
import { canonicalUrl, MalformedUrl } from '../canonical-url.ts'
import { type BrandAgent, type BrandJson, readBrandJson } from './brand-json.ts'
import { agentsFor, chooseBrand } from './choose-brand.ts'

/** AdCP core/brand-response-authorization-result.json. */
export type BrandAuthorization =
  | { readonly trust: 'trusted'; readonly kid: string; readonly jwks_uri: string }
  | { readonly trust: 'untrusted'; readonly reason: UntrustedReason; readonly kid?: string; readonly jwks_uri?: string }

export type UntrustedReason =
  | 'brand_json_unavailable'
  | 'agent_not_authorized'
  | 'agent_authorization_ambiguous'
  | 'jwks_unavailable'
  | 'kid_not_authorized'
  | 'kid_authorization_ambiguous'
  | 'key_material_mismatch'
  | 'key_purpose_invalid'

/** A signed answer of a brand agent whose signature fits a key. */
export interface SignedBy {
  readonly brandDomain: string
  readonly agentUrl: string
  readonly kid: string
  /** The key (JWK) that the signature fits. */
  readonly key: unknown
}

/**
 * Whether the key of a signed answer is one that the brand itself named: its brand.json lists the agent once, as a brand agent for this very brand, and that
 * entry's key set holds the key (AdCP 3.2, brand-authorization cross-check). `brandJson` is undefined where it cannot be read. `keysAt` gives the key set at
 * an address, undefined where it cannot be read; it is asked for that one address.
 */
export async function authorizeAnswer(
  { brandDomain, agentUrl, kid, key }: SignedBy,
  brandJson: unknown,
  keysAt: (jwksUri: string) => Promise<unknown>,
): Promise<BrandAuthorization> {
  const brand = readBrandJson(brandJson)
  if (!brand) return { trust: 'untrusted', reason: 'brand_json_unavailable' }
  const [agent, ...others] = brandAgentsOf(brand, brandDomain).filter(({ url }) => isSameUrl(url, agentUrl))
  if (!agent) return { trust: 'untrusted', reason: 'agent_not_authorized' }
  if (others.length > 0) return { trust: 'untrusted', reason: 'agent_authorization_ambiguous' }
  const jwks_uri = canonicalUrl(agent.jwksUri ?? new URL('/.well-known/jwks.json', agent.url).href).targetUri
  const reason = faultOfKey(await keysAt(jwks_uri), kid, key)
  return reason === undefined ? { trust: 'trusted', kid, jwks_uri } : { trust: 'untrusted', reason, kid, jwks_uri }
}

/** The agents that may answer for a brand: its own, and its house's where it has none. Those of a sibling may not. */
export function brandAgentsOf(file: BrandJson, domain: string): readonly BrandAgent[] {
  return agentsIn(file, domain).filter(({ type }) => type === 'brand')
}

function agentsIn(file: BrandJson, domain: string): readonly BrandAgent[] {
  switch (file.variant) {
    case 'redirect':
      return []
    case 'agents':
      return file.agents
    case 'brand':
      return file.brand.agents
    case 'portfolio':
      if (file.house.domain === domain) return file.house.agents
      return agentsOfMember(file, domain)
  }
}

function agentsOfMember(file: Extract<BrandJson, { variant: 'portfolio' }>, domain: string): readonly BrandAgent[] {
  const brand = chooseBrand(file, domain, undefined)
  return brand ? agentsFor(brand, file.house.agents) : []
}

/** A URL that has no canonical form equals no other. */
function isSameUrl(a: string, b: string): boolean {
  try {
    return canonicalUrl(a).targetUri === canonicalUrl(b).targetUri
  } catch (error) {
    if (error instanceof MalformedUrl) return false
    throw error
  }
}

/** Members that make a public key what it is (RFC 7638 §3.2). */
const MATERIAL = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const

function faultOfKey(keySet: unknown, kid: string, verified: unknown): UntrustedReason | undefined {
  if (!isObject(keySet) || !Array.isArray(keySet.keys)) return 'jwks_unavailable'
  const [published, ...others] = keySet.keys.filter(isObject).filter((key) => key.kid === kid)
  if (!published) return 'kid_not_authorized'
  if (others.length > 0) return 'kid_authorization_ambiguous'
  const operations: unknown = published.key_ops
  const isForAnswers =
    published.adcp_use === 'response-signing' &&
    published.use === 'sig' &&
    Array.isArray(operations) &&
    operations.includes('verify')
  if (!isForAnswers) return 'key_purpose_invalid'
  const isSameKey = isObject(verified) && MATERIAL.every((member) => published[member] === verified[member])
  return isSameKey ? undefined : 'key_material_mismatch'
}
