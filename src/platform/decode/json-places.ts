/** A place in a text, both counted from 1. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

/** A wanted place: where its value begins, and the wanted places inside it. */
interface Wanted {
  offset: number | undefined
  place: TextPlace | undefined
  readonly inside: Map<string, Wanted>
}

const WHITE = /[ \t\r\n]*/y
/** A value that is no object, list or text (RFC 8259, 3 and 6). */
const WORD = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

/** Where a text stops being JSON; undefined where it is JSON. */
export function jsonFaultAt(text: string): TextPlace | undefined {
  const offset = walk(text, undefined)
  return offset === undefined ? undefined : placeAt(text, offset)
}

/**
 * Where the values of some JSON pointers begin; of one that leads to nothing, the nearest parent that exists. Reads the text once, without recursion.
 */
export function jsonPlaces(text: string, pointers: readonly string[]): (pointer: string) => TextPlace | undefined {
  const root: Wanted = { offset: undefined, place: undefined, inside: new Map() }
  for (const pointer of pointers) {
    let at = root
    for (const step of stepsOf(pointer)) {
      const next = at.inside.get(step) ?? { offset: undefined, place: undefined, inside: new Map() }
      at.inside.set(step, next)
      at = next
    }
  }
  walk(text, root)
  placeAll(text, root)
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

/** Line and column of every wanted place that was found, with the lines counted once for all of them. */
function placeAll(text: string, root: Wanted): void {
  const found: { readonly wanted: Wanted; readonly offset: number }[] = []
  const open = [root]
  for (let wanted = open.pop(); wanted; wanted = open.pop()) {
    if (wanted.offset !== undefined) found.push({ wanted, offset: wanted.offset })
    for (const inner of wanted.inside.values()) open.push(inner)
  }
  found.sort((a, b) => a.offset - b.offset)
  let line = 1
  let start = 0
  let next = text.indexOf('\n')
  for (const { wanted, offset } of found) {
    for (; next >= 0 && next < offset; next = text.indexOf('\n', next + 1)) {
      line += 1
      start = next + 1
    }
    wanted.place = { line, column: offset - start + 1 }
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
  count: number
}

/** Walks over a JSON text and notes where wanted values begin. Gives the offset at which the text stops being JSON, or undefined. */
function walk(text: string, root: Wanted | undefined): number | undefined {
  const open: Open[] = []
  let at = skip(WHITE, text, 0)
  let wanted = root
  for (;;) {
    if (wanted) wanted.offset ??= at
    const first = text[at]
    if (first === '{' || first === '[') {
      open.push({ isList: first === '[', wanted, count: 0 })
      at += 1
    } else {
      const end = first === '"' ? endOfText(text, at) : skip(WORD, text, at)
      if (end === undefined || end === at) return at
      at = end
    }
    // After a value: the ends of what it is in, then the next value.
    for (;;) {
      at = skip(WHITE, text, at)
      const inner = open.at(-1)
      if (!inner) return at === text.length ? undefined : at
      if (text[at] === (inner.isList ? ']' : '}')) {
        open.pop()
        at += 1
        continue
      }
      const next = beginOfNext(text, at, inner)
      if (typeof next === 'number') return next
      at = next.at
      wanted = inner.wanted?.inside.get(next.key)
      inner.count += 1
      break
    }
  }
}

/** The next value of a list or object and its key, or the offset of what is wrong. */
function beginOfNext(
  text: string,
  from: number,
  { isList, count }: Open,
): { readonly at: number; readonly key: string } | number {
  let at = from
  if (count > 0) {
    if (text[at] !== ',') return at
    at = skip(WHITE, text, at + 1)
  }
  if (isList) return { at, key: String(count) }
  const end = text[at] === '"' ? endOfText(text, at) : undefined
  if (end === undefined) return at
  const colon = skip(WHITE, text, end)
  if (text[colon] !== ':') return colon
  return { at: skip(WHITE, text, colon + 1), key: keyOf(text.slice(at, end)) }
}

/** Longer keys are none that a pointer names. */
const LONGEST_KEY = 1_000

function keyOf(quoted: string): string {
  return quoted.length > LONGEST_KEY ? '' : String(JSON.parse(quoted))
}

/** Behind the closing quote; undefined for a text without one, with a line break, or with an escape that JSON does not have. */
function endOfText(text: string, from: number): number | undefined {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at + 1
    if (code < 0x20) return undefined
    if (code !== 0x5c) continue
    at += 1
    const escaped = text[at] ?? ''
    if (escaped === 'u' && /^[0-9a-f]{4}$/i.test(text.slice(at + 1, at + 5))) at += 4
    else if (!'"\\/bfnrt'.includes(escaped) || escaped === '') return undefined
  }
  return undefined
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

function placeAt(text: string, offset: number): TextPlace {
  let line = 1
  let start = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1
    start = at + 1
  }
  return { line, column: offset - start + 1 }
}
