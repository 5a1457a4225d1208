import type { Config } from '../../config/config.ts'
import type { BrandJson } from '../../domain/brand/brand-json.ts'
import { readBrandJson } from '../../domain/brand/brand-json.ts'
import type { ClaimAnswer, ClaimQuestion } from '../../domain/brand/judge-claim.ts'
import { authorizeAnswer, type BrandAuthorization, brandAgentsOf } from '../../domain/brand/response-authorization.ts'
import { directoryFetch } from '../../features/directory/service.ts'
import { callTool } from '../../platform/net/call-tool.ts'
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import type { Contract } from '../../protocol/contract.ts'
import { loadContracts } from '../../protocol/contracts.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { keyDocuments } from '../../security/auth/key-documents.ts'
import { brandJsonOf } from '../../security/signing/brand-chain.ts'
import { SignatureFault } from '../../security/signing/challenge.ts'
import { type PublishedJwk, readJwks } from '../../security/signing/jwk.ts'
import {
  keyIdOf,
  type ResponseEnvelope,
  ResponseSignatureFault,
  verifyResponse,
} from '../../security/signing/response-envelope.ts'

const TASK = 'verify_brand_claim'
const MAX_JWKS_BYTES = 64 * 1024
const CALL: FetchPolicy = {
  redirects: 'none',
  maxRedirects: 0,
  maxBytes: 256 * 1024,
  connectMs: 5_000,
  readMs: 10_000,
  totalMs: 20_000,
  contentTypes: undefined,
}

/** What a brand's own agent says of a claim, and whether that is the brand's word. */
export interface BrandConfirmation extends Omit<ClaimAnswer, 'claim_type'> {
  readonly domain: string
  readonly agent_url: string
  /** Why the signature does not count; absent when it does. */
  readonly signature_fault?: string
  /** Whether the brand itself named the agent and the key; absent without a signature that counts. */
  readonly authorization?: BrandAuthorization
}

export interface AskInstruments {
  readonly fetch: SafeFetch
  /** Strict: throws on a repeated key. */
  readonly parseJson: (body: Uint8Array) => unknown
  readonly clock: () => Date
}

/** With what a configuration asks. */
export function askInstruments(config: Config, parseJson: AskInstruments['parseJson']): AskInstruments {
  return { fetch: directoryFetch(config), parseJson, clock: () => new Date() }
}

/**
 * Asks the agent that a brand names in its brand.json about a claim, without credentials, and judges the signature of the answer (AdCP verify_brand_claim).
 * Throws REFERENCE_NOT_FOUND for a brand whose file names no brand agent, and SERVICE_UNAVAILABLE for an agent that gives no answer of the schema.
 */
export async function askBrand(domain: string, question: ClaimQuestion, instruments: AskInstruments): Promise<BrandConfirmation> {
  const { fetch, parseJson, clock } = instruments
  const fetchDocument = keyDocuments(fetch)
  const [contract] = loadContracts().having(TASK)
  if (!contract) throw new AdcpError('UNSUPPORTED_FEATURE', `no release that is here has ${TASK}: see sales-agent protocol list`)
  const document = await brandFile(domain, { fetchDocument, parseJson, clock })
  const agent = brandAgentOf(readBrandJson(document), domain)
  const request = { adcp_version: contract.line, ...question }
  const { answer, envelope } = await ask(agent.url, request, contract, fetch)
  const { verification_status, details, context_note } = answer
  const said = {
    domain,
    agent_url: agent.url,
    verification_status,
    ...(details && { details }),
    ...(context_note !== undefined && { context_note }),
  }
  const keysAt = async (uri: string) => parseJson((await fetchDocument(uri, { maxBytes: MAX_JWKS_BYTES })).body)
  try {
    const kid = keyIdOf(envelope)
    const jwksUri = agent.jwksUri ?? new URL('/.well-known/jwks.json', agent.url).href
    const key = keyIn(await keysAt(jwksUri).catch(() => undefined), kid)
    const binding = { task: TASK, brandDomain: domain, agentUrl: agent.url, callerIdentity: null, request } as const
    verifyResponse(envelope, key, { ...binding, answer, now: clock() })
    const signedBy = { brandDomain: domain, agentUrl: agent.url, kid, key }
    return { ...said, authorization: await authorizeAnswer(signedBy, document, (uri) => keysAt(uri).catch(() => undefined)) }
  } catch (error) {
    if (error instanceof ResponseSignatureFault || error instanceof SignatureFault)
      return { ...said, signature_fault: error.message }
    throw error
  }
}

async function brandFile(domain: string, options: Parameters<typeof brandJsonOf>[1]): Promise<unknown> {
  try {
    return await brandJsonOf(domain, options)
  } catch (error) {
    if (!(error instanceof SignatureFault)) throw error
    throw new AdcpError('REFERENCE_NOT_FOUND', `the brand.json of ${domain} cannot be read: ${error.message}`, { cause: error })
  }
}

function brandAgentOf(brand: BrandJson | undefined, domain: string) {
  const [agent] = brand ? brandAgentsOf(brand, domain) : []
  if (!agent) throw new AdcpError('REFERENCE_NOT_FOUND', `the brand.json of ${domain} names no agent of the type brand`)
  return agent
}

async function ask(url: string, request: object, { schemas }: Contract, fetch: SafeFetch) {
  const failed = (text: string, cause?: unknown) =>
    new AdcpError('SERVICE_UNAVAILABLE', `the agent of the brand at ${url} ${text}`, { cause })
  const { isError, payload } = await callTool(fetch, { url, tool: TASK, arguments: request, policy: CALL }).catch(
    (cause: unknown) => {
      throw failed('gives no answer', cause)
    },
  )
  if (!isAnswer(payload, schemas) || isError) throw failed('gives no answer that the schema has')
  return { answer: payload, envelope: payload.signed_response }
}

/** An answer that the official schema accepts has the shape of the type; one with errors has no status. */
function isAnswer(
  payload: unknown,
  schemas: Contract['schemas'],
): payload is ClaimAnswer & { signed_response: ResponseEnvelope } {
  const isSuccess = typeof payload === 'object' && payload !== null && 'verification_status' in payload
  return isSuccess && schemas.response(TASK)(payload).length === 0
}

function keyIn(document: unknown, kid: string): PublishedJwk {
  const key = readJwks(document)?.find((each) => each.kid === kid)
  if (!key) throw new ResponseSignatureFault(`the key set of the agent has no key ${kid}`)
  return key
}
