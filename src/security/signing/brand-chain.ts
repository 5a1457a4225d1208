import { redirectOf } from '../../domain/brand/brand-json.ts'
import { followBrandFile } from '../../domain/brand/follow-brand-file.ts'
import { SignatureFault } from './challenge.ts'
import { BrandFileFault, type BrandFileOptions, openBrandFile } from './open-brand-file.ts'

/** How brand.json files are read, and the clock by which their redirects hold. */
export interface BrandDocumentOptions extends BrandFileOptions {
  readonly clock: () => Date
}

export interface BrandChainOptions extends BrandDocumentOptions {
  /** Payload of `get_adcp_capabilities` at an agent, asked at protocol level. */
  readonly capabilitiesOf: (agentUrl: string) => Promise<unknown>
  /** eTLD+1 by the Public Suffix List with its private section. */
  readonly registrableDomain: (hostname: string) => string | undefined
}

/**
 * Walks from an agent's URL to the address of its key set: capabilities → `identity.brand_json_url` → the one `agents[]` entry
 * with this very URL → `jwks_uri` (AdCP "Discovering an agent's signing keys via brand_json_url").
 * Throws `SignatureFault` with the code of the link that broke.
 */
export async function jwksUriOf(agentUrl: string, options: BrandChainOptions): Promise<string> {
  const capabilities = await readCapabilities(agentUrl, options)
  const brandUrl = field(field(capabilities, 'identity'), 'brand_json_url')
  if (!isHttps(brandUrl)) fault('signature_brand_json_url_missing', 'capabilities name no https brand_json_url')
  const brand = await readBrandJson(brandUrl, options)
  checkSameOwner(agentUrl, brandUrl, brand, options)
  const jwksUri = jwksUriIn(agentUrl, brand)
  checkKeyOrigin(jwksUri, capabilities)
  return jwksUri
}

/**
 * The same from a brand's domain that the operator has registered for the agent, so that no third party has to vouch for it:
 * the brand's own brand.json → `agents[]` entry → `jwks_uri`. Throws `SignatureFault`.
 */
export async function jwksUriInBrand(
  agentUrl: string,
  brandDomain: string,
  options: BrandDocumentOptions,
  /** What the entry has to say that the agent is. */
  type?: string,
): Promise<string> {
  const brand = await brandJsonOf(brandDomain, options)
  if (type !== undefined && field(agentEntry(agentUrl, brand), 'type') !== type)
    fault('signature_agent_not_in_brand_json', `agents[] entry is not of type ${type}`)
  return jwksUriIn(agentUrl, brand)
}

/** The brand.json of a domain. Throws `SignatureFault`. */
export function brandJsonOf(domain: string, options: BrandDocumentOptions): Promise<unknown> {
  return readBrandJson(`https://${domain}/.well-known/brand.json`, options)
}

/** Whether an `agents[]` entry of a brand.json has this very URL. */
export function listsAgent(agentUrl: string, brand: unknown): boolean {
  return agentEntries(agentUrl, brand).length > 0
}

async function readCapabilities(agentUrl: string, options: BrandChainOptions): Promise<unknown> {
  try {
    return await options.capabilitiesOf(agentUrl)
  } catch (cause) {
    throw new SignatureFault('signature_capabilities_unreachable', 'agent does not answer get_adcp_capabilities', { cause })
  }
}

function jwksUriIn(agentUrl: string, brand: unknown): string {
  const jwksUri = field(agentEntry(agentUrl, brand), 'jwks_uri') ?? new URL('/.well-known/jwks.json', agentUrl).href
  if (!isHttps(jwksUri)) fault('signature_brand_json_malformed', 'jwks_uri is not an https URL')
  return jwksUri
}

/** The document, or the one that its redirects lead to. Throws `SignatureFault`. */
async function readBrandJson(url: string, options: BrandDocumentOptions): Promise<unknown> {
  const found = await followBrandFile(url, {
    open: async (at) => ({ document: await openForKeys(at, options) }),
    redirectOf: ({ document }) => redirectOf(document),
    now: options.clock(),
  })
  if (found === 'not-yet') return fault('signature_brand_json_unreachable', 'the redirect of brand.json does not hold yet')
  if (found === 'too-far') return fault('signature_brand_json_malformed', 'brand.json leads on too far')
  if (typeof field(found.document, 'house') === 'string') fault('signature_brand_json_malformed', 'house is not a domain')
  return found.document
}

async function openForKeys(url: string, options: BrandDocumentOptions): Promise<unknown> {
  try {
    return await openBrandFile(url, options)
  } catch (cause) {
    if (!(cause instanceof BrandFileFault)) throw cause
    if (cause.problem === 'malformed') {
      throw new SignatureFault('signature_brand_json_malformed', 'brand.json is not strict JSON', { cause: cause.cause })
    }
    const code = cause.problem === 'untrusted' ? 'signature_jwks_untrusted' : 'signature_brand_json_unreachable'
    throw new SignatureFault(code, 'brand.json cannot be fetched', { cause: cause.cause })
  }
}

/** The brand must be the agent's own, or say that it lets the agent's operator act for it. */
function checkSameOwner(agentUrl: string, brandUrl: string, brand: unknown, { registrableDomain }: BrandChainOptions): void {
  const owner = registrableDomain(new URL(agentUrl).hostname)
  const operators = list(field(brand, 'authorized_operators')).map((operator) => field(operator, 'domain'))
  if (owner === undefined) fault('signature_brand_origin_mismatch', 'agent URL has no registrable domain')
  if (owner === registrableDomain(new URL(brandUrl).hostname) || operators.includes(owner)) return
  fault('signature_brand_origin_mismatch', 'brand.json is of another domain and does not authorize this operator')
}

function agentEntries(agentUrl: string, brand: unknown): readonly unknown[] {
  const places = [brand, field(brand, 'house'), ...list(field(brand, 'brands'))]
  return places.flatMap((place) => list(field(place, 'agents'))).filter((agent) => field(agent, 'url') === agentUrl)
}

function agentEntry(agentUrl: string, brand: unknown): unknown {
  const [entry, ...others] = agentEntries(agentUrl, brand)
  if (entry === undefined) fault('signature_agent_not_in_brand_json', 'no agents[] entry has this URL')
  if (others.length > 0) fault('signature_brand_json_ambiguous', 'several agents[] entries have this URL')
  return entry
}

/** Where an agent says which origin holds its keys, they come from there; where it says it signs, it has to say so. */
function checkKeyOrigin(jwksUri: string, capabilities: unknown): void {
  const declared = field(field(field(capabilities, 'identity'), 'key_origins'), 'request_signing')
  if (typeof declared === 'string') {
    if (URL.canParse(declared) && new URL(declared).origin === new URL(jwksUri).origin) return
    fault('signature_key_origin_mismatch', 'key set is not at the declared key origin')
  }
  const signing = field(capabilities, 'request_signing')
  const signs = ['supported_for', 'required_for'].some((name) => list(field(signing, name)).length > 0)
  if (signs) fault('signature_key_origin_missing', 'capabilities declare signing without a key origin')
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isHttps(value: unknown): value is string {
  return typeof value === 'string' && URL.canParse(value) && new URL(value).protocol === 'https:'
}

function fault(code: ConstructorParameters<typeof SignatureFault>[0], detail: string): never {
  throw new SignatureFault(code, detail)
}
