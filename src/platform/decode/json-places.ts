import type { Steps } from '../concurrency/steps.ts'

/** A place in a text, both counted from 1. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

/** A wanted place: where its value begins, and the wanted places inside it. */
interface Wanted {
  place: TextPlace | undefined
  readonly inside: Map<string, Wanted>
}

/** A value that is no object, list or text (RFC 8259, 3 and 6). */
const WORD = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

/** Characters that are looked at in a row: a millisecond, where all of them are escapes. */
const STEP_CHARACTERS = 16_384

/** Where a text stops being JSON; undefined where it is JSON. In steps of a millisecond. */
export function jsonFaultAt(text: string): Steps<TextPlace | undefined> {
  return walk(text, undefined)
}

/**
 * Where the values of some JSON pointers begin; of one that leads to nothing, the nearest parent that exists. Reads the text once, without recursion, in steps of a
 * millisecond.
 */
export function* jsonPlaces(text: string, pointers: readonly string[]): Steps<(pointer: string) => TextPlace | undefined> {
  const root: Wanted = { place: undefined, inside: new Map() }
  for (const pointer of pointers) {
    yield
    let at = root
    for (const step of stepsOf(pointer)) {
      const next = at.inside.get(step) ?? { place: undefined, inside: new Map() }
      at.inside.set(step, next)
      at = next
    }
  }
  yield* walk(text, root)
  return (pointer) => {
    let at: Wanted | undefined = root
    let place = root.place
    for (const step of stepsOf(pointer)) {
      at = at?.inside.get(step)
      place = at?.place ?? place
    }
    return place
  }
}

function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** An object or a list that has begun. */
interface Open {
  readonly isList: boolean
  readonly wanted: Wanted | undefined
  /** Commas so far. */
  commas: number
}

/** What comes next in a text: `first` is a member or the end of what has just begun. */
type Expected = 'value' | 'first' | 'key' | 'colon' | 'end or comma'

const [TAB, LINE_BREAK, RETURN, SPACE, QUOTE, BACKSLASH] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x5c]

/** Walks over a JSON text and notes where wanted values begin. Gives the place at which the text stops being JSON, or undefined. */
function* walk(text: string, root: Wanted | undefined): Steps<TextPlace | undefined> {
  const open: Open[] = []
  let wanted = root
  let expected: Expected = 'value'
  let line = 1
  let lineStart = 0
  let at = 0
  let pause = STEP_CHARACTERS
  for (;;) {
    if (at > pause) {
      yield
      pause = at + STEP_CHARACTERS
    }
    const code = text.charCodeAt(at)
    if (code === SPACE || code === LINE_BREAK || code === RETURN || code === TAB) {
      at += 1
      if (code !== LINE_BREAK) continue
      line += 1
      lineStart = at
      continue
    }
    const here = { line, column: at - lineStart + 1 }
    const first = text[at]
    const inner = open.at(-1)
    if (expected === 'value') {
      if (wanted) wanted.place ??= here
      expected = 'end or comma'
      if (first === '{' || first === '[') {
        open.push({ isList: first === '[', wanted, commas: 0 })
        expected = 'first'
        at += 1
        continue
      }
      const end: number | undefined = first === '"' ? yield* endOfText(text, at) : endOfWord(text, at)
      if (end === undefined) return here
      at = end
    } else if (!inner) {
      return at === text.length ? undefined : here
    } else if (expected === 'key') {
      const end: number | undefined = first === '"' ? yield* endOfText(text, at) : undefined
      if (end === undefined) return here
      wanted = inner.wanted?.inside.get(keyOf(text.slice(at, end)))
      expected = 'colon'
      at = end
    } else if (expected === 'colon') {
      if (first !== ':') return here
      expected = 'value'
      at += 1
    } else if (first === (inner.isList ? ']' : '}')) {
      open.pop()
      expected = 'end or comma'
      at += 1
    } else {
      if (expected === 'end or comma') {
        if (first !== ',') return here
        inner.commas += 1
        at += 1
      }
      if (inner.isList) wanted = inner.wanted?.inside.get(String(inner.commas))
      expected = inner.isList ? 'value' : 'key'
    }
  }
}

/** Longer keys are none that a pointer names. */
const LONGEST_KEY = 1_000

function keyOf(quoted: string): string {
  return quoted.length > LONGEST_KEY ? '' : String(JSON.parse(quoted))
}

/** Behind the closing quote; undefined for a text without one, with a line break, or with an escape that JSON does not have. */
function* endOfText(text: string, from: number): Steps<number | undefined> {
  let at = from + 1
  for (;;) {
    const until = at + STEP_CHARACTERS
    at = alongText(text, at, until)
    if (at < until) return text.charCodeAt(at) === QUOTE ? at + 1 : undefined
    yield
  }
}

/** The first place that is a quote or nothing that a text may have, or is not before `until`. */
function alongText(text: string, from: number, until: number): number {
  let at = from
  while (at < until) {
    const code = text.charCodeAt(at)
    if (code === QUOTE || code < SPACE || Number.isNaN(code)) return at
    at += 1
    if (code !== BACKSLASH) continue
    const escaped = text[at] ?? ''
    if (escaped === 'u' && /^[0-9a-f]{4}$/i.test(text.slice(at + 1, at + 5))) at += 5
    else if ('"\\/bfnrt'.includes(escaped) && escaped !== '') at += 1
    else return at - 1
  }
  return at
}

function endOfWord(text: string, at: number): number | undefined {
  WORD.lastIndex = at
  return WORD.test(text) ? WORD.lastIndex : undefined
}
