import { createPublicKey, generateKeyPairSync, hash, type JsonWebKey } from 'node:crypto'
import { detachedSignature } from '../../security/signing/detached-signature.ts'
import { keyThumbprint, type PublishedJwk, readJwks } from '../../security/signing/jwk.ts'
import type { KeyProvider } from '../../security/signing/key-provider.ts'
import { type Signer, signerOfJwk } from '../../security/signing/sign.ts'

/** A report and what proves that it was not changed. */
export interface SignedReport {
  /** What is signed, as UTF-8. */
  readonly text: string
  /** JWS in compact form without its payload (RFC 7515, appendix F), over `text`. */
  readonly signature: string
  /** The public key as a JWK (RFC 7517). */
  readonly publicKey: PublishedJwk
  /** SHA-256 of `text`, in hex. */
  readonly sha256: string
}

/** What signs a report, and the key that verifies it. */
export interface ReportKey {
  readonly signer: Signer
  readonly publicKey: PublishedJwk
}

/** Signs a report. */
export async function signReport(report: object, { signer, publicKey }: ReportKey): Promise<SignedReport> {
  const text = `${JSON.stringify(report, undefined, 2)}\n`
  return { text, signature: await detachedSignature(text, signer), publicKey, sha256: hash('sha256', text, 'hex') }
}

/**
 * The key of a private JWK, or one that is made for the report: that shows that the report was not changed since, and not who made it. Throws TypeError for
 * a key that cannot sign.
 */
export function reportKey(privateKey: JsonWebKey | undefined): ReportKey {
  const key = privateKey ?? { ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), alg: 'EdDSA' }
  const { kty = '', ...numbers } = createPublicKey({ key, format: 'jwk' }).export({ format: 'jwk' })
  const [known] = readJwks({ keys: [{ ...numbers, kty, kid: 'thumbprint' }] }) ?? []
  const kid = typeof key.kid === 'string' || !known ? String(key.kid) : keyThumbprint(known)
  return { signer: signerOfJwk({ ...key, kid }), publicKey: { kty, ...numbers, kid, alg: String(key.alg), use: 'sig' } }
}

/** The key with which this deployment signs its answers: `/.well-known/jwks.json` has it, so a report of it is known to be this agent's. */
export async function ownReportKey(keys: KeyProvider): Promise<ReportKey> {
  const signer = await keys.brandSigner('response-signing', '')
  const publicKey = (await keys.published()).find(({ kid }) => kid === signer.keyid)
  if (!publicKey) throw new Error(`the key ${signer.keyid} is not published`)
  return { signer, publicKey }
}
