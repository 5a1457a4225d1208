import { withoutMoney } from './ask-money.ts'
import { withoutPrice } from './ask-price.ts'
import { withoutCapFigure } from './asked-cap.ts'
import { channelsIn } from './brief-channels.ts'
import { withoutLanguages } from './brief-hints.ts'
import { unitPriceIn } from './brief-money.ts'
import { wordsOf } from './brief-terms.ts'
import { placeListsIn } from './named-places.ts'
import { isCapWord, withoutOrderTerms } from './order-terms.ts'

/** What was read of a clause: its words are understood. */
export interface ReadOfClause {
  /** Whether it names a budget, and the currency (ISO 4217) of it; absent: none is named. */
  readonly budget: boolean
  readonly currency?: string | undefined
  /** Whether a price was asked or limited. */
  readonly price: boolean
  /** Whether countries are a condition, or cannot have a share. */
  readonly places: boolean
  /** Whether channels are what a condition, a price or a budget is about. */
  readonly channels: boolean
  /** Whether delivery or price kinds, rates or caps are a condition. */
  readonly kinds: boolean
  /** Whether its days are answered. */
  readonly dates: boolean
}

/** Ends a stretch that is understood. */
const CUT = ' \n '
const TOKEN = /[$€£]?[\p{L}\p{N}]+(?:[.,'’_-][\p{L}\p{N}]+)*(?:\s?%)?/gu

/** Words that say what to do, how exactly, or that a place or an amount follows, beside those that no text is searched for. */
const FILLER = new Set(
  (
    'set make move change keep bring put adjust plan planned raise raised increase increased lower lowered reduce reduced cut decrease decreased go stay stick allow ' +
    'allocation allocate allocated amount sum money overall whole entire altogether exactly exact approx approximately circa ca cap capped limit limited limiting ceiling ' +
    'extra additional another top max maximum min minimum most least below above between up down instead rather now add include including only just exclusively solely strictly restrict restricted ' +
    'confine confined deliver delivered delivery served serve target targeted targeting focus focused cover coverage covering market markets country countries spending worth ' +
    'users user people viewers proposal support supports supported commitment sla everything else nowhere elsewhere wherever ' +
    'nur ausschließlich ausschliesslich allein uniquement seulement exclusivement solo sólo solamente únicamente unicamente exclusivamente apenas somente alleen uitsluitend ' +
    'bara endast enbart kun bare utelukkende im au aux til till på für fur à'
  ).split(' '),
)
/** Kinds of delivery and price, and rates. */
const KINDS =
  /\bnon[\s_-]guaranteed\b|\bauction\b|\bguaranteed?\b|\bfixed[\s-](?:price|pricing|cpm)\b|\bexclusiv\p{L}*|\bcompletion[\s-]rates?\b|\bcompletion\b|\bvcr\b|\bviewab\p{L}*|\bbrand[\s-]saf\p{L}*|\bfrequency[\s-]?cap\p{L}*|\bdelivery\b|\brates?\b|\d{1,3}(?:\.\d+)?\s?%/giu
const PRICES =
  /\b(?:v?cpms?|cpcvs?|cpcs?|cpvs?|cpps?|prices?|pricing|rates?|costs?|cheap|cheaper|discount(?:ed)?|rebate|(?:half|money|something)\s?off|off|expensive|better|per|unit)\b|\d{1,3}(?:\.\d+)?\s?%/gi
/** Days and years of a date. */
const OF_DATES = /^(?:\d{1,2}(?:st|nd|rd|th)?|20\d\d(?:-\d\d){0,2}|q[1-4]|christmas|easter|black|friday|thanksgiving)$/i
/** Words at the ends of what is left that only join it to the rest. */
const JOINS =
  /^(?:and|or|but|for|from|in|at|the|to|with|of|a|an|on|by|as|also|too|is|it|i|we|our|us|my|me|please|that|this|which|within|budget|total|only|just|be|should|plus)$/i

/**
 * What a clause says beside what was read of it, as the buyer wrote it: "20 million impressions" of "20 million impressions for 20,000 EUR", "evening" of
 * "only Sweden in the evening". Empty: no more than filler. Time grows with the length of the clause.
 */
export function leftOf(clause: string, read: ReadOfClause): string[] {
  const isJoin = (word: string) => JOINS.test(word)
  return unread(clause, read)
    .split('\n')
    .flatMap((part) => {
      const tokens = [...part.matchAll(TOKEN)]
      if (!tokens.some(([token]) => isLeft(token, read))) return []
      const first = tokens.find(([token]) => !isJoin(token))
      const last = tokens.findLast(([token]) => !isJoin(token))
      return first && last ? [part.slice(first.index, last.index + last[0].length)] : []
    })
}

/** The clause with a line end for each stretch that was read. */
function unread(clause: string, read: ReadOfClause): string {
  const ordered = withoutOrderTerms(withoutLanguages(withoutCapFigure(clause), CUT), CUT)
  const unpriced = read.price
    ? withoutPrice(ordered.replace(unitPriceIn(ordered) ?? CUT, CUT), CUT).replace(PRICES, CUT)
    : ordered
  const kinds = read.kinds ? unpriced.replace(KINDS, CUT) : unpriced
  const budget = read.budget || read.price ? withoutMoney(kinds, CUT) : kinds
  return read.places ? withoutPlaces(budget) : budget
}

/** "reach people in Norway" wants the place, not a reach. */
const BEFORE_PLACE = /\b(?:reach(?:es|ing)?|prefer(?:ably)?)(?:\s(?:people|users|in|the|to)){0,4}\s+$/i

function withoutPlaces(text: string): string {
  let rest = ''
  let read = 0
  for (const { start, end } of placeListsIn(text)) {
    rest += text.slice(read, start).replace(BEFORE_PLACE, '') + CUT
    read = end
  }
  return rest + text.slice(read)
}

function isLeft(token: string, { currency, channels, kinds, dates }: ReadOfClause): boolean {
  const word = token.toLowerCase()
  if (FILLER.has(word) || /^0+$/.test(word) || token.toUpperCase() === currency) return false
  if (dates && OF_DATES.test(word)) return false
  if (channels && (channelsIn(token).length > 0 || token.includes('_'))) return false
  if (kinds && isCapWord(word)) return false
  return /\d/.test(token) || wordsOf(token).length > 0
}
