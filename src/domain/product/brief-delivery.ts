type DeliveryType = 'guaranteed' | 'non_guaranteed'

const KINDS: Readonly<Record<DeliveryType, string>> = {
  guaranteed: 'guaranteed|garantiert\\w*|garanterad\\w*|garanteret|garantert|garanti\\w*',
  non_guaranteed: 'non[ _-]guaranteed|auctions?|auctioned|programmatic',
}
const ONLY = 'only|solely|exclusively|strictly|nur|ausschließlich|bara|endast|kun|bare|uniquement|seulement|solo|sólo'
const WHAT = 'delivery|inventory|deals?|buys?|products?|impressions?|media'

const ONLY_OF = (['guaranteed', 'non_guaranteed'] as const).map((type) => {
  const kind = KINDS[type]
  const text = `(?:(?:${ONLY}) (?:${kind})|(?:${kind})(?: (?:${WHAT}))? (?:only|exclusively|alone))`
  return { type, pattern: new RegExp(`(?<![\\p{L}_-])${text}(?!\\p{L})`, 'iu') }
})

/** The kind of delivery that a brief wants alone: "guaranteed only", "only programmatic", "no auctions"; `excluded`: the stems of what it does not want. Undefined where both will do. */
export function onlyDeliveryIn(text: string, excluded: readonly (readonly string[])[]): DeliveryType | undefined {
  const only = ONLY_OF.find(({ pattern }) => pattern.test(text))
  if (only) return only.type
  return excluded.some(([term, ...more]) => term === 'auction' && more.length === 0) ? 'guaranteed' : undefined
}
