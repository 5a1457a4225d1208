import type { SignatureAlgorithm } from './profile.ts'

/** Names of signature algorithms in JOSE (RFC 8037 §3.1, RFC 7518 §3.4 and §3.5). */
export const JOSE_NAMES: Readonly<Record<SignatureAlgorithm, string>> = {
  ed25519: 'EdDSA',
  'ecdsa-p256-sha256': 'ES256',
  'rsa-pss-sha512': 'PS512',
}

/** What every JWS of AdCP is signed with: approvals of governance agents, answers about brands, attestations of rights. */
const OF_ADCP: readonly SignatureAlgorithm[] = ['ed25519', 'ecdsa-p256-sha256']

/** The algorithm that a header or a JWK names; undefined for any other. */
export function algorithmNamed(alg: unknown): SignatureAlgorithm | undefined {
  return Object.entries(JOSE_NAMES).find(([, name]) => name === alg)?.[0] as SignatureAlgorithm | undefined
}

/** The algorithm of a JWS of AdCP by its header; undefined for one that AdCP does not use. */
export function adcpAlgorithm(alg: unknown): SignatureAlgorithm | undefined {
  const algorithm = algorithmNamed(alg)
  return algorithm && OF_ADCP.includes(algorithm) ? algorithm : undefined
}

/** What the header of a JWS of AdCP calls an algorithm. Throws TypeError for one that AdCP does not use. */
export function adcpName(algorithm: SignatureAlgorithm): string {
  if (OF_ADCP.includes(algorithm)) return JOSE_NAMES[algorithm]
  throw new TypeError(`a JWS is signed with ${OF_ADCP.map((each) => JOSE_NAMES[each]).join(' or ')}, not ${algorithm}`)
}
