import { changesOf, type ShareChange } from './ask-changes.ts'
import { namesPart } from './ask-subject.ts'
import { kindWishes } from './ask-wishes.ts'
import { withoutIds } from './brief-channels.ts'
import { languagesIn } from './brief-hints.ts'
import { countriesExcludedIn, placeListsIn } from './named-places.ts'
import { orderTermsIn } from './order-terms.ts'
import { namesPlacesPlainly } from './plain-places.ts'
import type { Product } from './product.ts'

/** How a clause begins that wants something in the plan beside what is there. */
const ADDS = /^\s*(?:please\s+)?(?:and\s+)?(?:(?:also|additionally)(?:\s+(?:add|include))?|add|include)\b/i
/** Says more than what is to be added. */
const SAYS_MORE =
  /\b(?:only|just|exclusively|solely|no|not|without|drop|remove|exclude|less|fewer|more|lower|reduce|cut|decrease|raise|increase|shift|move|put|keep|leave|to|from|instead|replace|swap|cap|capped|caps|capping|limit|per|bid|bids|off|discount|cheaper|spend|budget|must|should|be)\b/i
const KINDS =
  /\bnon[\s_-]guaranteed\b|\bguaranteed?\b|\bauction(?:ed|s)?\b|\bfixed[\s-](?:price|pricing|cpm)\b|\bexclusiv\p{L}*/giu

/** Nationalities, as they stand before a medium, by country (ISO 3166-1 alpha-2). */
const NATIONAL: ReadonlyMap<string, string> = new Map(
  (
    'swedish SE norwegian NO danish DK finnish FI icelandic IS german DE austrian AT swiss CH french FR italian IT spanish ES portuguese PT dutch NL belgian BE polish PL ' +
    'czech CZ hungarian HU romanian RO greek GR turkish TR british GB irish IE american US canadian CA australian AU japanese JP korean KR brazilian BR mexican MX indian IN'
  )
    .split(/ (?=[a-z])/)
    .map((pair): [string, string] => [pair.slice(0, -3), pair.slice(-2)]),
)
const NATION = /(?<!\bin )\b[a-z]{4,10}\b(?![ -](?:language|speaking|speakers?)\b)/gi

type Added = Extract<ShareChange, { kind: 'more' | 'less' }>

/** What a clause adds to a plan, by channels, words and ids, kinds of delivery or price, and places, of which one product has to have all; undefined: it is read in another way. */
export function addedIn(clause: string): Added | undefined {
  const verb = ADDS.exec(clause)?.[0]
  if (verb === undefined) return undefined
  const wanted = clause.slice(verb.length)
  if (SAYS_MORE.test(withoutIds(wanted)) || /\d/.test(withoutIds(wanted)) || orderTermsIn(clause).length > 0) return undefined
  if (countriesExcludedIn(clause).countries.length > 0 || languagesIn(clause).length > 0 || !namesPlacesPlainly(clause))
    return undefined
  const nations: string[] = []
  const lists = placeListsIn(wanted)
  const unplaced = lists.reduceRight((text, { start, end }) => `${text.slice(0, start)} ${text.slice(end)}`, wanted)
  const rest = unplaced.replace(NATION, (word) => {
    const country = NATIONAL.get(word.toLowerCase())
    if (country === undefined) return word
    nations.push(country)
    return ' '
  })
  const countries = [...new Set([...lists.flatMap(({ codes }) => codes), ...nations])]
  const meets = kindWishes(wanted).map(({ label, satisfies }) => ({
    label,
    satisfies: (product: Product) => satisfies(product, () => true),
  }))
  const named = changesOf(`add ${rest.replace(KINDS, ' ').trim()}`)
  const [change] = named
  if (named.length > 1 || (change && change.kind !== 'more')) return undefined
  // A word that is no part of a plan by itself may say anything.
  if (countries.length + meets.length === 0 && !(change && namesPart(change))) return undefined
  return {
    ...(change ?? { kind: 'more', channels: [], terms: [], ids: [] }),
    text: clause.trim(),
    ...(countries.length > 0 && { countries }),
    ...(meets.length > 0 && { meets }),
  }
}
