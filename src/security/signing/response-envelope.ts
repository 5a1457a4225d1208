import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { isObject } from '../../protocol/is-object.ts'
import { verifyBytes } from './algorithms.ts'
import { adcpAlgorithm, adcpName } from './jose-algorithms.ts'
import { type PublishedJwk, publicKeyOf } from './jwk.ts'
import type { SignatureAlgorithm } from './profile.ts'
import type { Signer } from './sign.ts'

/** `typ` of the header and of the payload: no other JWS can pass for a signed answer (RFC 8725 §3.11). */
export const RESPONSE_TYPE = 'adcp-response-payload+jws'

/** The tasks whose answers are signed; the list is closed (AdCP security, "Designated-task payload-envelope response signing"). */
export type SignedTask = 'verify_brand_claim' | 'verify_brand_claims'

/** What a signed answer belongs to. */
export interface AnswerBinding {
  readonly task: SignedTask
  /** The brand whose data the answer comes from. */
  readonly brandDomain: string
  /** URL of the `agents[]` entry that answers. */
  readonly agentUrl: string
  /** `signed-agent-url:…`, `api-client-id:…` or `mtls-san:…`; null for a caller without credentials. */
  readonly callerIdentity: string | null
  /** The request as it was sent. */
  readonly request: unknown
}

/** AdCP core/response-payload-jws-envelope.json. */
export interface ResponseEnvelope {
  readonly protected: string
  readonly payload: {
    readonly typ: typeof RESPONSE_TYPE
    readonly task: SignedTask
    readonly brand_domain: string
    readonly agent_url: string
    readonly request_hash: string
    /** Seconds since 1970. */
    readonly iat: number
    readonly exp: number
    readonly response: object
    readonly [member: string]: unknown
  }
  readonly signature: string
}

/** `sha256:` and the base64url SHA-256 of the canonical JSON (RFC 8785) of what an answer is bound to. */
export function requestHashOf({ task, brandDomain, agentUrl, callerIdentity, request }: AnswerBinding): string {
  const binding = { task, brand_domain: brandDomain, agent_url: agentUrl, caller_identity: callerIdentity, request }
  return `sha256:${hash('sha256', canonicalize(binding) ?? '', 'base64url')}`
}

/**
 * Signs an answer as a JWS whose payload stays readable (RFC 7515, over the canonical form of the payload). `caller_identity` goes along, so that the caller
 * knows under which name it is known here. Throws TypeError for a key of another algorithm.
 */
export async function signResponse(
  binding: AnswerBinding,
  {
    response,
    issuedAt,
    lifetimeSeconds,
  }: { readonly response: object; readonly issuedAt: Date; readonly lifetimeSeconds: number },
  signer: Signer,
): Promise<ResponseEnvelope> {
  const alg = adcpName(signer.algorithm)
  const iat = Math.floor(issuedAt.getTime() / 1000)
  const payload = {
    typ: RESPONSE_TYPE,
    task: binding.task,
    brand_domain: binding.brandDomain,
    agent_url: binding.agentUrl,
    caller_identity: binding.callerIdentity,
    request_hash: requestHashOf(binding),
    iat,
    exp: iat + lifetimeSeconds,
    response,
  } as const
  const header = base64url(JSON.stringify({ alg, kid: signer.keyid, typ: RESPONSE_TYPE }))
  const signature = await signer.sign(signingInput(header, payload))
  return { protected: header, payload, signature: Buffer.from(signature).toString('base64url') }
}

/** Why a signed answer does not count (AdCP enums/error-code for those that have one). */
export class ResponseSignatureFault extends Error {
  override readonly name = 'ResponseSignatureFault'
}

/** The `kid` of a signed answer. Throws {@link ResponseSignatureFault} for a header that is none of this profile. */
export function keyIdOf(envelope: ResponseEnvelope): string {
  return headerOf(envelope).kid
}

/**
 * Checks the signature of an answer under a key, its lifetime, what it is bound to, and that the answer beside it says the same.
 * Throws {@link ResponseSignatureFault}.
 */
export function verifyResponse(
  envelope: ResponseEnvelope,
  key: PublishedJwk,
  expected: AnswerBinding & { readonly answer: object; readonly now: Date },
): void {
  const { algorithm, kid } = headerOf(envelope)
  const { payload } = envelope
  if (key.kid !== kid) fail('the key has another kid than the signature')
  if (key.use !== 'sig' || key.key_ops?.includes('verify') !== true || key.adcp_use !== 'response-signing')
    fail('the key is not for signing answers')
  const signature = Buffer.from(envelope.signature, 'base64url')
  if (!verifyBytes(algorithm, publicKeyOf(key), signingInput(envelope.protected, payload), signature))
    fail('the signature does not fit')
  const seconds = expected.now.getTime() / 1000
  if (payload.typ !== RESPONSE_TYPE || payload.task !== expected.task) fail('the answer is of another task')
  if (payload.brand_domain !== expected.brandDomain) fail('the answer is of another brand')
  if (payload.agent_url !== expected.agentUrl) fail('the answer is of another agent')
  if (payload.request_hash !== requestHashOf(expected)) fail('the answer is to another request or caller')
  if (!(payload.iat <= seconds + SKEW_SECONDS && seconds < payload.exp + SKEW_SECONDS)) fail('the answer is no longer valid')
  if (canonicalize(bodyOf(expected.answer)) !== canonicalize(payload.response)) fail('the answer differs from what was signed')
}

/** Clocks differ by no more. */
const SKEW_SECONDS = 60

/** Members of an answer that the protocol adds around the body: they are not signed. */
const ENVELOPE = [
  'signed_response',
  'status',
  'context_id',
  'task_id',
  'message',
  'timestamp',
  'replayed',
  'adcp_version',
  'adcp_major_version',
]

function bodyOf(answer: object): object {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !ENVELOPE.includes(name)))
}

function headerOf(envelope: ResponseEnvelope): { readonly algorithm: SignatureAlgorithm; readonly kid: string } {
  const header = foreignJsonIn(Buffer.from(envelope.protected, 'base64url').toString('utf8'))
  if (!isObject(header) || typeof header.kid !== 'string' || header.typ !== RESPONSE_TYPE || 'b64' in header || 'crit' in header)
    return fail('the header is none of a signed answer')
  const algorithm = adcpAlgorithm(header.alg)
  return algorithm === undefined ? fail('the algorithm is neither EdDSA nor ES256') : { algorithm, kid: header.kid }
}

function signingInput(header: string, payload: object): Buffer {
  return Buffer.from(`${header}.${base64url(canonicalize(payload) ?? '')}`, 'ascii')
}

function base64url(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url')
}

function fail(text: string): never {
  throw new ResponseSignatureFault(text)
}
