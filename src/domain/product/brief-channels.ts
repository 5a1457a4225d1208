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

/** A kind of media that a question names, as it says it, and the channels that this stands for. */
export interface NamedMedia {
  readonly name: string
  readonly channels: readonly string[]
}

/** The terms of a brief, and the words that they stand for. */
interface BriefWords {
  readonly terms: readonly string[]
  readonly wordOf: ReadonlyMap<string, string>
}

/** The media of a brief in its words, and those that filters name as channels. */
export function mediaIn(brief: BriefWords | undefined, filtered: readonly string[] = []): NamedMedia[] {
  const ofBrief = (brief?.terms ?? []).filter(isChannelTerm).map((term) => ({
    name: brief?.wordOf.get(term) ?? term,
    channels: channelsIn(term),
  }))
  return [...ofBrief, ...filtered.map((channel) => ({ name: channel, channels: [channel] }))]
}
