import { synonymsOf } from './brief-synonyms.ts'
import { termsOf } from './brief-terms.ts'

const PREFIX = 'channel:'

/** Channels (AdCP enums/channels) that a text names, by the synonyms of briefs. */
export function channelsIn(text: string): string[] {
  const terms = termsOf(text).flatMap(synonymsOf)
  return [...new Set(terms.filter((term) => term.startsWith(PREFIX)).map((term) => term.slice(PREFIX.length)))]
}

/** Whether a term of a text names channels. */
export function isChannelTerm(term: string): boolean {
  return synonymsOf(term).some((synonym) => synonym.startsWith(PREFIX))
}
