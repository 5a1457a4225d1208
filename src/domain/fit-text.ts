/** NUL, which PostgreSQL has no text for, and half a surrogate pair, which has no UTF-8 form (RFC 8259 §8.2). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what is looked for.
const NOT_TEXT = /\u0000|\p{Surrogate}/u

/** Controls that turn the direction of a text round (UAX #9 §2.1 to §2.4), and so what stands beside it. Marks of direction (U+200E, U+200F) do not. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/u

const UNFIT = new RegExp(`${NOT_TEXT.source}|${TURNING.source}`, 'u')
const EACH_UNFIT = new RegExp(UNFIT, 'gu')

/** Why no text that is kept can be like this: a sentence after the field's name; undefined when it can. */
export function notText(text: string): string | undefined {
  return NOT_TEXT.test(text)
    ? 'holds a NUL character or half a surrogate pair; send well-formed Unicode without U+0000'
    : undefined
}

/** As {@link notText} for what people read: a name may not turn round what stands beside it. */
export function unfitText(text: string): string | undefined {
  if (!UNFIT.test(text)) return undefined
  const wrong = notText(text)
  if (wrong !== undefined) return wrong
  const [turning] = TURNING.exec(text) ?? []
  if (turning === undefined) return undefined
  const code = turning.charCodeAt(0).toString(16).toUpperCase()
  return `holds U+${code}, which turns the direction of a text; type it without (U+200E and U+200F are accepted)`
}

/** A text of another system without what {@link unfitText} refuses. */
export function cleanedText(text: string): string {
  return text.replaceAll(EACH_UNFIT, '')
}

/** The first unfit text in a value as JSON has it: its path below `at`, and what is wrong. Names of members are texts too. */
export function findUnfitText(
  value: unknown,
  at: string,
  fault: (text: string) => string | undefined = unfitText,
): { readonly at: string; readonly fault: string } | undefined {
  if (typeof value === 'string') {
    const wrong = fault(value)
    return wrong === undefined ? undefined : { at, fault: wrong }
  }
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return undefined
  const isList = Array.isArray(value)
  for (const [name, member] of Object.entries(value)) {
    const wrong = fault(name)
    if (wrong !== undefined) return { at, fault: `has a member whose name ${wrong}` }
    const found = findUnfitText(member, isList ? `${at}[${name}]` : at === '' ? name : `${at}.${name}`, fault)
    if (found) return found
  }
  return undefined
}
