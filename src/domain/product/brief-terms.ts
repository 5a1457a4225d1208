import { beginningOf, withoutMarks } from '../normal-text.ts'
import { FOREIGN_STOP_WORDS, inEnglish } from './brief-languages.ts'

/** Words that say nothing of the inventory: grammar, and the vocabulary of every brief. */
const STOP_WORDS = new Set(
  [
    'a an and any are as at be but by can for from has have i in into is it its just looking me my need needs not of on or our',
    'please should show that the their them this to us want we which with would you your across all available also both each he she his her they',
    'every get give good only more less than through within before after during until ad ads advert advertising advertisement brand campaign creative',
    'flight flights inventory product products package packages placement placements budget spend total launch launching publisher about around',
    'publishers site sites website websites test testing line lines plan q1 q2 q3 q4 detail details pricing price prices was were been will could',
    'do does did if so up out over under there here what when where who how some no yes one two three four five six first last next new',
    'run runs running start starts end ends make makes made like use used using per via ok thanks thank hello hi kindly welcome something anything',
    'new cpm people person persons thing things look open full high low big small better best long short single idea simple keep many much really very own',
    'nothing alone must may might want wants wanted prefer preferably ideally mainly mostly possible rough roughly approximately client clients agency',
    // Time: dates of a flight say nothing of the media; parts of the day do, and holidays may.
    'january february march april june july august september october november december monday tuesday wednesday thursday friday saturday saturdays',
    'sunday sundays day days week weeks month months quarter quarters year years spring summer autumn fall winter season seasons today tomorrow',
    'wk wks kw kalenderwoche kalenderwochen uge uger bis vom dollar dollars pound pounds',
    FOREIGN_STOP_WORDS,
  ].flatMap((words) => words.split(' ')),
)

/** Several words, or spellings of one, that mean a single term. Applied before the text is cut into words; `part` is in every text that has one. */
const PHRASES: readonly (readonly [part: string, pattern: RegExp, term: string])[] = [
  ['home', /\b(digital )?out[\s-]of[\s-]home\b/g, ' dooh '],
  ['connected', /\bconnected[\s-](tv|television)s?\b/g, ' ctv '],
  ['linear', /\blinear[\s-](tv|television)\b/g, ' broadcast '],
  ['pre', /\bpre[\s-]rolls?\b/g, ' preroll '],
  ['mid', /\bmid[\s-]rolls?\b/g, ' midroll '],
  ['online', /\bonline[\s-]video\b/g, ' olv '],
  ['guaranteed', /\bnon[\s_-]guaranteed\b/g, ' auction '],
  ['outdoor', /\boutdoor (screens?|ads?|advertising|media|posters?|billboards?)\b/g, ' dooh '],
  ['feed', /\b(?:product|menu|item|data|catalog|catalogue|inventory|price|shopping|xml|csv) feeds?\b/g, ' catalog '],
  ['feed', /\bfeed (?=with|of\b|from)/g, ' catalog '],
  ['page', /\b(?:front|home) pages?\b/g, ' homepage '],
  ['in-app', /\bin-apps?\b/g, ' app '],
  ['host', /\bhost[\s-]reads?\b/g, ' host read '],
  ['drive', /\bdrive[\s-]times?\b/g, ' drivetime '],
  ['gen', /\bgen[\s-]?z\b/g, ' genz '],
  ['late', /\blate[\s-]night\b/g, ' latenight '],
  ['run of', /\brun of (?:network|site|service|stream)\b/g, ' reach '],
  ['cost per', /\bcost per (?:completed view|completion)\b/g, ' cpcv '],
  ['cost per', /\bcost per view\b/g, ' cpv '],
  ['cost per', /\bcost per click\b/g, ' cpc '],
  ['cost per', /\bcost per (?:lead|action|acquisition|sign-?up|order)\b/g, ' cpa '],
  ['rating', /\b(?:gross )?rating points?\b/g, ' grp '],
  ['television connectee', /\btelevision connectee\b/g, ' ctv '],
  ['smart', /\bsmart[\s-]tvs?\b/g, ' ctv '],
  ['prime', /\bprime[\s-]time\b/g, ' primetime '],
  ['double', /\bdouble[\s-]?click\b/g, ' '],
  // How long, how often, and what is to be reported say nothing of the audience or the media.
  ['report', /\b(?:hourly|daily|weekly|monthly) report(?:s|ing)?\b/g, ' '],
  ['report', /\breport(?:s|ing)? (?:hourly|daily|weekly|monthly)\b/g, ' '],
  ['report', /\breport(?:s|ing)? (?:every|each|once a|per) (?:hour|day|week|month)\b/g, ' '],
  ['calendar', /\bcalendar weeks?\b/g, ' '],
  [' ', /\b(?:one|two|three|four|five|six|eight|ten|twelve|\d{1,3}) (?:day|week|month)s?\b/g, ' '],
  [' ', /\b(?:once|twice|one|two|three|four|five|\d{1,2})(?: times)? (?:a|per|each|every) (?:hour|day|week|month)\b/g, ' '],
]

/** The schemas set no limit, and time goes with length: four pages are more than anybody writes, and a list of country codes as long takes some fifty milliseconds. */
const MAX_READ_CHARS = 8_000

/** What is read of a free text of a caller: of a very long one only the beginning. */
export function readPart(text: string): string {
  return beginningOf(text, MAX_READ_CHARS)
}

/** The words of a text, as stems: lower case, no accents, stop words gone, each once, in order of appearance. */
export function termsOf(text: string, stemOf: (word: string) => string = stem): string[] {
  return [...new Set(wordsOf(text).map((word) => stemOf(word)))]
}

/** The words of a text that carry meaning, unstemmed: for saying what matched. */
export function wordsOf(text: string): string[] {
  const joined = PHRASES.reduce(
    (result, [part, pattern, term]) => (result.includes(part) ? result.replace(pattern, term) : result),
    withoutMarks(text),
  )
  const words = joined.replace(/[$€£]\s?[\d.,]+\s?[km]?\b/g, ' ').match(/\d+-\d+|[\p{L}\p{N}]+/gu) ?? []
  return words.filter((word) => !STOP_WORDS.has(word) && (word.length > 1 || /\p{Lo}/u.test(word))).map(inEnglish)
}

/** Cuts the endings that English puts on nouns and verbs. Light on purpose: a wrong merge costs more than a missed one. */
export function stem(word: string): string {
  // The one word of advertising that is no plural.
  if (word.length <= 3 || word === 'news' || /\d/.test(word)) return word
  const base = word
    .replace(/ies$/, 'y')
    .replace(/(sses|shes|ches|xes)$/, (ending) => ending.slice(0, -2))
    .replace(/([^su])s$/, '$1')
  return base.length > 5 ? base.replace(/(?:ing|ed|e)$/, '') : base
}
