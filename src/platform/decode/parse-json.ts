import { isUtf8 } from 'node:buffer'
import { atOnce, type Steps } from '../concurrency/steps.ts'
import { refusals } from './decode-refusals.ts'

/** Deeper nesting than any official schema reaches (the deepest is below 20); more is an attack or a bug. */
export const MAX_DEPTH = 64
/** Values in one body, containers included. Keeps parsing and every later walk of the arguments cheap. */
export const MAX_NODES = 100_000

/** Members of one object, far more than any document has; the bound of a task's arguments, which names the field, is lower. */
export const MAX_MEMBERS = 5_000

/** Characters (UTF-16 units) of a member's name; open objects such as `ext` may use URLs as names. */
export const MAX_NAME = 512

/** Characters of white space in a row. Lines are indented by far fewer, and `JSON.parse` passes over more in one step. */
export const MAX_WHITE_SPACE = 65_536

/** Why a body was refused; `syntax` covers bytes that are no JSON text at all. */
export type JsonFault = 'encoding' | 'syntax' | 'depth' | 'nodes' | 'members' | 'name' | 'white-space' | 'duplicate-key'

/** A text that is not acceptable JSON. `message` is public and holds nothing of the text. */
export class JsonRefused extends Error {
  readonly fault: JsonFault

  constructor(fault: JsonFault, message: string) {
    super(message)
    this.fault = fault
  }
}

/** Counts the refusal of a document, and throws it again. A text that only may be JSON is not refused when it is none, and not counted. */
export function refused(error: unknown): never {
  if (error instanceof JsonRefused) refusals.count('json', error.fault)
  throw error
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const SPACE = 0x20

/** Whether the quote at `place` is a character of a string: an odd number of backslashes stands before it. */
function isEscaped(text: string, place: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(place - 1 - backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}

/** Index of the quote that closes the string opened at `start`, or the end of the text. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

/** The longest form of a character in a text is an escape, `\\u0041`. */
const LONGEST_ESCAPE = 6

/** Whether a quoted text, which `JSON.parse` may refuse, stands for more characters than a name may have. */
function isTooLongName(quoted: string): boolean {
  const length = quoted.length - 2
  if (length <= MAX_NAME) return false
  if (length > MAX_NAME * LONGEST_ESCAPE) return true
  return quoted.replace(/\\(?:u[0-9a-fA-F]{4}|.)/gs, ' ').length - 2 > MAX_NAME
}

/** Characters of a JSON text that are looked at, or made into values, in a row: a millisecond or less. */
export const STEP_CHARACTERS = 65_536

/** Bounds of a JSON text. */
export interface JsonBounds {
  /** Begins the message of a refusal, e.g. `The body`. */
  readonly what: string
  /** Values, containers included. */
  readonly maxNodes: number
}

/**
 * Measures a JSON text without building it, so that a hostile one is refused before memory is spent on it.
 * Returns the number of object keys: in a well-formed text every colon outside a string follows exactly one. `large` gets the places of the first and the last
 * character of each container and string of more than {@link STEP_CHARACTERS}. @throws JsonRefused
 */
export function* measureJson(text: string, { what, maxNodes }: JsonBounds, large?: Map<number, number>): Steps<number> {
  let depth = 0
  let nodes = 1
  let keys = 0
  const members = new Int32Array(MAX_DEPTH + 1)
  const opened = new Int32Array(MAX_DEPTH + 1)
  let previous = 0
  let textStart = 0
  let textEnd = 0
  let pause = STEP_CHARACTERS
  let mostWhite = MAX_WHITE_SPACE
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code <= SPACE) {
      if (i < mostWhite) continue
      throw new JsonRefused('white-space', `${what} has more than ${MAX_WHITE_SPACE} characters of white space in a row`)
    }
    if (i > pause) {
      yield
      pause = i + STEP_CHARACTERS
    }
    const closes = code === CLOSE_BRACE || code === CLOSE_BRACKET
    if (code === COMMA || (!closes && (previous === OPEN_BRACE || previous === OPEN_BRACKET))) nodes++
    if (code === QUOTE) {
      textStart = i
      let end = text.indexOf('"', i + 1)
      while (end !== -1 && isEscaped(text, end)) {
        if (end > pause) {
          yield
          pause = end + STEP_CHARACTERS
        }
        end = text.indexOf('"', end + 1)
      }
      i = end === -1 ? text.length : end
      textEnd = i
      if (i - textStart > STEP_CHARACTERS) large?.set(textStart, i)
    } else if (code === COLON) {
      keys++
      // Below 0 are only texts that JSON.parse refuses.
      const count = (members[depth] ?? 0) + 1
      members[depth] = count
      if (count > MAX_MEMBERS) throw new JsonRefused('members', `${what} has an object with more than ${MAX_MEMBERS} members`)
      // Only a colon right behind a text makes it a name, so each text is looked at once. Most are short, and a slice of each would cost more than the rest of this.
      if (previous === QUOTE && textEnd - textStart > MAX_NAME && isTooLongName(text.slice(textStart, textEnd + 1)))
        throw new JsonRefused('name', `${what} has a member whose name is longer than ${MAX_NAME} characters`)
    } else if (closes) {
      const start = depth > 0 ? (opened[depth] ?? i) : i
      if (i - start > STEP_CHARACTERS) large?.set(start, i)
      depth--
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > MAX_DEPTH) throw new JsonRefused('depth', `${what} nests deeper than ${MAX_DEPTH} levels`)
      members[depth] = 0
      opened[depth] = i
    }
    if (nodes > maxNodes) throw new JsonRefused('nodes', `${what} holds more than ${maxNodes} values`)
    previous = code
    mostWhite = i + 1 + MAX_WHITE_SPACE
  }
  return keys
}

/** Members that are counted in a row: a millisecond or less. */
const STEP_MEMBERS = 4_096

/** Members of all objects in a value. Of a map of thousands of members, one walk takes a third of what lists of its keys and of its values do. */
function* countOwnKeys(root: unknown): Steps<number> {
  let keys = 0
  const stack: unknown[] = [root]
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value)) {
      for (const child of value) if (typeof child === 'object') stack.push(child)
      continue
    }
    for (const name in value) {
      keys++
      if (keys % STEP_MEMBERS === 0) yield
      const child: unknown = Reflect.get(value, name)
      if (typeof child === 'object') stack.push(child)
    }
  }
  return keys
}

/**
 * Parses a JSON text (RFC 8259) strictly: UTF-8 only, bounded depth, size and names, and no object key twice (RFC 7493 §2.3),
 * because two readers of a repeated key may disagree on what was signed, hashed or checked. A repeated key is found by
 * counting: the text then has more keys than the value built from it.
 * @throws JsonRefused
 */
export function parseJson(body: Uint8Array): unknown {
  try {
    return atOnce(strictly(body, atOnceParsed))
  } catch (error) {
    return refused(error)
  }
}

/** Reads a text whose bounds hold. `large`: see {@link measureJson}. */
export type ParsedInSteps = (text: string, large: ReadonlyMap<number, number>, what: string) => Steps<unknown>

const WHAT = 'The body'

/** What {@link parseJson} gives, in steps; `parsed` makes the value. @throws JsonRefused */
export function* strictly(body: Uint8Array, parsed: ParsedInSteps): Steps<unknown> {
  if (!isUtf8(body)) throw new JsonRefused('encoding', `${WHAT} is not valid UTF-8`)
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  const large = new Map<number, number>()
  const keys = yield* measureJson(text, { what: WHAT, maxNodes: MAX_NODES }, large)
  const value = yield* parsed(text, large, WHAT)
  yield
  const own = yield* countOwnKeys(value)
  if (own !== keys) throw new JsonRefused('duplicate-key', 'An object in the body has the same key twice')
  return value
}

function* atOnceParsed(text: string, _large: ReadonlyMap<number, number>, what: string): Steps<unknown> {
  yield
  try {
    return JSON.parse(text)
  } catch {
    throw new JsonRefused('syntax', `${what} is not valid JSON`)
  }
}
