import { regionsNamedIn } from './brief-places.ts'
import { namedPlacesIn, type PlaceList, placeListsIn } from './named-places.ts'
import type { TakesTargeting } from './overlay-support.ts'
import type { Product } from './product.ts'

/** Words by which a text limits itself to places, in the languages of briefs. */
const WORDS =
  'only|just|exclusively|solely|strictly|limited to|limit(?:ed)? delivery to|restricted to|confined to|nur|ausschließlich|ausschliesslich|uniquement|seulement|exclusivement|solo|sólo|solamente|únicamente|unicamente|exclusivamente|apenas|somente|alleen|uitsluitend|bara|endast|enbart|kun|bare|utelukkende'
/** Words between such a word and the places: "only to sports fans in". */
const TO_PLACES =
  '(?:(?:to|be|run|running|deliver|delivered|delivery|show|shown|serve|served|available)\\s+){0,3}(?:(?:[\\p{L}-]+\\s+){0,2}(?:people|users|viewers|audiences?|readers|listeners|fans|visitors|customers|shoppers|households)\\s+)?(?:in|within|inside|across|for|to|i|im|en|dans|au|aux|für|fur|på|til|till|na|no)\\s+(?:the\\s+)?'
/** Before such a word, it is about something else: "not only", "we sell only in Norway". */
const NO_LIMIT = '(?:not|nicht|pas|sells?|sold|ships?|operates?|based|located)\\s+'
const BEFORE = new RegExp(`(?<![\\p{L}\\p{N}])(${NO_LIMIT})?(?:${WORDS})\\s+(${TO_PLACES}|(?:the\\s+)?)$`, 'iu')
/** The most characters of such a phrase. */
const REACH = 100
/** The list is followed by nothing that it belongs to: "only Norway, 5000 USD", not "only Norway fans". */
const ENDS =
  /^\s*(?:$|[^\p{L}\s'’-]|[-–]\s|(?:and|but|with|for|from|on|via|please|at|by|as|mit|für|avec|pour|con|para|med|och|og|und|et)\b)/iu
/** "Norway only.": the places stand before the word. */
const AFTER =
  /^\s*\(?(?:only|alone|exclusively|solely|nur|allein|uniquement|seulement|solamente|solo|endast|bara|kun|bare)\s*(?:[.,;:!?)\n]|[-–]|and\b|with\b|$)/iu

/**
 * Countries (ISO 3166-1 alpha-2) outside of which a text says that nothing is to run: "only in Norway", "only Norway,", "Norway only", "just SE and NO", "nicht außerhalb von
 * Schweden". "Not only in Sweden" limits nothing, nor does "in the US only on mobile". Cities and regions are not read. Time grows with the length of the text.
 */
export function countriesAloneIn(text: string): string[] {
  return countriesAlone(namedPlacesIn(text))
}

function countriesAlone({ named, lists }: ReturnType<typeof namedPlacesIn>): string[] {
  return [...new Set(lists.flatMap((list) => (isAloneAt(named, list) ? list.codes : [])))]
}

/** Whether a text says of the places between two of its offsets that nothing is to run outside of them. */
export function isAloneAt(text: string, { start, end }: { readonly start: number; readonly end: number }): boolean {
  const after = text.slice(end, end + 20)
  const [, not, to] = BEFORE.exec(text.slice(Math.max(0, start - REACH), start)) ?? []
  const isBefore =
    to !== undefined && not === undefined && (to.trim().length > 3 || /\b(?:in|im|i|en|à)\s+$/i.test(to) || ENDS.test(after))
  return isBefore || (AFTER.test(after) && !/\bnot\s+(?:in\s+)?(?:the\s+)?$/i.test(text.slice(Math.max(0, start - 20), start)))
}

const ANY_WORD = new RegExp(`(?<![\\p{L}\\p{N}])(${NO_LIMIT})?(?:${WORDS}|limit(?:ed)?)(?![\\p{L}\\p{N}])`, 'iu')

/**
 * The same of a text {@link withNamedPlaces} that names places of its own beside what it limits: "only banners in Norway", "only in London". The countries of the clause that
 * limits. `lists`: its {@link placeListsIn}.
 */
export function countriesLimitedIn(named: string, lists: readonly PlaceList[]): string[] {
  const alone = countriesAlone({ named, lists })
  if (alone.length > 0) return alone
  const clauses = named.split(/[,;:!?\n()]|\.(?=\s|$)/)
  const limited = clauses.filter((clause) => [ANY_WORD.exec(clause)].some((found) => found && found[1] === undefined))
  return [
    ...new Set(
      limited.flatMap((clause) => [
        ...placeListsIn(clause).flatMap(({ codes }) => codes),
        ...regionsNamedIn(clause).map((region) => region.slice(0, 2)),
      ]),
    ),
  ]
}

/** The most products that a sentence names. */
const MOST_NAMED = 4
/** Whose targeting does it, unless it is about some packages alone. */
const EACH = 'each package'

function named(products: readonly Product[]): string {
  const more = products.length > MOST_NAMED ? ` and ${products.length - MOST_NAMED} more` : ''
  return `${products
    .slice(0, MOST_NAMED)
    .map(({ id }) => id)
    .join(', ')}${more}`
}

/**
 * How delivery of `products` is limited to countries, where some of them run elsewhere too. Undefined where all stay within. `isPlanned`: proposals do it themselves. `saysWider`:
 * whether it names those that run elsewhere unless they are limited.
 */
export function howToLimit(
  countries: readonly string[],
  products: readonly Product[],
  takes: TakesTargeting,
  {
    isPlanned = false,
    saysWider = true,
    whose = EACH,
  }: { readonly isPlanned?: boolean; readonly saysWider?: boolean; readonly whose?: string } = {},
): string | undefined {
  if (countries.length === 0) return undefined
  const beyond = products.filter((product) => !runsOnlyIn(product, countries))
  const elsewhere = beyond.filter(({ selling }) => selling.coverage.countries?.every((country) => !countries.includes(country)))
  const wider = beyond.filter((product) => !elsewhere.includes(product))
  const able = wider.filter((product) => takes(product, 'geo_countries'))
  const unable = wider.filter((product) => !able.includes(product))
  // Where something stays within by itself, it is the answer.
  const isNone = unable.length > 0 && able.length === 0 && beyond.length === products.length
  const parts = [
    ...(able.length === 0
      ? []
      : [
          `targeting_overlay.geo_countries ${JSON.stringify(countries)} of ${whose}${isPlanned ? '' : ', of a bought proposal by update_media_buy'}${saysWider ? `; without it ${named(able)} may run elsewhere too` : ''}`,
        ]),
    ...(unable.length === 0
      ? []
      : [
          isNone
            ? `nothing here can be limited to countries: ${named(unable)} may run elsewhere too`
            : `${named(unable)} cannot be limited so and may run elsewhere too`,
        ]),
    ...(elsewhere.length === 0 ? [] : [`${named(elsewhere)} ${elsewhere.length === 1 ? 'runs' : 'run'} elsewhere alone`]),
  ]
  return parts.length === 0 ? undefined : parts.join('; ')
}

/** Whether a product runs in none but these countries. */
export function runsOnlyIn(
  { selling }: { readonly selling: Pick<Product['selling'], 'coverage'> },
  countries: readonly string[],
): boolean {
  const own = selling.coverage.countries
  return own !== undefined && own.length > 0 && own.every((country) => countries.includes(country))
}

/** How delivery of `products` is kept out of countries, where some of them may run there. Undefined where none does. `isPlanned`: proposals do it themselves. */
export function howToExclude(
  countries: readonly string[],
  products: readonly Product[],
  takes: TakesTargeting,
  { isPlanned = false, whose = EACH }: { readonly isPlanned?: boolean; readonly whose?: string } = {},
): string | undefined {
  if (countries.length === 0) return undefined
  const there = products.filter(
    ({ selling }) => selling.coverage.countries?.some((country) => countries.includes(country)) ?? true,
  )
  const able = there.filter((product) => takes(product, 'geo_countries_exclude') && !runsOnlyIn(product, countries))
  const unable = there.filter((product) => !able.includes(product))
  const isNone = able.length === 0 && there.length === products.length
  const parts = [
    ...(able.length === 0
      ? []
      : [
          `targeting_overlay.geo_countries_exclude ${JSON.stringify(countries)} of ${whose}${isPlanned ? '' : ', of a bought proposal by update_media_buy'}; without it ${named(able)} may run there`,
        ]),
    ...(unable.length === 0
      ? []
      : [
          isNone
            ? `nothing here can be kept out of countries: ${named(unable)} may run there`
            : `${named(unable)} cannot be kept out and may run there`,
        ]),
  ]
  return parts.length === 0 ? undefined : parts.join('; ')
}

/** How delivery of `products` is limited to states and cities (ISO 3166-2), or kept out of them. */
export function howToTargetRegions(
  regions: readonly string[],
  member: 'geo_regions' | 'geo_regions_exclude',
  products: readonly Product[],
  takes: TakesTargeting,
): string {
  const able = products.filter((product) => takes(product, member))
  const unable = products.filter((product) => !able.includes(product))
  if (products.length > 0 && able.length === 0) return 'none of these products is targeted by region'
  const how = `targeting_overlay.${member} ${JSON.stringify(regions)} of each package, of a bought proposal by update_media_buy`
  return unable.length === 0 ? how : `${how}; ${named(unable)} cannot be targeted so`
}
