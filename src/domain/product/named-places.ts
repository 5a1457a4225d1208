import { type CountryMention, countryMentions, countryNameOf, MOST_MENTIONS } from '../country-names.ts'
import { IS_OUT, NO_ENGLISH, NOT_OUTSIDE, NOT_THERE, NOWHERE_ELSE, ONLY_LAST } from './place-limit-words.ts'

/** Codes that are words or abbreviations of advertising: a text that has them alone, or beside names, does not mean the country. */
const OTHER_WORDS = new Set(
  'AD AI AM AR AT BE CA CC CD DO HR ID IN IO IS IT LI MD ME MP MS MY NO PM PR SI SO TO TT TV US VA VC YT'.split(' '),
)
/** Of these, those that are never read as one; `US` is read by itself. */
const NEVER = new Set('AI AM CC CD IO MP PM TT TV US VC YT'.split(' '))

/** What stands between two countries of a list. */
const BETWEEN = /^\s*(?:[,/&+]|(?:,\s*)?\b(?:and|or|und|oder|et|ou|y|och|eller|og)\b)\s*(?:in\s+)?(?:the\s+)?$/i

/** Countries that a text names as one list: "Sweden, Norway and Denmark". */
export interface PlaceList {
  readonly codes: readonly string[]
  readonly start: number
  readonly end: number
}

/** The lists of countries of a text, in order. Time grows with the length of the text. */
export function placeListsIn(text: string): PlaceList[] {
  return groupsOf(text, [...countryMentions(text), ...usIn(text)]).map(listOf)
}

/**
 * A text with its countries in one form: by name where it has codes in a list ("for SE and NO"), the parts of a list joined by "and", what is not to run outside of countries
 * as "only in" these, and where nothing is to run as "not in" these. What reads a text in parts, or takes out what it does not want, then finds each list whole. Applied twice it is as applied once.
 */
export function withNamedPlaces(text: string): string {
  return namedPlacesIn(text).named
}

/** The same, and the lists of countries of that form. */
export function namedPlacesIn(text: string): { readonly named: string; readonly lists: readonly PlaceList[] } {
  const { names, lists } = withNames(text)
  const named = withLimits(names, lists)
  return { named, lists: named === names ? lists : placeListsIn(named) }
}

function withNames(text: string): { readonly names: string; readonly lists: readonly PlaceList[] } {
  const codes = codesIn(text)
  const isCode = new Set(codes)
  const groups = groupsOf(text, [...countryMentions(text), ...usIn(text), ...codes])
  let read = 0
  let named = ''
  for (const group of groups) {
    const own = group.filter((mention) => isCode.has(mention))
    if (own.length > 0 && !areCodes(text, group, own)) continue
    const [first] = group
    if (!first || (group.length === 1 && own.length === 0)) continue
    named += text.slice(read, first.start)
    named += group
      .map((mention) => (isCode.has(mention) ? (countryNameOf(mention.code) ?? '') : text.slice(mention.start, mention.end)))
      .join(' and ')
    read = group.at(-1)?.end ?? read
  }
  const names = named + text.slice(read)
  return { names, lists: codes.length === 0 && names === text ? groups.map(listOf) : placeListsIn(names) }
}

/** Tokens that may be codes; none where everything is in capital letters. */
function codesIn(text: string): CountryMention[] {
  if (!/\p{Ll}/u.test(text)) return []
  return [
    ...text.matchAll(/(?<![\p{L}\p{N}'.-])[A-Z]{2}(?![\p{L}\p{N}'.-])|(?<![\p{L}\p{N}'.-])[A-Z]{2}(?=\.(?:\s|$))/gu),
  ].flatMap(({ 0: code, index }) =>
    NEVER.has(code) || countryNameOf(code) === undefined || isCalendarWeek(code, text, index)
      ? []
      : [{ code, start: index, end: index + code.length }],
  )
}

/** "KW 51" is a calendar week (Kalenderwoche), and no Kuwait. */
function isCalendarWeek(code: string, text: string, start: number): boolean {
  return code === 'KW' && /^[\s.:#-]{0,3}\d{1,2}(?!\d)/.test(text.slice(start + code.length, start + code.length + 6))
}

/** What is before codes that are countries. */
const BEFORE_CODES =
  /\b(?:in|for|to|within|inside|across|only|just|exclusively|solely|strictly|nur|kun|bare|bara|endast|outside|outside of)\s+(?:the\s+)?$/i
const AFTER_CODES = /^\s*(?:only|alone|exclusively|solely)\b/i
/** After it, a code is the first part of something else: "in HR departments". */
const GOES_ON = /^\s+\p{Ll}/u
const NO_MORE = /^\s+(?:and|or|but|with|for|from|on|via|in|at|by|only|alone|please|no)\b/

function areCodes(text: string, group: readonly CountryMention[], own: readonly CountryMention[]): boolean {
  const [first] = group
  const last = group.at(-1)
  if (!first || !last) return false
  const clear = own.some(({ code }) => !OTHER_WORDS.has(code))
  const before = BEFORE_CODES.test(text.slice(Math.max(0, first.start - 20), first.start))
  const after = text.slice(last.end, last.end + 20)
  if (group.length > 1) return clear
  const isAlone = !GOES_ON.test(after) || NO_MORE.test(after)
  return (clear || first.code === 'NO') && isAlone && (before || AFTER_CODES.test(after))
}

/** "US" and "U.S.": case matters, since "us" is a pronoun. */
function usIn(text: string): CountryMention[] {
  const found: CountryMention[] = []
  for (const { 0: word, index } of text.matchAll(/(?<![\p{L}\p{N}])(?:US|U\.S\.A?\.?)(?![\p{L}\p{N}])/gu)) {
    if (found.length === MOST_MENTIONS) break
    found.push({ code: 'US', start: index, end: index + word.length })
  }
  return found
}

function groupsOf(text: string, mentions: readonly CountryMention[]): CountryMention[][] {
  const groups: CountryMention[][] = []
  for (const mention of mentions.toSorted((a, b) => a.start - b.start).slice(0, MOST_MENTIONS)) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    // Two countries that are further apart are in no list.
    const isNext = last !== undefined && mention.start - last.end < 20 && BETWEEN.test(text.slice(last.end, mention.start))
    if (group && isNext) group.push(mention)
    else if (!last || mention.start >= last.end) groups.push([mention])
  }
  return groups
}

function listOf(group: readonly CountryMention[]): PlaceList {
  return { codes: [...new Set(group.map(({ code }) => code))], start: group[0]?.start ?? 0, end: group.at(-1)?.end ?? 0 }
}

/** The form in which a text says it after this file: what follows is a list. */
const NOT_IN = /(?<!\p{L})not in $/u

/** Whether a list begins with the name that English has for its country. */
function isEnglish(list: string, [code = '']: readonly string[]): boolean {
  const name = countryNameOf(code) ?? code
  return list.slice(0, name.length).toLowerCase() === name.toLowerCase() || /^(?:US|U\.S\.|UK|England)(?!\p{L})/u.test(list)
}

function withLimits(text: string, lists: readonly PlaceList[]): string {
  let read = 0
  let limited = ''
  for (const { start, end, codes } of lists) {
    const before = text.slice(Math.max(read, start - 60), start)
    const after = text.slice(end, end + 40)
    const [outside] = NOT_OUTSIDE.exec(before) ?? []
    const [elsewhere] = NOWHERE_ELSE.exec(after) ?? []
    const [there] =
      NOT_THERE.exec(before) ?? (isEnglish(text.slice(start, end), codes) ? NO_ENGLISH.exec(before) : undefined) ?? []
    const [out] = IS_OUT.exec(after) ?? []
    const list = text.slice(start, end)
    if (outside !== undefined) limited += `${text.slice(read, start - outside.length)}only in ${list}`
    else if (elsewhere !== undefined) limited += `${text.slice(read, end)} only`
    // "not Sweden, Norway only" may mean either of them.
    else if (there !== undefined && (codes.length === 1 || !ONLY_LAST.test(after)))
      limited += `${text.slice(read, start - there.length)}not in ${list}`
    // What follows is in no list with what is out.
    else if (there === undefined && out !== undefined) limited += `${text.slice(read, start)}not in ${list};`
    else continue
    read = end + (outside !== undefined || there !== undefined ? 0 : (elsewhere ?? out ?? '').length)
  }
  return limited + text.slice(read)
}

/** Countries (ISO 3166-1 alpha-2) where a text says that nothing is to run, and the text without what says so. */
export function countriesExcludedIn(text: string): { readonly countries: readonly string[]; readonly rest: string } {
  const { named, lists } = namedPlacesIn(text)
  const excluded = lists.filter(({ start }) => NOT_IN.test(named.slice(Math.max(0, start - 8), start)))
  let read = 0
  let rest = ''
  for (const { start, end } of excluded) {
    rest += named.slice(read, start - 'not in '.length)
    read = end
  }
  return { countries: [...new Set(excluded.flatMap(({ codes }) => codes))], rest: rest + named.slice(read) }
}
