export type WantedDelivery = 'guaranteed' | 'non_guaranteed'

const KINDS: Readonly<Record<WantedDelivery, string>> = {
  guaranteed: 'guaranteed|garantiert\\w*|garanterad\\w*|garanteret|garantert|garanti\\w*',
  non_guaranteed: 'non[ _-]guaranteed|auctions?|auctioned|programmatic',
}
/** Words that leave nothing else, of English and other languages. */
export const ONLY_WORDS =
  'only|solely|exclusively|strictly|nur|ausschließlich|bara|endast|kun|bare|uniquement|seulement|solo|sólo'
const WHAT = 'delivery|inventory|deals?|buys?|products?|impressions?|media'

const ONLY_OF = (['guaranteed', 'non_guaranteed'] as const).map((type) => {
  const kind = KINDS[type]
  const text = `(?:(?:${ONLY_WORDS}) (?:${kind})|(?:${kind})(?: (?:${WHAT}))? (?:only|exclusively|alone))`
  return { type, pattern: new RegExp(`(?<![\\p{L}_-])${text}(?![\\p{L}\\p{N}])`, 'iu') }
})

/** The kind of delivery that a brief wants alone: "guaranteed only", "only programmatic", "no auctions"; `excluded`: the stems of what it does not want. Undefined where both will do. */
export function onlyDeliveryIn(text: string, excluded: readonly (readonly string[])[]): WantedDelivery | undefined {
  const only = ONLY_OF.find(({ pattern }) => pattern.test(text))
  if (only) return only.type
  const isOut = (...words: readonly string[]) =>
    excluded.some(([term = '', ...more]) => words.includes(term) && more.every((word) => NOUNS.has(word)))
  if (isOut('auction', 'programmatic')) return 'guaranteed'
  return isOut('guarante') ? 'non_guaranteed' : undefined
}

/** Stems beside a kind of delivery that say no more than it. */
const NOUNS = new Set(['deliver', 'delivery', 'inventory', 'deal', 'buy', 'impression', 'media'])

/** A guarantee that is one of delivery: no guarantee of safety or of results. */
const GUARANTEED =
  /(?<!\b(?:not|non|safety|suitability|quality|viewability|results?|success|satisfaction|views?)[ -])(?<![\p{L}_-])(?:programmatic[ -])?guaranteed(?![\p{L}_-])(?! (?:to|that|by|viewab|quality|results|completion|brand))/iu
const AUCTIONED =
  /(?<![\p{L}_-])(?:non[ _-]guaranteed|auctions?|auctioned|programmatic(?![ -]guaranteed)|biddable)(?![\p{L}_-])/iu

/** The kind of delivery that a text asks for, and not alone; undefined where it asks for none, or for both. */
export function leaningDeliveryIn(text: string): WantedDelivery | undefined {
  const [guaranteed, auctioned] = [GUARANTEED.test(text), AUCTIONED.test(text)]
  if (guaranteed === auctioned) return undefined
  return guaranteed ? 'guaranteed' : 'non_guaranteed'
}
