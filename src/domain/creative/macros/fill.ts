import { percentEncode } from './encode.ts'

/** Values of universal macros (AdCP enums/universal-macro.json) by name. */
export type Macros = Readonly<Record<string, string | undefined>>

/** How a value is written: `encoded` for the reader of a URL, `literal` as the caller gave it (macro_values of build_creative). */
export type FillMode = 'encoded' | 'literal'

/** Macros whose value is an address and may represent a whole one. None of them comes from a catalog. */
const ADDRESSES = ['CLICK_URL', 'PAGE_URL', 'REFERRER']

const MACRO = /\{([A-Z][A-Z0-9_]{0,63})\}/g

/** Characters of values that are put into one text: fifty times those of the longest text that a buyer may send. Macros beyond it stay as they are. */
const MOST_FILLED = 10_000_000

/**
 * Puts values in the place of universal macros, `{NAME}`, in one pass: a value is never searched for macros again. Macros
 * without a value stay as they are. `encode` also gets the name and the position of the macro in `text`.
 */
export function fillMacros(
  text: string,
  macros: Macros,
  encode: (value: string, name: string, offset: number) => string = (value) => value,
): string {
  if (!text.includes('{')) return text
  let left = MOST_FILLED
  return text.replace(MACRO, (whole, name: string, offset: number) => {
    const value = Object.hasOwn(macros, name) ? macros[name] : undefined
    if (value === undefined || value.length > left) return whole
    left -= value.length
    return encode(value, name, offset)
  })
}

/** How often each macro occurs in a text, by its name. */
export function macrosIn(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const [, name = ''] of text.matchAll(MACRO)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** Fills a URL template. A macro for a whole address gives one only when it is a web address. */
export function fillUrl(template: string, macros: Macros, mode: FillMode = 'encoded'): string {
  return fillMacros(template, macros, (value, name, offset) => urlValue(value, name, offset === 0, mode))
}

/** A value as part of a URL, or as its beginning. */
export function urlValue(value: string, name: string, atStart: boolean, mode: FillMode): string {
  if (atStart) return ADDRESSES.includes(name) && isWebAddress(value) ? value : percentEncode(value)
  return mode === 'literal' ? value : percentEncode(value)
}

/**
 * A URL template in normal form: http or https, macros only behind the host, every other character that a URL cannot hold encoded.
 * Undefined when it is no such address, so nothing that a browser would run gets through.
 */
export function urlTemplate(address: string): string | undefined {
  const parts = address.trim().split(/(\{[A-Z][A-Z0-9_]{0,63}\})/)
  if (parts.length === 3 && parts[0] === '' && ADDRESSES.some((name) => parts[1] === `{${name}}`)) {
    return parts[2] === '' ? parts[1] : undefined
  }
  const normal = parts.map((part, index) =>
    index % 2 === 1 ? part : part.replace(/[^\x21-\x7e]|["'<>\\^`{|}]/gu, (character) => percentEncode(character)),
  )
  // The first part holds scheme and host whole, or a macro could choose where the address leads.
  const [head = ''] = normal
  if (normal.length > 1 && !/^https?:\/\/[^/?#]+[/?#]/i.test(head)) return undefined
  return isWebAddress(normal.map((part, index) => (index % 2 === 1 ? 'x' : part)).join('')) ? normal.join('') : undefined
}

/** Whether text is an http(s) address. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}
