import { createPublicKey, generateKeyPairSync, hash, type JsonWebKey } from 'node:crypto'
import { detachedSignature } from '../../security/signing/detached-signature.ts'
import { keyThumbprint, readJwks } from '../../security/signing/jwk.ts'
import { signerOfJwk } from '../../security/signing/sign.ts'

/** A report and what proves that it was not changed. */
export interface SignedReport {
  /** What is signed, as UTF-8. */
  readonly text: string
  /** JWS in compact form without its payload (RFC 7515, appendix F), over `text`. */
  readonly signature: string
  /** The public key as a JWK (RFC 7517). */
  readonly publicKey: JsonWebKey & { readonly kid: string }
  /** SHA-256 of `text`, in hex. */
  readonly sha256: string
}

/**
 * Signs a report with a private JWK, or with a key that is made for it: that shows that the report was not changed since, and not who made it.
 * Throws TypeError for a key that cannot sign.
 */
export async function signReport(report: object, privateKey: JsonWebKey | undefined): Promise<SignedReport> {
  const text = `${JSON.stringify(report, undefined, 2)}\n`
  const key = privateKey ?? { ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), alg: 'EdDSA' }
  const { kty = '', ...numbers } = createPublicKey({ key, format: 'jwk' }).export({ format: 'jwk' })
  const [known] = readJwks({ keys: [{ ...numbers, kty, kid: 'thumbprint' }] }) ?? []
  const kid = typeof key.kid === 'string' || !known ? String(key.kid) : keyThumbprint(known)
  const signature = await detachedSignature(text, signerOfJwk({ ...key, kid }))
  const publicKey = { kty, ...numbers, kid, alg: String(key.alg), use: 'sig' }
  return { text, signature, publicKey, sha256: hash('sha256', text, 'hex') }
}
