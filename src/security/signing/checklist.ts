import { canonicalAuthority, canonicalUrl, MalformedUrl } from '../../domain/canonical-url.ts'
import { isSignatureAlgorithm, verifyBytes } from './algorithms.ts'
import { SignatureFault } from './challenge.ts'
import { digestMatches } from './content-digest.ts'
import { fieldValue, type HeaderFields } from './header-fields.ts'
import type { ResolvedKey } from './keys.ts'
import type { ParsedSignature, ReceivedParams, SignatureParams } from './parse-signature.ts'
import { CLOCK_SKEW_SECONDS, MAX_WINDOW_SECONDS, needsDigest, type SignatureAlgorithm, type SigningProfile } from './profile.ts'
import { isSupportedComponent, type SignedContent, signatureBase } from './signature-base.ts'

/** A message as it came over the wire. */
export interface ReceivedMessage {
  readonly method: string
  /** Public origin (from configuration, never from a forwarded header) followed by the request target as received. */
  readonly url: string
  /** Names and values alternating, nothing merged or dropped. HTTP/2 `:authority` counts as `Host`. */
  readonly rawHeaders: readonly string[]
  /** The bytes that came, before any decoding into text; empty when there is no body. */
  readonly body: Uint8Array
  /** The body has been read as JSON in which no object names a member twice. Default: not checked. */
  readonly isStrictJson?: boolean | undefined
}

/** Step 1, beyond the two headers: an authority on the wire is ASCII (AdCP negative vector 026). */
export function checkAsciiAuthority(url: string, fields: HeaderFields, { authorityFault }: SigningProfile): void {
  const hosts = ['host', ':authority'].flatMap((name) => fields.get(name) ?? [])
  // Of the characters outside ASCII some are mapped to letters by IDNA, so that two hosts would count as one.
  if (/^[a-z]+:\/\/[^/?#]*[^ -~]/i.test(url) || hosts.some((host) => /[^ -~]/.test(host))) {
    throw new SignatureFault(authorityFault, 'authority holds characters outside ASCII')
  }
}

/** Step 2. */
export function requireParams(params: ReceivedParams): SignatureParams {
  const { created, expires, nonce, keyid, alg, tag } = params
  if (
    created === undefined ||
    expires === undefined ||
    nonce === undefined ||
    keyid === undefined ||
    alg === undefined ||
    tag === undefined
  ) {
    throw new SignatureFault('signature_params_incomplete', 'created, expires, nonce, keyid, alg and tag are all required')
  }
  return { created, expires, nonce, keyid, alg, tag }
}

/** Step 3. */
export function checkTag(params: SignatureParams, profile: SigningProfile): void {
  if (params.tag !== profile.tag) throw new SignatureFault('signature_tag_invalid', `tag is not ${profile.tag}`)
}

/** Step 4. */
export function checkAlgorithm(params: SignatureParams, allowed: readonly SignatureAlgorithm[]): SignatureAlgorithm {
  if (isSignatureAlgorithm(params.alg) && allowed.includes(params.alg)) return params.alg
  throw new SignatureFault('signature_alg_not_allowed', `alg is not one of ${allowed.join(', ')}`)
}

/** Step 5: the skew is for clocks, the window for the signature's own validity. */
export function checkWindow({ created, expires }: SignatureParams, nowSeconds: number): void {
  const detail =
    (expires <= created && 'expires is not after created') ||
    (expires - created > MAX_WINDOW_SECONDS && `valid for more than ${MAX_WINDOW_SECONDS} s`) ||
    (created > nowSeconds + CLOCK_SKEW_SECONDS && 'created lies in the future') ||
    (expires < nowSeconds - CLOCK_SKEW_SECONDS && 'signature has expired')
  if (detail) throw new SignatureFault('signature_window_invalid', detail)
}

/** Step 6. */
export function checkComponents(components: readonly string[], message: ReceivedMessage, profile: SigningProfile): void {
  const required = ['@method', '@target-uri', '@authority']
  if (message.body.length > 0) required.push('content-type')
  if (needsDigest(profile, message.body)) required.push('content-digest')
  // Webhooks always carry JSON, so their profile has no case without content-type.
  if (profile.name === 'webhook') required.push('content-type')
  const missing = required.filter((name) => !components.includes(name))
  if (missing.length > 0) throw new SignatureFault('signature_components_incomplete', `not covered: ${missing.join(', ')}`)
  if (profile.digest === 'forbidden' && components.includes('content-digest')) {
    throw new SignatureFault('signature_components_unexpected', 'content-digest must not be covered')
  }
  if (!components.every(isSupportedComponent)) {
    throw new SignatureFault('signature_components_unexpected', 'a covered component is not supported')
  }
}

/** Step 10, first half: what the signature is about. The authority that was addressed must be the one that was signed. */
export function resolveContent(message: ReceivedMessage, fields: HeaderFields): SignedContent {
  try {
    const url = canonicalUrl(message.url)
    const scheme = url.targetUri.slice(0, url.targetUri.indexOf(':'))
    for (const name of ['host', ':authority']) {
      const received = fieldValue(fields, name)
      if (received !== undefined && canonicalAuthority(received, scheme) !== url.authority) {
        throw new SignatureFault('target_uri_malformed', `${name} is not the authority of the target URI`)
      }
    }
    return { method: message.method, url, fields }
  } catch (error) {
    if (error instanceof MalformedUrl) throw new SignatureFault('target_uri_malformed', error.message, { cause: error })
    throw error
  }
}

/** Step 10, second half. */
export function checkSignature(
  parsed: ParsedSignature,
  algorithm: SignatureAlgorithm,
  key: ResolvedKey,
  content: SignedContent,
): void {
  const base = Buffer.from(signatureBase(parsed.components, parsed.signatureParams, content), 'latin1')
  if (!verifyBytes(algorithm, key.publicKey(), base, parsed.signature)) {
    throw new SignatureFault('signature_invalid', 'signature does not verify')
  }
}

/** Step 11: the digest is only as good as the bytes it is taken over, so these are the bytes received. */
export function checkDigest({ components, contentDigest }: ParsedSignature, body: Uint8Array): void {
  if (!components.includes('content-digest')) return
  if (!contentDigest || !digestMatches(contentDigest, body)) {
    throw new SignatureFault('signature_digest_mismatch', 'Content-Digest is not the digest of the body')
  }
}
