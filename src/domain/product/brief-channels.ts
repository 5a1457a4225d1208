import { synonymsOf } from './brief-synonyms.ts'
import { termsOf } from './brief-terms.ts'

const PREFIX = 'channel:'

/** Ids of products as a text may name them: no word of a language has an underscore. */
const ID = /[\p{L}\p{N}-]*_[\p{L}\p{N}_-]*/gu

/** The ids that a text names: the words in them say nothing of channels. */
export function idsIn(text: string): string[] {
  return [...new Set(text.match(ID) ?? [])].filter((id) => /[\p{L}\p{N}]/u.test(id))
}

/** A text without the ids that it names. */
export function withoutIds(text: string): string {
  return text.includes('_') ? text.replace(ID, ' ') : text
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
