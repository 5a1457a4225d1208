import { leaningDeliveryIn, onlyDeliveryIn } from './brief-delivery.ts'
import { type BriefHints, hintsBeside, withoutPlacesIn } from './brief-hints.ts'
import { mediaAloneIn } from './brief-media.ts'
import { partsOf, splitNegations } from './brief-negation.ts'
import { readPart, stem, termsOf, wordsOf } from './brief-terms.ts'
import { type OrderTerm, orderTermsIn } from './order-terms.ts'

/** A brief, read once for ranking, reasons and proposals. */
export interface Brief {
  readonly text: string
  /** Stems, each once, in order of appearance. */
  readonly terms: readonly string[]
  /** The word that occurs in the brief, by stem. */
  readonly wordOf: ReadonlyMap<string, string>
  /** The stems of each sentence. */
  readonly sentences: readonly (readonly string[])[]
  /** What is not wanted: stems that a product has together. */
  readonly excluded: readonly (readonly string[])[]
  readonly hints: BriefHints
}

/** What an advertiser makes or sells is no medium to buy: "a podcast app", "TV maker". */
const TRADES =
  /\b(?:tv|television|video|podcast|radio|audio|music|mobile|video game|games?|gaming|streaming|search|email|print|app) (?=(?:brand|maker|manufacturer|retailer|vendor|company|start-?up|studio|developer|publisher|shop|store|chain)s?\b)/gi
const APP =
  /^\s*((?:an? |our |the |new |for an? |for our )?(?:[a-z]+ ){1,2})app\b(?! (?:install|inventory|display|video|banner|user))/i

/** Not the points of "U.S." and of decimals. */
const SENTENCE = /[.;!?](?=\s|$)|\n/

/** Reads a free-text brief, of a very long one only the beginning. */
export function readBrief(brief: string): Brief {
  const text = readPart(brief)
  const wordOf = new Map<string, string>()
  const { rest, ...left } = withoutPlacesIn(text)
  const { wanted, unwanted } = splitNegations(rest)
  const sentences = wanted
    .replace(TRADES, '')
    .replace(APP, '$1')
    .split(SENTENCE)
    .map((sentence) =>
      wordsOf(sentence).map((word) => {
        const term = stem(word)
        if (!wordOf.has(term)) wordOf.set(term, word)
        return term
      }),
    )
  const excluded = unwanted
    .flatMap(partsOf)
    .map((part) => termsOf(part))
    .filter((terms) => terms.length > 0)
  const hints = hintsBeside(wanted, { ...left, rest: wanted })
  const delivery = onlyDeliveryIn(wanted, excluded)
  const leaning = delivery ? undefined : leaningDeliveryIn(wanted)
  const mediaAlone = mediaAloneIn(wanted)
  // "not on weekends" is what is wanted of the order.
  const orderTerms = [...new Set([...(hints.orderTerms ?? []), ...orderTermsIn(text).filter(isOfDays)])]
  return {
    text,
    terms: [...wordOf.keys()],
    wordOf,
    sentences,
    excluded,
    hints: {
      ...hints,
      ...(orderTerms.length > 0 && { orderTerms }),
      ...(delivery && { delivery }),
      ...(leaning && { leaning }),
      ...(mediaAlone.length > 0 && { mediaAlone }),
    },
  }
}

/** A negation of days and hours wants others. */
function isOfDays(term: OrderTerm): boolean {
  return term === 'days of the week' || term === 'hours of the day' || term === 'dates'
}
