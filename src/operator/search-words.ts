import { AdcpError } from '../protocol/errors.ts'

const MAX_WORDS = 8
const MAX_SEARCH = 200

/** The words of a search in small letters; a list shows what has all of them. Throws INVALID_REQUEST for more than 8 words or 200 characters. */
export function searchWords(search: string): string[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (search.length <= MAX_SEARCH && words.length <= MAX_WORDS) return words
  throw new AdcpError('INVALID_REQUEST', `search takes at most ${MAX_WORDS} words and ${MAX_SEARCH} characters`, {
    field: 'search',
  })
}
