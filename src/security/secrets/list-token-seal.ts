import { createSecretBox, SealBroken } from './secret-box.ts'

/** Seals the tokens that buyers give the publisher to read their lists with (AdCP core/property-list-ref.json, `auth_token`). */
export interface ListTokenSeal {
  /** The token sealed, for stores; what is sealed already stays as it is. Equal tokens of one publisher are sealed alike. */
  seal(tenantId: string, token: string): string
  /** The token itself. Throws an Error that says what to do when it was sealed under another deployment secret. */
  open(tenantId: string, sealed: string): string
}

/** Before the sealed text of a token. */
const SEALED = 'sealed:'

export function createListTokenSeal(secret: string): ListTokenSeal {
  const box = createSecretBox(secret, 'list-tokens', { repeatable: true })
  const opened = (tenantId: string, text: string) => box.open(text.slice(SEALED.length), `list-token/${tenantId}`)
  return {
    seal(tenantId, token) {
      if (token.startsWith(SEALED) && opens(() => opened(tenantId, token))) return token
      return `${SEALED}${box.seal(token, `list-token/${tenantId}`)}`
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

function opens(open: () => string): boolean {
  try {
    open()
    return true
  } catch (error) {
    if (error instanceof SealBroken) return false
    throw error
  }
}
