/** A header that is not the structured field it should be. The message is for logs. */
export class MalformedField extends Error {
  override readonly name = 'MalformedField'
}

const KEY = /^[a-z*][a-z0-9_.*-]*/
const VALUE = /^(?:"(?:[^"\\]|\\.)*"|:[^:]*:|[^",:])*/

/**
 * Splits an RFC 8941 §3.2 dictionary into its members' raw texts. A plain parser does not do: it keeps the last of two
 * members with one key, where the AdCP profile refuses both, it does not know base64url, and the signature base needs
 * the member's text as received (RFC 9421 §2.5). Throws {@link MalformedField}.
 */
export function splitDictionary(text: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>()
  let position = skipWhitespace(text, 0)
  while (position < text.length) {
    const key = match(KEY, text, position)
    if (!key) throw new MalformedField('expected a dictionary key')
    if (members.has(key)) throw new MalformedField('dictionary key appears twice')
    position += key.length
    const value = text[position] === '=' ? match(VALUE, text, position + 1) : ''
    position += value === '' ? 0 : value.length + 1
    members.set(key, value.trimEnd())
    position = skipWhitespace(text, position)
    if (position === text.length) break
    if (text[position] !== ',') throw new MalformedField('expected a comma between dictionary members')
    position = skipWhitespace(text, position + 1)
    if (position === text.length) throw new MalformedField('dictionary ends with a comma')
  }
  return members
}

function match(pattern: RegExp, text: string, position: number): string {
  return pattern.exec(text.slice(position))?.[0] ?? ''
}

function skipWhitespace(text: string, position: number): number {
  let at = position
  while (text[at] === ' ' || text[at] === '\t') at++
  return at
}
