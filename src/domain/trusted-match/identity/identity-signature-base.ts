import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { canonicalUrl } from '../../canonical-url.ts'
import { byUtf8Bytes } from '../byte-order.ts'
import { signedEndpoint } from '../provider-registration.ts'
import type { Identity, IdentityRequest, SealedCredential } from './identity-messages.ts'

/**
 * What is signed of an Identity Match request (specification, "Identity Match signed fields"): SHA-256, in hexadecimal, of the RFC 8785 form of its
 * fields. `package_ids` is null when the request has none, as `consent` is.
 */
export function identitySignatureBase(request: IdentityRequest, endpoint: string, epoch: number): string {
  return identitySignatureBases(request, epoch)(endpoint)
}

/** {@link identitySignatureBase} for several endpoints of one request: all but the endpoint is brought into its RFC 8785 form once. */
export function identitySignatureBases(request: IdentityRequest, epoch: number): (endpoint: string) => string {
  const { consent, package_ids: packageIds } = request
  // RFC 8785 orders members by name, so what comes before and after the endpoint is the same for every provider. Objects whose members are written here in
  // that order need no more than JSON.stringify, whose texts and numbers RFC 8785 §3.2.2 takes over.
  const head = `{"consent":${consent === undefined ? 'null' : canonicalize(consent)},"daily_epoch":${epoch}`
  const middle = `"identities_hash":"${identitiesHash(request.identities)}","package_ids":${packageIds ? inOrder(packageIds) : 'null'}`
  const tail = JSON.stringify({
    request_id: request.request_id,
    sealed_credentials_hash: sealedCredentialsHash(request.sealed_credentials),
    seller_agent_url: canonicalUrl(request.seller_agent_url).targetUri,
    type: request.type,
  }).slice(1)
  const before = `${head},${middle},"provider_endpoint_url":`
  return (endpoint) => hash('sha256', `${before}${JSON.stringify(signedEndpoint(endpoint))},${tail}`)
}

function inOrder(texts: readonly string[]): string {
  return JSON.stringify(texts.toSorted(byUtf8Bytes))
}

/** SHA-256 of identities without repeated tokens, ordered by type and token; proofs included. In hexadecimal. */
export function identitiesHash(identities: readonly Identity[]): string {
  const ordered = distinctIdentities(identities).toSorted(
    (a, b) => byUtf8Bytes(a.uid_type, b.uid_type) || byUtf8Bytes(a.user_token, b.user_token),
  )
  return hash('sha256', `[${ordered.map(canonicalIdentity).join()}]`)
}

/** The RFC 8785 form of an identity. Most are a type and a token alone. */
function canonicalIdentity({ uid_type, user_token, ...more }: Identity): string | undefined {
  const isPlain = Object.keys(more).length === 0
  return isPlain ? JSON.stringify({ uid_type, user_token }) : canonicalize({ uid_type, user_token, ...more })
}

/** Identities with the first of each pair of type and token, compared byte by byte. A request has three at most. */
export function distinctIdentities(identities: readonly Identity[]): readonly Identity[] {
  return identities.filter(
    ({ uid_type, user_token }, index) =>
      identities.findIndex((each) => each.uid_type === uid_type && each.user_token === user_token) === index,
  )
}

/** SHA-256 of sealed credentials ordered by the key they are for, in hexadecimal; null when there are none. */
export function sealedCredentialsHash(sealed: readonly SealedCredential[] | undefined): string | null {
  if (sealed === undefined || sealed.length === 0) return null
  return sha256(sealed.toSorted((a, b) => byUtf8Bytes(a.audience_kid, b.audience_kid)))
}

/** The key under which an answer may be repeated (specification, "Caching"): identities, provider, packages, consent and sealed credentials. */
export function identityCacheKey(providerId: string, request: IdentityRequest): string {
  return sha256([
    providerId,
    canonicalUrl(request.seller_agent_url).targetUri,
    identitiesHash(request.identities),
    request.package_ids?.toSorted(byUtf8Bytes) ?? null,
    request.consent ?? null,
    sealedCredentialsHash(request.sealed_credentials),
  ])
}

function sha256(value: unknown): string {
  return hash('sha256', canonicalize(value) ?? '')
}
