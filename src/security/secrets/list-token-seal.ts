import type { SecretSource } from './deployment-secrets.ts'
import { createSecretBox, SealBroken } from './secret-box.ts'

/** Seals the tokens that buyers give the publisher to read their lists with (AdCP core/property-list-ref.json, `auth_token`). */
export interface ListTokenSeal {
  /**
   * The token sealed under the current secret, for stores; it may be sealed already, under an earlier secret too. Equal tokens of one publisher are sealed
   * alike.
   */
  seal(tenantId: string, token: string): string
  /** A sealed token under the current secret; undefined when it cannot be opened. */
  reseal(tenantId: string, sealed: string): string | undefined
  /** The token itself. Throws an Error that says what to do when it was sealed under another deployment secret. */
  open(tenantId: string, sealed: string): string
}

/** Before the sealed text of a token. */
const SEALED = 'sealed:'

export function createListTokenSeal(secret: SecretSource): ListTokenSeal {
  const box = createSecretBox(secret, 'list-tokens', { repeatable: true })
  const opened = (tenantId: string, text: string) => box.open(text.slice(SEALED.length), `list-token/${tenantId}`)
  const resealed = (tenantId: string, text: string) => {
    try {
      return `${SEALED}${box.reseal(text.slice(SEALED.length), `list-token/${tenantId}`)}`
    } catch (error) {
      if (error instanceof SealBroken) return undefined
      throw error
    }
  }
  return {
    reseal: resealed,
    seal(tenantId, token) {
      const known = token.startsWith(SEALED) ? resealed(tenantId, token) : undefined
      return known ?? `${SEALED}${box.seal(token, `list-token/${tenantId}`)}`
    },
    open(tenantId, sealed) {
      if (!sealed.startsWith(SEALED)) return sealed
      try {
        return opened(tenantId, sealed)
      } catch (error) {
        if (!(error instanceof SealBroken)) throw error
        const message = `the auth_token of the list cannot be decrypted (${error.message}); its buyer has to send it again with update_media_buy`
        throw new Error(message, { cause: error })
      }
    },
  }
}
