import { SealBroken, type SecretBox } from './secret-box.ts'

/** Before the sealed text in place of what a member held. */
const SEALED = 'sealed:'

/** A text without any of these needs no check of every member; `namesCredential` decides. */
const MAY_HOLD_SECRET = /(?:auth|bearer|cookie|cred|jw|key|pass|pwd|secret|token)[^":]{0,40}":/i

/** Writes answers as JSON for the store, and reads them again; what their credentials (such as a list's fetch token) are is readable only here. */
export interface AnswerSeal {
  /** `place` names the row that the text belongs to. */
  write(answer: unknown, place: string): string
  /** Throws {@link SealBroken} when the text was sealed in another place or under another deployment secret. */
  read(text: string, place: string): Record<string, unknown>
}

/** The same stored answer with its credentials sealed under the current secret. What cannot be opened stays as it is. */
export function resealAnswer(box: SecretBox, text: string, place: string): string {
  if (!text.includes(`"${SEALED}`)) return text
  return JSON.stringify(
    JSON.parse(text, (_name, value: unknown) =>
      typeof value === 'string' && value.startsWith(SEALED) ? resealed(box, value, place) : value,
    ),
  )
}

function resealed(box: SecretBox, value: string, place: string): string {
  try {
    return `${SEALED}${box.reseal(value.slice(SEALED.length), place)}`
  } catch (error) {
    if (error instanceof SealBroken) return value
    throw error
  }
}

/**
 * Seals the value of every member whose name is that of a credential; the rest stays readable for the checks of the store.
 * @param isCredential whether a member of this name holds one
 */
export function createAnswerSeal(box: SecretBox, isCredential: (name: string) => boolean): AnswerSeal {
  return {
    write(answer, place) {
      const text = JSON.stringify(answer)
      if (!MAY_HOLD_SECRET.test(text)) return text
      return JSON.stringify(answer, (name, value: unknown) =>
        value !== null && isCredential(name) ? `${SEALED}${box.seal(JSON.stringify(value), place)}` : value,
      )
    },
    read(text, place) {
      if (!text.includes(`"${SEALED}`)) return JSON.parse(text)
      return JSON.parse(text, (name, value: unknown) =>
        typeof value === 'string' && value.startsWith(SEALED) && isCredential(name)
          ? JSON.parse(box.open(value.slice(SEALED.length), place))
          : value,
      )
    },
  }
}
