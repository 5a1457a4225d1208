import { withoutMarks } from '../normal-text.ts'
import { channelsIn } from './brief-channels.ts'
import { regionMentions } from './brief-places.ts'
import { placeListsIn } from './named-places.ts'
import { isAloneAt } from './only-places.ts'
import {
  BETWEEN_WORDS,
  COUNTED_PARTS,
  COUNTS,
  EVEN,
  LESS_OF,
  MORE_OF,
  NO_SHARE,
  OF_WHICH,
  PARTS,
  PERCENTS,
} from './place-share-words.ts'

interface Stretch {
  readonly start: number
  readonly end: number
}

/** The most characters on each side of a place that are read. */
const REACH = 60

/** Countries, cities and states of a text, in order; a city is no second place of a list. */
function placesIn(text: string): Stretch[] {
  return [...placeListsIn(text), ...regionMentions(text)].toSorted((a, b) => a.start - b.start)
}

const TOKEN = /\p{L}[\p{L}\p{M}]*|\d+(?:[.,' ]\d{3})*(?:[.,]\d+)?|\S/gu

/** Words, numbers and signs of a text, without marks. */
export function tokensOf(text: string): string[] {
  return (text.match(TOKEN) ?? []).map(withoutMarks)
}

/** Tokens that say nothing between a figure and its place. */
function isBetween(token: string): boolean {
  return BETWEEN_WORDS.has(token) || /^[-–=:('’"€$£]$/.test(token)
}

/** The tokens before a place, the nearest first, from the first one on that is not {@link isBetween}. */
function before(text: string, { start }: Stretch): string[] {
  const tokens = tokensOf(text.slice(Math.max(0, start - REACH), start)).toReversed()
  const first = tokens.findIndex((token) => !isBetween(token))
  return first < 0 ? [] : tokens.slice(first)
}

/** The tokens after a place, in the same way. */
function after(text: string, { end }: Stretch): string[] {
  const tokens = tokensOf(text.slice(end, end + REACH))
  const first = tokens.findIndex((token) => !isBetween(token))
  return first < 0 ? [] : tokens.slice(first)
}

function isNumber(token = ''): boolean {
  return /^\d/.test(token)
}

/** "60 %", "a third of", "the rest": the figure that stands before a place, nearest first. */
function isPartBefore([last = '', previous = '', earlier = '']: readonly string[]): boolean {
  if (PERCENTS.has(last))
    return isNumber(previous) || ((previous === 'per' || previous === 'pour' || previous === 'por') && isNumber(earlier))
  if (COUNTED_PARTS.has(last)) return COUNTS.has(previous)
  return PARTS.has(last) && !/^(?:first|second|erste|zweite|forsta|andra|last)/.test(previous)
}

/** "Norway 20%", "Norway: half": the figure that follows a place, and belongs to nothing else. */
function isPartAfter([first = '', second = '', third = '', fourth = '']: readonly string[]): boolean {
  const isEnd = (token: string) =>
    token === '' || !/^[\p{L}\d]/u.test(token) || isBetween(token) || token === 'and' || token === 'und'
  if (isNumber(first) && PERCENTS.has(second)) return isEnd(third)
  if (isNumber(first) && /^(?:per|pour|por)$/.test(second) && PERCENTS.has(third)) return isEnd(fourth)
  return PARTS.has(first) && isEnd(second)
}

/** An amount of money or impressions; years and days are none. */
function isAmount(token = ''): boolean {
  return /^\d{1,3}(?:[.,' ]\d{3})+$|^\d{3,9}$/.test(token) && !/^20\d\d$/.test(token)
}

/** Whether a text has two figures that sum to 100: "60/40", "70:30". */
export function isRatio(text: string): boolean {
  return Array.from(text.matchAll(/(?<!\d)(\d{1,2})\s?[/:-]\s?(\d{1,2})(?!\d)/g)).some(
    ([, one, other]) => Number(one) + Number(other) === 100,
  )
}

function countOf(text: string): number {
  return new Set(placeListsIn(text).flatMap(({ codes }) => codes)).size + regionMentions(text).length
}

/** Whether words before a place want less of it: "fewer Norway", "weniger in Schweden". Neither wants the place nor leaves it out. */
export function wantsLessBefore(text: string): boolean {
  const [last = ''] = before(text, { start: text.length, end: text.length })
  return LESS_OF.has(last)
}

/** Whether a clause gives a place a part of the budget in figures: "Sweden 60%", "half the budget in Norway", "60/40 Sweden and Norway". */
function dividesByPlace(clause: string): boolean {
  const places = placesIn(clause)
  if (places.length === 0 || NO_SHARE.test(clause)) return false
  return (
    places.some((place) => isPartBefore(before(clause, place)) || isPartAfter(after(clause, place))) ||
    (countOf(clause) > 1 && (isRatio(clause) || EVEN.test(clause)))
  )
}

/** Places of a text with an amount beside them. */
function amountsAtPlaces(text: string): Stretch[] {
  return placesIn(text).filter((place) => isAmount(before(text, place)[0]) || isAmount(after(text, place)[0]))
}

/** Whether a text has amounts at two places, or some that are said to be of another: "of which 3,000 in Sweden and 1,000 in Norway". Time grows with its length. */
export function hasAmountsByPlace(text: string): boolean {
  const { length } = amountsAtPlaces(text)
  return length > 1 || (length > 0 && OF_WHICH.test(text))
}

/** "plus de Norvège": by itself the word joins. */
const PLUS = /\bplus (?:de|d['’]|en)(?![\p{L}])/iu

/** Whether a clause of an ask is about how much runs in places, whatever else it names. `isByAmount`: the ask {@link hasAmountsByPlace}. Time grows with its length. */
export function isOfPlaceShares(clause: string, isByAmount: boolean): boolean {
  const places = placesIn(clause)
  if (places.length === 0 || NO_SHARE.test(clause)) return false
  if (dividesByPlace(clause)) return true
  if (isByAmount && amountsAtPlaces(clause).length > 0) return true
  if (places.some((place) => isAloneAt(clause, place))) return false
  if (/\d\s?%/.test(clause) || PLUS.test(clause)) return true
  const isShift = (token = '') => MORE_OF.has(token) || LESS_OF.has(token)
  if (places.some((place) => isShift(before(clause, place)[0]) || isShift(after(clause, place)[0]))) return true
  return channelsIn(clause).length > 0 && tokensOf(clause).some(isShift)
}

/** The clauses of a brief. A comma or point within a number cuts nothing. */
export function clausesOf(brief: string): string[] {
  return brief
    .split(/[;!?\n]|,(?!\d{3}(?!\d))|\.(?!\d)/)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '')
}

/** Parts that a brief gives to places, as they are written; empty: none. Time grows with its length. */
export function placeSharesIn(brief: string): string[] {
  const isByAmount = hasAmountsByPlace(brief)
  return clausesOf(brief).filter((clause) => dividesByPlace(clause) || (isByAmount && amountsAtPlaces(clause).length > 0))
}

/** Why shares of places are not carried out, of a plan or of a product. */
export function placeSharesRefusal(clauses: readonly string[]): string[] {
  if (clauses.length === 0) return []
  return [
    `${clauses.map((clause) => `"${clause}"`).join(', ')}: shares by place are not possible, since a budget is split between products, not places; nothing was changed for it. To limit delivery say "only in" or "not in" before a place`,
  ]
}
