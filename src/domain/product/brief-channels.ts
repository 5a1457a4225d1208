import { synonymsOf } from './brief-synonyms.ts'
import { termsOf } from './brief-terms.ts'

const PREFIX = 'channel:'

/** Words of letters, digits and the signs of ids. */
const WORD = /[\p{L}\p{N}_-]+/gu

/** Whether a word may be the id of a product: no word of a language has an underscore. */
const isId = (word: string) => word.includes('_')

/** The ids that a text names: the words in them say nothing of channels. */
export function idsIn(text: string): string[] {
  return [...new Set(text.match(WORD) ?? [])].filter((word) => isId(word) && /[\p{L}\p{N}]/u.test(word))
}

/** A text without the ids that it names, or those of them that are meant. */
export function withoutIds(text: string, isMeant = (_id: string) => true): string {
  return text.includes('_') ? text.replace(WORD, (word) => (isId(word) && isMeant(word) ? ' ' : word)) : text
}

/** Channels (AdCP enums/channels) that a text names, by the synonyms of briefs. */
export function channelsIn(text: string): string[] {
  const terms = termsOf(withoutIds(text)).flatMap(synonymsOf)
  return [...new Set(terms.filter((term) => term.startsWith(PREFIX)).map((term) => term.slice(PREFIX.length)))]
}

/** Whether a term of a text names channels. */
export function isChannelTerm(term: string): boolean {
  return synonymsOf(term).some((synonym) => synonym.startsWith(PREFIX))
}
