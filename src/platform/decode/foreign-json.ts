import { atOnce, type Steps } from '../concurrency/steps.ts'
import { inTurns, yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'
import {
  endOfString,
  type JsonBounds,
  JsonRefused,
  MAX_NODES,
  MAX_WHITE_SPACE,
  measureJson,
  parseJson,
  refused,
  STEP_CHARACTERS,
  strictly,
} from './parse-json.ts'

/**
 * What a JSON text that a stranger wrote says, at once: for texts of some hundred kilobytes. Depth, names, members and values are bounded before it is parsed; of
 * a repeated key the last counts. @throws JsonRefused
 */
export function foreignJson(text: string, { what = 'The text', maxNodes = MAX_NODES }: Partial<JsonBounds> = {}): unknown {
  try {
    return bounded(text, { what, maxNodes })
  } catch (error) {
    return refused(error)
  }
}

function bounded(text: string, bounds: JsonBounds): unknown {
  atOnce(measureJson(text, bounds))
  return parsed(text, bounds.what)
}

/** As {@link foreignJson}, but undefined for a text that is no JSON or exceeds the bounds: it may be any text, and none is counted as refused. */
export function foreignJsonIn(text: string): unknown {
  const { stackTraceLimit } = Error
  // Of thousands of texts that are none, the traces of the errors would take longer than the reading.
  Error.stackTraceLimit = 0
  try {
    return bounded(text, { what: 'The text', maxNodes: MAX_NODES })
  } catch {
    return undefined
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Bytes of a large document for one of its values, at least: real ones have 10 to 30. */
const BYTES_A_VALUE = 8

/** Begins the message of a refusal; the values that a large text may hold, or the bytes that it may have, of which they follow. */
type LargeBounds = { readonly what: string } & ({ readonly maxBytes: number } | { readonly maxNodes: number })

/**
 * As {@link foreignJson}, in turns of some milliseconds between which others are served: for texts of megabytes. The values that it may hold follow from the most
 * bytes that it may have: one of nothing but brackets takes far longer to read than its length says. @throws JsonRefused
 */
export function largeJson(text: string, bounds: LargeBounds): Promise<unknown> {
  return inTurns(foreignJsonInSteps(text, bounds))
}

/** As {@link largeJson} for a text whose length is bounded where it comes from, but undefined for one that is no JSON or exceeds the bounds. */
export async function largeJsonIn(text: string): Promise<unknown> {
  return largeJson(text, { what: 'The text', maxBytes: text.length }).catch(() => undefined)
}

/**
 * As {@link parseJson}, in turns of some milliseconds between which others are served: a map of ten thousand members takes longer to make than its length says.
 * @throws JsonRefused
 */
export async function parseJsonInTurns(body: Uint8Array): Promise<unknown> {
  if (body.length <= STEP_CHARACTERS) return parseJson(body)
  try {
    const value = await inTurns(strictly(body, measured))
    // What is done with as much takes as long again.
    await yieldToEventLoop()
    return value
  } catch (error) {
    return refused(error)
  }
}

/** As {@link largeJson}, in steps of a few milliseconds. @throws JsonRefused */
export function* foreignJsonInSteps(text: string, bounds: LargeBounds): Steps<unknown> {
  try {
    return yield* boundedInSteps(text, bounds)
  } catch (error) {
    return refused(error)
  }
}

function* boundedInSteps(text: string, { what, ...most }: LargeBounds): Steps<unknown> {
  const maxNodes = 'maxNodes' in most ? most.maxNodes : Math.max(MAX_NODES, most.maxBytes / BYTES_A_VALUE)
  const large = new Map<number, number>()
  yield* measureJson(text, { what, maxNodes }, large)
  return yield* measured(text, large, what)
}

/** What a text says that was measured, its large containers in parts. */
function* measured(text: string, large: ReadonlyMap<number, number>, what: string): Steps<unknown> {
  const start = afterSpaces(text, 0)
  const end = large.get(start)
  if (end === undefined && isContainer(text.charCodeAt(start)) && text.length - start > MOST_OF_SMALL) throw noJson(what)
  if (end === undefined || text.charCodeAt(start) === QUOTE) return parsed(text, what)
  if (afterSpaces(text, end + 1) !== text.length) throw noJson(what)
  return yield* containerAt(start, { text, large, what })
}

interface Source {
  readonly text: string
  /** First and last places of the containers and strings that are too large for one step. */
  readonly large: ReadonlyMap<number, number>
  readonly what: string
}

/** Characters from the beginning of a container that is not large: it and white space. Of more, it has no end, or something behind its end. */
const MOST_OF_SMALL = STEP_CHARACTERS + 1 + MAX_WHITE_SPACE

function isContainer(code: number): boolean {
  return code === OPEN_LIST || code === OPEN_MAP
}

const [QUOTE, COMMA] = [0x22, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d]

/** A container that is too large for one step: its members in parts of one step each, and those that are too large themselves one by one. */
function* containerAt(start: number, source: Source): Steps<unknown> {
  const { text, large, what } = source
  const end = large.get(start) ?? start
  const made = text.charCodeAt(start) === OPEN_LIST ? new ListMade(what) : new MapMade(what)
  if (text.charCodeAt(end) !== made.close) throw noJson(what)
  let part = start + 1
  let member = part
  let depth = 0
  let pause = part + STEP_CHARACTERS
  for (let at = part; at < end; at++) {
    if (at > pause) {
      yield
      pause = at + STEP_CHARACTERS
    }
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = large.get(at) ?? endOfString(text, at)
    else if (code === CLOSE_LIST || code === CLOSE_MAP) depth--
    else if (code === COMMA && depth === 0) {
      if (at - part > STEP_CHARACTERS) {
        made.addPart(text.slice(part, at))
        part = at + 1
      }
      member = at + 1
    } else if (isContainer(code)) {
      const last = large.get(at)
      if (last === undefined) {
        depth++
        continue
      }
      if (member > part) made.addPart(text.slice(part, member - 1))
      made.add(text.slice(member, at), yield* containerAt(at, source))
      at = afterSpaces(text, last + 1)
      if (at === end) return made.value
      if (text.charCodeAt(at) !== COMMA) throw noJson(what)
      part = at + 1
      member = part
    }
  }
  const rest = text.slice(part, end)
  if (part > start + 1 || afterSpaces(rest, 0) < rest.length) made.addPart(rest)
  return made.value
}

class ListMade {
  readonly close = CLOSE_LIST
  readonly value: unknown[] = []
  readonly #what: string

  constructor(what: string) {
    this.#what = what
  }

  /** Adds the members that a part of the text lists: one at least. */
  addPart(part: string): void {
    const members = parsed(`[${part}]`, this.#what)
    if (!Array.isArray(members) || members.length === 0) throw noJson(this.#what)
    for (const member of members) this.value.push(member)
  }

  /** Adds a member; `head` is the text before it. */
  add(head: string, member: unknown): void {
    if (afterSpaces(head, 0) < head.length) throw noJson(this.#what)
    this.value.push(member)
  }
}

class MapMade {
  readonly close = CLOSE_MAP
  readonly value: Record<string, unknown> = {}
  readonly #what: string

  constructor(what: string) {
    this.#what = what
  }

  addPart(part: string): void {
    const members = Object.entries(Object(parsed(`{${part}}`, this.#what)))
    if (members.length === 0) throw noJson(this.#what)
    for (const [name, member] of members) this.#set(name, member)
  }

  add(head: string, member: unknown): void {
    const names = Object.keys(Object(parsed(`{${head}null}`, this.#what)))
    const [name] = names
    if (name === undefined || names.length > 1) throw noJson(this.#what)
    this.#set(name, member)
  }

  /** An assignment would take `__proto__` for the prototype. */
  #set(name: string, value: unknown): void {
    Object.defineProperty(this.value, name, { value, writable: true, enumerable: true, configurable: true })
  }
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw noJson(what)
  }
}

function noJson(what: string): JsonRefused {
  return new JsonRefused('syntax', `${what} is not valid JSON`)
}

/** The place of the next character that is none of the white space of JSON (RFC 8259 §2), or the end. */
function afterSpaces(text: string, from: number): number {
  let at = from
  while (' \t\n\r'.includes(text.charAt(at)) && at < text.length) at++
  return at
}
