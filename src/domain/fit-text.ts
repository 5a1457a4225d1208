import { atOnce, type Steps } from '../platform/concurrency/steps.ts'

/** NUL, which PostgreSQL has no text for, and half a surrogate pair, which has no UTF-8 form (RFC 8259 §8.2). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what is looked for.
const NOT_TEXT = /\u0000|\p{Surrogate}/u

/** Explicit directional formatting (UAX #9 §2.1 to §2.4). The marks U+200E, U+200F and U+061C are none of it. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/u
const EACH_DIRECTION = new RegExp(DIRECTION, 'gu')
const EACH_UNFIT = new RegExp(`${NOT_TEXT.source}|${DIRECTION.source}`, 'gu')

/** Overrides show letters in another order than they are stored in, whatever closes them. */
const OVERRIDES: ReadonlySet<string> = new Set(['\u202d', '\u202e'])
/** Embeddings and isolates, with what closes each: closed in the same text they change nothing beside it. */
const CLOSED_BY: ReadonlyMap<string, string> = new Map([
  ...['\u202a', '\u202b'].map((embedding) => [embedding, '\u202c'] as const),
  ...['\u2066', '\u2067', '\u2068'].map((isolate) => [isolate, '\u2069'] as const),
])

/** Why no text that is stored can be like this, as a sentence after the field's name; undefined when it can. */
export function notText(text: string): string | undefined {
  return NOT_TEXT.test(text)
    ? 'holds a NUL character or half a surrogate pair; send well-formed Unicode without U+0000'
    : undefined
}

/** Letters that take no ink: joiners, fillers, soft hyphens, the blank pattern of Braille. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800]/u
const SEEN = /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u

/** As {@link notText} for what people read: a name may not reverse itself or the text beside it, nor be of letters that nobody sees. */
export function unfitText(text: string): string | undefined {
  const wrong = notText(text)
  if (wrong === undefined && !SEEN.test(text) && UNSEEN.test(text)) return 'holds nothing that can be seen; write a text'
  if (wrong !== undefined || !DIRECTION.test(text)) return wrong
  const reversing = reversingIn(text)
  if (reversing === undefined) return undefined
  const code = `U+${reversing.charCodeAt(0).toString(16).toUpperCase()}`
  return OVERRIDES.has(reversing)
    ? `holds ${code}, which reverses the direction of text; remove it (the marks U+200E and U+200F are accepted)`
    : `holds ${code} without its counterpart, which changes the direction of the text beside it; remove it (the marks U+200E and U+200F are accepted)`
}

/** The first override, or the first embedding, isolate or end of one that has no counterpart. */
function reversingIn(text: string): string | undefined {
  const open: string[] = []
  for (const [control] of text.matchAll(EACH_DIRECTION)) {
    if (OVERRIDES.has(control)) return control
    if (CLOSED_BY.has(control)) open.push(control)
    else if (CLOSED_BY.get(open.pop() ?? '') !== control) return control
  }
  return open[0]
}

/** A text of another system; where {@link unfitText} would refuse it, without NUL, half surrogates and directional formatting. */
export function cleanedText(text: string): string {
  return unfitText(text) === undefined ? text : text.replaceAll(EACH_UNFIT, '')
}

/** An unfit text in a value: its path, and what is wrong. */
interface UnfitText {
  readonly at: string
  readonly fault: string
}

/** The first unfit text in a value of JSON: its path below `at`, and what is wrong. Names of members are texts too. */
export function findUnfitText(value: unknown, at: string, fault = unfitText): UnfitText | undefined {
  return atOnce(unfitTextIn(value, at, fault))
}

/** Members of a list that are looked at in a step: texts of some kilobytes, numbers. */
const IN_A_STEP = 1_000

/** As {@link findUnfitText}, with a step for each list and map, and for each thousand members of a list: for documents of many values. */
export function* unfitTextIn(value: unknown, at: string, fault = unfitText): Steps<UnfitText | undefined> {
  if (typeof value === 'string') {
    const wrong = fault(value)
    return wrong === undefined ? undefined : { at, fault: wrong }
  }
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return undefined
  yield
  if (Array.isArray(value)) {
    // Not by `Object.entries`: of a long list it makes all in one step.
    for (const [index, member] of value.entries()) {
      if (index % IN_A_STEP === IN_A_STEP - 1) yield
      if (typeof member !== 'string' && typeof member !== 'object') continue
      const found = yield* unfitTextIn(member, `${at}[${index}]`, fault)
      if (found) return found
    }
    return undefined
  }
  for (const [name, member] of Object.entries(value)) {
    const wrong = fault(name)
    if (wrong !== undefined) return { at, fault: `has a member whose name ${wrong}` }
    if (typeof member !== 'string' && typeof member !== 'object') continue
    const found = yield* unfitTextIn(member, at === '' ? name : `${at}.${name}`, fault)
    if (found) return found
  }
  return undefined
}
