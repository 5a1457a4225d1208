import { createPrivateKey, type JsonWebKey, type KeyObject, randomBytes } from 'node:crypto'
import { serializeInnerList } from 'structured-headers'
import { canonicalUrl } from '../../domain/canonical-url.ts'
import { signBytes } from './algorithms.ts'
import { formatByteSequence } from './byte-sequence.ts'
import { contentDigest } from './content-digest.ts'
import { headerFields } from './header-fields.ts'
import { algorithmNamed } from './jose-algorithms.ts'
import { MAX_WINDOW_SECONDS, needsDigest, type SignatureAlgorithm, type SigningProfile } from './profile.ts'
import { signatureBase } from './signature-base.ts'

/** Holds a private key; a key management service can stand behind it. */
export interface Signer {
  readonly keyid: string
  readonly algorithm: SignatureAlgorithm
  /** Signature in wire form: 64 bytes for Ed25519 and for P-256 (`r‖s`, not DER). */
  sign(data: Uint8Array): Uint8Array | Promise<Uint8Array>
}

/** What is about to be sent. The body is signed as these bytes and has to be sent as these bytes. */
export interface OutgoingMessage {
  readonly method: string
  readonly url: string
  readonly body?: Uint8Array
  /** Needed with a body; sent and signed exactly so. */
  readonly contentType?: string
}

export interface SignOptions {
  /** Cover `content-digest`; a profile that requires it does so by itself. Default: when there is a body. */
  readonly coverDigest?: boolean
  /** Seconds until `expires`; at most, and by default, 300. */
  readonly windowSeconds?: number
}

const NONCE_BYTES = 16

/**
 * Signs a message under a profile, with a fresh nonce each time. Gives the headers to send with it: `Signature-Input`,
 * `Signature`, and `Content-Digest` and `Content-Type` when they are covered. Throws `MalformedUrl`.
 */
export async function signMessage(
  message: OutgoingMessage,
  signer: Signer,
  profile: SigningProfile,
  nowSeconds: number,
  options: SignOptions = {},
): Promise<Record<string, string>> {
  const body = message.body ?? new Uint8Array()
  const covered = coveredFields(message, body, profile, options)
  const components = ['@method', '@target-uri', '@authority', ...Object.keys(covered).map((name) => name.toLowerCase())]
  const created = Math.floor(nowSeconds)
  const signatureParams = serializeInnerList([
    components.map((name) => [name, new Map()]),
    new Map<string, string | number>([
      ['created', created],
      ['expires', created + Math.min(options.windowSeconds ?? MAX_WINDOW_SECONDS, MAX_WINDOW_SECONDS)],
      ['nonce', randomBytes(NONCE_BYTES).toString('base64url')],
      ['keyid', signer.keyid],
      ['alg', signer.algorithm],
      ['tag', profile.tag],
    ]),
  ])
  const content = {
    method: message.method,
    url: canonicalUrl(message.url),
    fields: headerFields(Object.entries(covered).flat()),
  }
  const signature = await signer.sign(Buffer.from(signatureBase(components, signatureParams, content), 'latin1'))
  return {
    ...covered,
    'Signature-Input': `sig1=${signatureParams}`,
    Signature: `sig1=${formatByteSequence(signature, profile.encoding)}`,
  }
}

function coveredFields(
  message: OutgoingMessage,
  body: Uint8Array,
  profile: SigningProfile,
  options: SignOptions,
): Record<string, string> {
  const withDigest = needsDigest(profile, body) || (profile.digest === 'either' && (options.coverDigest ?? body.length > 0))
  return {
    ...((body.length > 0 || profile.name === 'webhook') && { 'Content-Type': message.contentType ?? 'application/json' }),
    ...(withDigest && { 'Content-Digest': contentDigest(body) }),
  }
}

/** Signer over a key in this process's memory. Throws when the key does not fit the algorithm. */
export function localSigner(keyid: string, algorithm: SignatureAlgorithm, key: KeyObject): Signer {
  const sign = (data: Uint8Array) => signBytes(algorithm, key, data)
  sign(new Uint8Array())
  return { keyid, algorithm, sign }
}

/** Signer of a private JWK; `alg` says which algorithm. Throws when it is none of ours. */
export function signerOfJwk(jwk: JsonWebKey & { readonly kid: string }): Signer {
  const algorithm = algorithmNamed(jwk.alg)
  if (algorithm === undefined) throw new TypeError('the JWK declares no supported alg')
  return localSigner(jwk.kid, algorithm, createPrivateKey({ key: jwk, format: 'jwk' }))
}
