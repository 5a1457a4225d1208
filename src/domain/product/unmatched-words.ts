import type { Brief } from './brief.ts'
import { withoutIds } from './brief-channels.ts'
import { withoutPlacesIn } from './brief-hints.ts'
import { splitNegations } from './brief-negation.ts'
import { regionMentions } from './brief-places.ts'
import { relatedTo, synonymsOf } from './brief-synonyms.ts'
import { termsOf } from './brief-terms.ts'
import { namedPlacesIn } from './named-places.ts'
import { withoutOrderTerms } from './order-terms.ts'
import { type ProductIndex, positionOf } from './product-index.ts'
import type { ProductsById } from './product-list.ts'

/** Currencies, which the budget is read by, and words of frames that no product has. */
const READ =
  /^(?:[a-z]*euros?|eur|usd|gbp|sek|nok|dkk|chf|cad|aud|jpy|inr|brl|mxn|kr|kronor|kroner|crowns?|amount|limit|cost|rate|below|above|least|maximum|minimum|max|min|between)$/
/** Words that limit a brief to its places, and count, in other languages: those of English are no terms at all. */
const LIMITS =
  /^(?:nur|ausschlie(?:ss|ß)lich|uniquement|seulement|exclusivement|solo|solamente|[uú]nicamente|exclusivamente|apenas|somente|alleen|uitsluitend|bara|endast|enbart|kun|bare|utelukkende|h[oö]chstens|maximal|maximaal|h[oö]gst)$/
/** Names of prices by a unit, which a price that the brief names is read by. */
const PRICES = /^(?:v?cpm|cpcv|cpc|cpv|cpp|cpa|tkp|tausenderpreis)$/
/** Figures are read as money, dates and caps; of them ages alone are words of an audience. */
const AGES = /^\d\d-\d\d$/
const OF_PEOPLE =
  /\b(?:wom[ae]n|m[ae]n|girls|boys|adults?|aged?|ages|people|persons?|parents|viewers|listeners|year[- ]?olds?)\b/i

/** The most words that the sentence names. */
const MOST_NAMED = 8

/** The sentence on words of a brief by which no product is known, and which no other rule reads: they chose nothing. Words of the ids of `offered` products are known by these. None where all are used. Time grows with the length of the brief. */
export function unmatchedNote(
  brief: Brief,
  index: ProductIndex,
  offered: ProductsById = new Map(index.products.map((each) => [each.id, each])),
): string[] {
  const words = unmatchedWords(brief, index, offered)
  if (words.length === 0) return []
  const more = words.length > MOST_NAMED ? ` and ${words.length - MOST_NAMED} more` : ''
  return [
    `No product is known by these words of the brief, so they chose nothing: ${words.slice(0, MOST_NAMED).join(', ')}${more}.`,
  ]
}

function unmatchedWords(
  { text, terms, wordOf, hints }: Brief,
  { postings, products }: ProductIndex,
  offered: ProductsById,
): string[] {
  const left = new Set(termsOf(withoutRead(withoutIds(text, (id) => offered.get(id) !== undefined))))
  const languages = new Set(hints.languages ?? [])
  const isOtherwiseRead = (word: string) =>
    (hints.unitPrice !== undefined && PRICES.test(word)) || (word === 'ca' && hints.budget?.currency === 'CAD')
  const isOffered = (entry: number) => offered.get(products[positionOf(entry)]?.id ?? '') !== undefined
  const isKnown = (term: string) =>
    [term, ...synonymsOf(term), ...relatedTo(term)].some((each) => postings.get(each)?.entries.some(isOffered))
  return terms.flatMap((term) => {
    const word = wordOf.get(term) ?? term
    const isRead =
      isOtherwiseRead(word) ||
      READ.test(word) ||
      LIMITS.test(word) ||
      languages.has(word) ||
      (/\d/.test(term) && !(AGES.test(term) && OF_PEOPLE.test(text)))
    return left.has(term) && !isRead && !isKnown(term) ? [word] : []
  })
}

/** What is wanted in a text, without its places and without what it says of the order. */
function withoutRead(text: string): string {
  const { named, lists } = namedPlacesIn(splitNegations(withoutPlacesIn(text).rest).wanted)
  const unplaced = without(named, lists)
  return withoutOrderTerms(without(unplaced, regionMentions(unplaced)))
}

/** A text without some stretches of it, in order. */
function without(text: string, stretches: readonly { readonly start: number; readonly end: number }[]): string {
  let rest = ''
  let read = 0
  for (const { start, end } of stretches) {
    rest += `${text.slice(read, Math.max(read, start))} `
    read = Math.max(read, end)
  }
  return rest + text.slice(read)
}
