/** Words after which a text wants its places and no others. */
const ONLY = /\b(?:only|just|exclusively|solely|strictly|limit(?:ed)?|nowhere else)\b/i

/** Whether a text wants what it names and nothing else. */
export function saysOnly(text: string): boolean {
  return ONLY.test(text)
}

/** A product as far as where it runs; without countries it is everywhere. */
export interface Covered {
  readonly id: string
  readonly selling: { readonly coverage?: { readonly countries?: readonly string[] | undefined } }
}

/** The most products that a sentence names. */
const MOST_NAMED = 4

/** How delivery of `products` is limited to countries, where some of them run elsewhere too. Undefined where all stay within. `isPlanned`: proposals do it themselves. */
export function howToLimit(countries: readonly string[], products: readonly Covered[], isPlanned = false): string | undefined {
  const beyond = products.filter(({ selling }) => !selling.coverage?.countries?.every((country) => countries.includes(country)))
  if (countries.length === 0 || beyond.length === 0) return undefined
  const named = beyond.slice(0, MOST_NAMED).map(({ id }) => id)
  const more = beyond.length > MOST_NAMED ? ` and ${beyond.length - MOST_NAMED} more` : ''
  return `targeting_overlay.geo_countries ${JSON.stringify(countries)} of each package${isPlanned ? '' : ', of a bought proposal by update_media_buy'}; without it ${named.join(', ')}${more} may run elsewhere too`
}
