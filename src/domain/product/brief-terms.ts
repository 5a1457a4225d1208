import { withoutMarks } from '../normal-text.ts'
import { ownValue } from '../own-value.ts'

/** Words that say nothing of the inventory: grammar, and the vocabulary of every brief. */
const STOP_WORDS = new Set(
  (
    'a an and any are as at be but by can for from has have i in into is it its just looking me my need needs not of on or our ' +
    'please should show that the their them this to us want we which with would you your across all available also both each ' +
    'every get give good only more less than through within before after during until ad ads advert advertising advertisement brand campaign creative ' +
    'flight flights inventory product products package packages placement placements budget spend total launch publisher ' +
    'publishers site sites website websites test testing line lines plan q1 q2 q3 q4 detail details pricing price prices'
  ).split(' '),
)

/** Several words, or spellings of one, that mean a single term. Applied before the text is cut into words. */
const PHRASES: readonly (readonly [pattern: RegExp, term: string])[] = [
  [/\b(digital )?out[\s-]of[\s-]home\b/g, ' dooh '],
  [/\bconnected[\s-](tv|television)s?\b/g, ' ctv '],
  [/\blinear[\s-](tv|television)\b/g, ' broadcast '],
  [/\bpre[\s-]rolls?\b/g, ' preroll '],
  [/\bmid[\s-]rolls?\b/g, ' midroll '],
  [/\bonline[\s-]video\b/g, ' olv '],
  [/\bnon[\s_-]guaranteed\b/g, ' auction '],
  [/\bprime[\s-]time\b/g, ' primetime '],
  [/\bdouble[\s-]?click\b/g, ' '],
  // How long, how often, and what is to be reported say nothing of the audience or the media.
  [/\b(?:daily|weekly|monthly) report(?:s|ing)?\b/g, ' '],
  [/\breport(?:s|ing)? (?:daily|weekly|monthly)\b/g, ' '],
  [/\breport(?:s|ing)? (?:every|each|once a|per) (?:day|week|month)\b/g, ' '],
  [/\b(?:one|two|three|four|five|six|eight|ten|twelve|\d{1,3}) (?:day|week|month)s?\b/g, ' '],
  [/\b(?:once|twice|one|two|three|four|five|\d{1,2})(?: times)? (?:a|per|each|every) (?:hour|day|week|month)\b/g, ' '],
]

/** What a word of a brief also asks for. `channel:` and `delivery:` terms are indexed for each product. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  tv: ['channel:ctv', 'channel:linear_tv'],
  television: ['channel:ctv', 'channel:linear_tv'],
  ctv: ['channel:ctv'],
  ott: ['channel:ctv'],
  stream: ['channel:ctv', 'channel:streaming_audio'],
  broadcast: ['channel:linear_tv'],
  primetime: ['channel:linear_tv'],
  linear: ['channel:linear_tv'],
  video: ['channel:olv', 'channel:ctv'],
  olv: ['channel:olv'],
  preroll: ['channel:olv'],
  outstream: ['channel:olv'],
  display: ['channel:display'],
  banner: ['channel:display'],
  native: ['channel:display'],
  audio: ['channel:streaming_audio', 'channel:podcast', 'channel:radio'],
  radio: ['channel:streaming_audio', 'channel:radio'],
  music: ['channel:streaming_audio'],
  podcast: ['channel:podcast'],
  dooh: ['channel:dooh', 'channel:ooh'],
  ooh: ['channel:dooh', 'channel:ooh'],
  billboard: ['channel:dooh', 'channel:ooh'],
  screen: ['channel:dooh', 'channel:ctv'],
  social: ['channel:social'],
  feed: ['channel:social'],
  search: ['channel:search'],
  newsletter: ['channel:email'],
  email: ['channel:email'],
  game: ['channel:gaming'],
  cinema: ['channel:cinema'],
  print: ['channel:print'],
  retail: ['channel:retail_media'],
  guarante: ['delivery:guaranteed'],
  reserve: ['delivery:guaranteed'],
  auction: ['delivery:non_guaranteed'],
  programmatic: ['delivery:non_guaranteed'],
  bid: ['delivery:non_guaranteed'],
  sla: ['guarante'],
}

/** The words of a text, as stems: lower case, no accents, stop words gone, each once, in order of appearance. */
export function termsOf(text: string, stemOf: (word: string) => string = stem): string[] {
  return [...new Set(wordsOf(text).map((word) => stemOf(word)))]
}

/** The words of a text that carry meaning, unstemmed: for saying what matched. */
export function wordsOf(text: string): string[] {
  const joined = PHRASES.reduce((result, [pattern, term]) => result.replace(pattern, term), withoutMarks(text))
  const words = joined.replace(/[$€£]\s?[\d.,]+\s?[km]?\b/g, ' ').match(/\d+-\d+|[\p{L}\p{N}]+/gu) ?? []
  return words.filter((word) => !STOP_WORDS.has(word) && (word.length > 1 || /\p{Lo}/u.test(word)))
}

/** Cuts the endings that English puts on nouns and verbs. Light on purpose: a wrong merge costs more than a missed one. */
export function stem(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word
  const base = word
    .replace(/ies$/, 'y')
    .replace(/(sses|shes|ches|xes)$/, (ending) => ending.slice(0, -2))
    .replace(/([^su])s$/, '$1')
  return base.length > 5 ? base.replace(/(?:ing|ed|e)$/, '') : base
}

/** What else a stem asks for. */
export function synonymsOf(term: string): readonly string[] {
  return ownValue(SYNONYMS, term) ?? []
}
