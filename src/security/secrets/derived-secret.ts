import { createHmac, hkdfSync } from 'node:crypto'
import { type DeploymentSecrets, type SecretSource, secretsIn } from './deployment-secrets.ts'

/** A key of 32 bytes that follows from the deployment's secret and a purpose (HKDF-SHA256, RFC 5869). */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `adcp-sales-agent/${purpose}/v1`, 32))
}

/** Makes secrets that need not be stored: each follows from a key and its name, and says nothing of any other (HMAC-SHA256). 43 characters of base64url. */
export function secretsUnder(key: Buffer): (name: string) => string {
  return (name) => createHmac('sha256', key).update(name).digest('base64url')
}

/** The secrets of one name under every secret of the deployment that is in use, the current one's first. */
export function derivedSecrets(source: SecretSource, purpose: string, name: string): () => readonly string[] {
  return derivedFrom(secretsIn(source), (secret) => secretsUnder(deriveKey(secret, purpose))(name))
}

/** What follows from each secret in use, the current one first; computed again when they change. */
export function derivedFrom<T>(secrets: DeploymentSecrets, derive: (secret: string) => T): () => readonly T[] {
  let from: readonly string[] = []
  let derived: readonly T[] = []
  return () => {
    const all = secrets.all()
    if (all !== from) {
      derived = all.map(derive)
      from = all
    }
    return derived
  }
}
