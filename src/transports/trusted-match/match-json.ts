import type { Steps } from '../../platform/concurrency/steps.ts'
import { atOnce } from '../../platform/concurrency/steps.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { parseJsonInTurns } from '../../platform/decode/foreign-json.ts'
import { JsonRefused, parseJson } from '../../platform/decode/parse-json.ts'

/**
 * The JSON of a message, as `parseJson` reads it, without half of a surrogate pair in any text: such a text has no UTF-8 form, so that it can be neither
 * signed nor sent on as it came (RFC 8785 §3.2.2.2, RFC 7493 §2.1). Throws JsonRefused.
 */
export function parseMatchJson(body: Uint8Array): unknown {
  const value = parseJson(body)
  if (hasEscapes(body)) atOnce(requireWellFormed(value))
  return value
}

/** As {@link parseMatchJson}, in turns of some milliseconds between which others are served: for bodies of megabytes. Rejects with JsonRefused. */
export async function parseMatchJsonInTurns(body: Uint8Array): Promise<unknown> {
  const value = await parseJsonInTurns(body)
  if (hasEscapes(body)) await inTurns(requireWellFormed(value))
  return value
}

/** UTF-8 has no surrogates, so that one can only come as an escape. */
function hasEscapes(body: Uint8Array): boolean {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes('\\u')
}

/** Values, and characters of a text, that are looked at in a row: a millisecond or less. */
const STEP = { values: 4_096, characters: 65_536 }

/** Throws JsonRefused for a value with half of a surrogate pair in a text. Depth and size of the value are bounded where it was parsed. */
function* requireWellFormed(root: unknown): Steps<void> {
  const stack: unknown[] = [root]
  for (let values = 1; stack.length > 0; values++) {
    if (values % STEP.values === 0) yield
    const value = stack.pop()
    if (typeof value === 'string') {
      if (!(yield* isWellFormed(value))) throw new JsonRefused('encoding', 'A text in the body has half of a surrogate pair')
    } else if (Array.isArray(value)) {
      for (const member of value) stack.push(member)
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) stack.push(name, member)
    }
  }
}

function* isWellFormed(text: string): Steps<boolean> {
  let start = 0
  while (start < text.length) {
    if (start > 0) yield
    // A pair is not cut in two.
    const isInPair = /[\ud800-\udbff]/.test(text.charAt(start + STEP.characters - 1))
    const end = start + STEP.characters + (isInPair ? 1 : 0)
    if (/\p{Surrogate}/u.test(text.slice(start, end))) return false
    start = end
  }
  return true
}
