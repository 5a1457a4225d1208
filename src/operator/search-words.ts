import { AdcpError } from '../protocol/errors.ts'
import { atMost, type Field, text } from './fields.ts'

const MAX_WORDS = 8

/** The field of a search. */
export function searchText(about: string): Field<string, false> {
  return atMost(200, text(about))
}

/** The words of a search in small letters; a list shows what has all of them. Throws INVALID_REQUEST for more than 8 words. */
export function searchWords(search: string): string[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length <= MAX_WORDS) return words
  throw new AdcpError('INVALID_REQUEST', `search takes at most ${MAX_WORDS} words`, {
    field: 'search',
  })
}
