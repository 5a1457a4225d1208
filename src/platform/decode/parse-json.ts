import { isUtf8 } from 'node:buffer'
import { refusals } from './decode-refusals.ts'

/** Deeper nesting than any official schema reaches (the deepest is below 20); more is an attack or a bug. */
export const MAX_DEPTH = 64
/** Values in one body, containers included. Keeps parsing and every later walk of the arguments cheap. */
export const MAX_NODES = 100_000

/** Members of one object; the bounds of a task's arguments, which name the field, are lower. */
export const MAX_MEMBERS = 20_000

/** Characters (UTF-16 units) of a member's name; open objects such as `ext` may use URLs as names. */
export const MAX_NAME = 512

/** Why a body was refused; `syntax` covers bytes that are no JSON text at all. */
export type JsonFault = 'encoding' | 'syntax' | 'depth' | 'nodes' | 'members' | 'name' | 'duplicate-key'

/** A body that is not acceptable JSON; each is counted. `message` is public and holds nothing of the body. */
export class JsonRefused extends Error {
  readonly fault: JsonFault

  constructor(fault: JsonFault, message: string) {
    super(message)
    this.fault = fault
    refusals.count('json', fault)
  }
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

/** Index of the quote that closes the string opened at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return text.length
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

/**
 * Measures a JSON text without building it, so that a hostile one is refused before memory is spent on it.
 * Returns the number of object keys: in a well-formed text every colon outside a string follows exactly one.
 */
function countKeys(text: string, what = 'The body', maxNodes = MAX_NODES): number {
  let depth = 0
  let nodes = 1
  let keys = 0
  const members = new Int32Array(MAX_DEPTH + 1)
  let previous = 0
  let textStart = 0
  let textEnd = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code <= SPACE) continue
    const closes = code === CLOSE_BRACE || code === CLOSE_BRACKET
    if (code === COMMA || (!closes && (previous === OPEN_BRACE || previous === OPEN_BRACKET))) nodes++
    if (code === QUOTE) {
      textStart = i
      i = endOfString(text, i)
      textEnd = i
    } else if (code === COLON) {
      keys++
      // Below 0 are only texts that JSON.parse refuses.
      const count = (members[depth] ?? 0) + 1
      members[depth] = count
      if (count > MAX_MEMBERS) throw new JsonRefused('members', `${what} has an object with more than ${MAX_MEMBERS} members`)
      // Only a colon right behind a text makes it a name, so each text is looked at once. Most are short, and a slice of each would cost more than the rest of this.
      if (previous === QUOTE && textEnd - textStart > MAX_NAME && isTooLongName(text.slice(textStart, textEnd + 1)))
        throw new JsonRefused('name', `${what} has a member whose name is longer than ${MAX_NAME} characters`)
    } else if (closes) depth--
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > MAX_DEPTH) throw new JsonRefused('depth', `${what} nests deeper than ${MAX_DEPTH} levels`)
      members[depth] = 0
    }
    if (nodes > maxNodes) throw new JsonRefused('nodes', `${what} holds more than ${maxNodes} values`)
    previous = code
  }
  return keys
}

/**
 * Holds a JSON text of a person, which may be larger than a body, to the bounds of depth and names and to `maxNodes` values, before it is parsed. `what` begins the
 * message. @throws JsonRefused
 */
export function requireJsonBounds(text: string, what: string, maxNodes: number): void {
  countKeys(text, what, maxNodes)
}

function countOwnKeys(root: unknown): number {
  let keys = 0
  const stack: unknown[] = [root]
  while (stack.length > 0) {
    const value = stack.pop()
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) keys += Object.keys(value).length
    for (const child of Object.values(value)) if (typeof child === 'object') stack.push(child)
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
  if (!isUtf8(body)) throw new JsonRefused('encoding', 'The body is not valid UTF-8')
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  const keys = countKeys(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new JsonRefused('syntax', 'The body is not valid JSON')
  }
  if (countOwnKeys(value) !== keys) throw new JsonRefused('duplicate-key', 'An object in the body has the same key twice')
  return value
}
