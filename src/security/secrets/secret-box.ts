import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts what has to be readable again: signing keys and the credentials that buyers registered for their webhooks. */
export interface SecretBox {
  /** Sealed text; `place` names the row it belongs to, so that it opens nowhere else. */
  seal(secret: string, place: string): string
  /** Throws {@link SealBroken} when the text was sealed elsewhere, under another secret, or was changed. */
  open(sealed: string, place: string): string
}

/** What a sealed text turns out not to be: ours, unchanged, in its place, under this deployment's secret. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'
}

const FORMAT = 'v1'
/** NIST SP 800-38D §5.2.1.1: the IV length that AES-GCM is defined for without extra hashing. */
const IV_BYTES = 12

/**
 * AES-256-GCM under a key that HKDF-SHA256 (RFC 5869) derives from the deployment's secret for one purpose. The first part of a sealed text
 * identifies secrets, so that a deployment started with a wrong one says so. `repeatable`: the same text is sealed alike in the same place, so that
 * sealed texts can be compared.
 */
export function createSecretBox(secret: string, purpose: string, { repeatable = false } = {}): SecretBox {
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
  const keyId = createHash('sha256').update(key).digest('base64url').slice(0, 8)
  return {
    seal(text, place) {
      const iv = ivOf(text, place)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return [FORMAT, keyId, ...[iv, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.')
    },
    open(text, place) {
      const [format, id, iv = '', sealed = '', tag = ''] = text.split('.')
      if (format !== FORMAT) throw new SealBroken('not a sealed text')
      if (id !== keyId) throw new SealBroken('sealed under another deployment secret')
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
