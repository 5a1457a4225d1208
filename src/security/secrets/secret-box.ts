import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { type SecretSource, secretsIn } from './deployment-secrets.ts'

/** Encrypts what has to be readable again: signing keys and the credentials that buyers registered for their webhooks. */
export interface SecretBox {
  /** Sealed text; `place` names the row it belongs to, so that it opens nowhere else. */
  seal(secret: string, place: string): string
  /** Throws {@link SealBroken} when the text was sealed elsewhere, under a secret that is not known, or was changed. */
  open(sealed: string, place: string): string
  /** The same text sealed under the current secret; as it is when it is so already. Throws as `open` does. */
  reseal(sealed: string, place: string): string
  /** How every text begins that is sealed under the current secret. */
  prefix(): string
}

/** What a sealed text turns out not to be: ours, unchanged, in its place, under this deployment's secret. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'
}

/** What a person is told whose deployment cannot open what its store holds. */
export const OTHER_SECRET =
  'the deployment secret is not the one that this store was made with: give every process the same SALES_AGENT_SECRET, or secretFile; a store from before a rotation also needs the secret of that time (SALES_AGENT_SECRET_PREVIOUS)'

const FORMAT = 'v1'
/** NIST SP 800-38D §5.2.1.1: the IV length that AES-GCM is defined for without extra hashing. */
const IV_BYTES = 12

/**
 * AES-256-GCM under a key that HKDF-SHA256 (RFC 5869) derives from the deployment's secret for one purpose. The first part of a sealed text
 * identifies secrets, so that texts of every secret in use are opened, and a deployment started with a wrong one says so. `repeatable`: the same text is sealed
 * alike in the same place, so that sealed texts can be compared.
 */
export function createSecretBox(source: SecretSource, purpose: string, { repeatable = false } = {}): SecretBox {
  const secrets = secretsIn(source)
  const keys = new Map<string, SealKey>()
  const keyOf = (secret: string): SealKey => {
    const known = keys.get(secret) ?? createSealKey(secret, purpose, repeatable)
    keys.set(secret, known)
    return known
  }
  const find = (keyId: string) => secrets.all().find((secret) => keyOf(secret).id === keyId)
  const keyFor = (text: string): SealKey => {
    const [format, keyId = ''] = text.split('.', 2)
    if (format !== FORMAT) throw new SealBroken('not a sealed text')
    // A text under a secret that was made a moment ago: the file says it.
    const secret = find(keyId) ?? (secrets.reload() ? find(keyId) : undefined)
    if (secret === undefined) throw new SealBroken('sealed under another deployment secret')
    return keyOf(secret)
  }
  const current = () => keyOf(secrets.current())
  return {
    seal: (text, place) => current().seal(text, place),
    open: (text, place) => keyFor(text).open(text, place),
    reseal(text, place) {
      const key = keyFor(text)
      const opened = key.open(text, place)
      return key === current() ? text : current().seal(opened, place)
    },
    prefix: () => `${FORMAT}.${current().id}.`,
  }
}

/** What one secret seals with. */
interface SealKey {
  readonly id: string
  seal(text: string, place: string): string
  open(text: string, place: string): string
}

function createSealKey(secret: string, purpose: string, repeatable: boolean): SealKey {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `adcp-sales-agent/${purpose}/${FORMAT}`, 32))
  const ivKey = Buffer.from(hkdfSync('sha256', secret, '', `adcp-sales-agent/${purpose}/${FORMAT}/iv`, 32))
  // An IV that follows from place and text comes again with the same text alone, which GCM allows.
  const ivOf = (text: string, place: string) =>
    repeatable
      ? createHmac('sha256', ivKey)
          .update(JSON.stringify([place, text]))
          .digest()
          .subarray(0, IV_BYTES)
      : randomBytes(IV_BYTES)
  const id = createHash('sha256').update(key).digest('base64url').slice(0, 8)
  return {
    id,
    seal(text, place) {
      const iv = ivOf(text, place)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return [FORMAT, id, ...[iv, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.')
    },
    open(text, place) {
      const [, , iv = '', sealed = '', tag = ''] = text.split('.')
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), { authTagLength: 16 })
          .setAAD(Buffer.from(place))
          .setAuthTag(Buffer.from(tag, 'base64url'))
        return Buffer.concat([decipher.update(Buffer.from(sealed, 'base64url')), decipher.final()]).toString('utf8')
      } catch (cause) {
        throw new SealBroken('changed, or sealed for another place', { cause })
      }
    },
  }
}
