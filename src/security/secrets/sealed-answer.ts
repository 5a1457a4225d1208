import type { Steps } from '../../platform/concurrency/steps.ts'
import { afterText, inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { SealBroken, type SecretBox } from './secret-box.ts'

/** Before the sealed text in place of what a member held. */
const SEALED = 'sealed:'

/** A text without any of these needs no check of every member; `namesCredential` decides. */
const MAY_HOLD_SECRET = /(?:auth|bearer|cookie|cred|jw|key|pass|pwd|secret|token)[^":]{0,40}":/i

/** Writes answers as JSON for the store, and reads them again; what their credentials (such as a list's fetch token) are is readable only here. */
export interface AnswerSeal {
  /** `place` names the row that the text belongs to. Gives way to other requests while a long answer is sealed. */
  write(answer: unknown, place: string): Promise<string>
  /** Rejects with {@link SealBroken} when the text was sealed in another place or under another deployment secret. */
  read(text: string, place: string): Promise<Readonly<Record<string, unknown>>>
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
 * A copy as JSON would have it, in which `replaced` takes the place of a member where it is not undefined. A step is a value: an answer of some megabytes has
 * a hundred thousand.
 */
function* copyWith(value: unknown, replaced: (name: string, member: unknown) => unknown): Steps<unknown> {
  yield
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value
  if (Array.isArray(value)) {
    const items: unknown[] = []
    for (const item of value) items.push(yield* copyWith(item, replaced))
    return items
  }
  return yield* membersWith(value, replaced)
}

function* membersWith(
  value: object,
  replaced: (name: string, member: unknown) => unknown,
): Steps<Readonly<Record<string, unknown>>> {
  const members: [string, unknown][] = []
  for (const [name, member] of Object.entries(value))
    if (member !== undefined) members.push([name, replaced(name, member) ?? (yield* copyWith(member, replaced))])
  return Object.fromEntries(members)
}

/**
 * Seals the value of every member whose name is that of a credential; the rest stays readable for the checks of the store.
 * @param isCredential whether a member of this name holds one
 */
export function createAnswerSeal(box: SecretBox, isCredential: (name: string) => boolean): AnswerSeal {
  return {
    async write(answer, place) {
      const text = JSON.stringify(answer)
      await afterText(text)
      if (!MAY_HOLD_SECRET.test(text)) return text
      const isSecret = remembering(isCredential)
      const seal = (value: unknown) => `${SEALED}${box.seal(JSON.stringify(value), place)}`
      const sealed = copyWith(answer, (name, value) => (value !== null && isSecret(name) ? seal(value) : undefined))
      const written = JSON.stringify(await inTurns(sealed))
      await afterText(written)
      return written
    },
    async read(text, place) {
      const stored = JSON.parse(text)
      if (!text.includes(`"${SEALED}`)) return stored
      const isSecret = remembering(isCredential)
      const open = (value: string) => JSON.parse(box.open(value.slice(SEALED.length), place))
      const opened = membersWith(stored, (name, value) =>
        typeof value === 'string' && value.startsWith(SEALED) && isSecret(name) ? open(value) : undefined,
      )
      return await inTurns(opened)
    },
  }
}

/** Asks of each name once. */
function remembering(isCredential: (name: string) => boolean): (name: string) => boolean {
  const known = new Map<string, boolean>()
  return (name) => {
    const holds = known.get(name) ?? isCredential(name)
    known.set(name, holds)
    return holds
  }
}
