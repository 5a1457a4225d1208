import { composedText } from '../../normal-text.ts'

/**
 * Encoders, one for each place where a value can land. Each gives text that its reader takes as data whatever the value
 * holds; none is safe anywhere else.
 */

/**
 * A value for any part of a URL: only the unreserved characters of RFC 3986 §2.3 stay, the rest becomes upper-case triplets of its
 * UTF-8 octets, composed first (AdCP universal macros, "Substitution safety: catalog-item macros").
 */
export function percentEncode(value: string): string {
  return encodeURIComponent(wellFormed(composedText(value))).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Text for element content and quoted attributes (HTML Living Standard, 13.3 "escaping a string"). */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** A value of an attribute without quotes, which anything but a letter or digit could end. */
export function escapeUnquoted(text: string): string {
  return wellFormed(text).replace(/[^\p{L}\p{N}]/gu, (character) => `&#${character.codePointAt(0)};`)
}

/** Text for XML content and attributes; characters that XML 1.0 §2.2 does not know are left out. */
export function escapeXml(text: string): string {
  return escapeHtml(xmlCharacters(text))
}

/** A CDATA section of any text: an end mark inside it is split over two sections (XML 1.0 §2.7). */
export function cdata(text: string): string {
  return `<![CDATA[${xmlCharacters(text).replaceAll(']]>', ']]]]><![CDATA[>')}]]>`
}

/**
 * Text inside a JavaScript string of any kind, in a script element or an attribute: all but letters and digits as `\uXXXX`. Outside of a
 * string it is a syntax error, never code.
 */
export function escapeScript(text: string): string {
  return text.replace(/[^A-Za-z0-9 ]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A whole JavaScript string literal that neither ends a script element nor opens a comment in it. */
export function scriptString(text: string): string {
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Text inside a CSS value or string (CSS Syntax 3, §4.3.7): all but letters and digits as escapes. */
export function escapeCss(text: string): string {
  return wellFormed(text).replace(/[^A-Za-z0-9]/gu, (character) => `\\${(character.codePointAt(0) ?? 0).toString(16)} `)
}

/** Halves of surrogate pairs have no UTF-8 form; they become U+FFFD. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}

function xmlCharacters(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to leave out.
  return wellFormed(text).replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '')
}
