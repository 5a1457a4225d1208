import { isObject } from '../../protocol/is-object.ts'

/** Characters of a request or a result that a search looks through: a buyer may have a hundred thousand tasks. */
const MOST_CHARACTERS = 4_000

/** Longer texts are content, e.g. of an asset, and nothing that a task is found by. */
const LONGEST_VALUE = 256

/** Values that are looked at: some milliseconds. */
const MOST_VALUES = 10_000

/**
 * What a task is found by of a document: each of its texts and numbers once, one a line, the outer ones first, such as a media_buy_id of the result, and
 * as many as fit.
 */
export function searchedText(document: object): string {
  const found = new Set<string>()
  const values: unknown[] = [document]
  let characters = 0
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    if (typeof value === 'string' || typeof value === 'number') {
      const text = String(value)
      if (text.length > LONGEST_VALUE || found.has(text)) continue
      characters += text.length + 1
      if (characters > MOST_CHARACTERS) break
      found.add(text)
    } else if (Array.isArray(value) || isObject(value)) {
      for (const child of Object.values(value)) {
        if (values.length === MOST_VALUES) break
        values.push(child)
      }
    }
  }
  return [...found].join('\n')
}
