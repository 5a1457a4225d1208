import { type AskedDays, daysNotes } from './asked-days.ts'
import type { NamedMedia } from './brief-channels.ts'
import type { BriefHints } from './brief-hints.ts'
import { unclearDates } from './figure-dates.ts'
import { mayRunIn } from './hard-targeting.ts'
import type { PlanTargeting } from './limited-plan.ts'
import { howToLimit, howToTargetRegions } from './only-places.ts'
import { type OrderTerm, orderTermsNotes } from './order-terms.ts'
import type { TakesTargeting } from './overlay-support.ts'
import { isOfferedTo, type Product } from './product.ts'
import type { ProductFilters } from './product-filters.ts'
import type { ProductIndex } from './product-index.ts'
import { unreadPlaceNotes } from './unread-places.ts'

export interface Asked {
  /** Of the brief; undefined in other modes. */
  readonly hints: BriefHints | undefined
  readonly countries: readonly string[] | undefined
  readonly startDate: string | undefined
  readonly endDate: string | undefined
  /** The days of the question, of its brief too. */
  readonly days?: AskedDays | undefined
  /** Whether the proposals of the answer are limited to the countries that its brief wants alone. */
  readonly plansLimited?: boolean
  /** Whether they are kept out of the countries where its brief wants nothing to run. */
  readonly plansKeptOut?: boolean
  /** The products of the proposals of the answer. */
  readonly planned?: readonly Product[]
  /** Whether a proposal of the answer lacks a cap that its question wanted, now or before. */
  readonly missesCap?: boolean
  /** What all proposals of the answer carry into their packages of languages and a cap. */
  readonly carried?: PlanTargeting
  /** The media that the question names. */
  readonly media?: readonly NamedMedia[]
}

/** The places and days that filters name. */
export function askedIn({ countries, start_date: startDate, end_date: endDate }: ProductFilters = {}) {
  return { countries, startDate, endDate }
}

export interface Offering {
  readonly index: ProductIndex
  readonly principalId: string | undefined
  /** What orders of products may name of targeting. */
  readonly takes: TakesTargeting
  /** The products of this answer. */
  readonly shown: readonly Product[]
  /** What would answer at other dates, best first. */
  readonly atOtherDates: () => readonly Product[]
}

/** The most products that a sentence names. */
const MOST_NAMED = 4

/**
 * What a question names that nothing on offer has, a sentence each: places, a language, dates, the currency of the budget, terms of the order. An answer that leaves it out would
 * let a buyer believe that its products have it.
 */
export function unreached(asked: Asked, offering: Offering): string[] {
  return [
    ...unclearDates(asked.days?.source === 'filters' ? undefined : asked.hints?.unclearDates),
    ...unreadPlaceNotes(asked.hints?.unreadPlaces),
    ...placeNotes(asked, offering),
    ...mediaNotes(asked.media, offering),
    ...unplannedNotes(asked, offering),
    ...widerNotes(asked.hints, offering),
    ...daysNotes(asked.days, offering.shown),
    ...dateNotes(asked, offering),
    ...languageNotes(asked, offering),
    ...currencyNotes(asked, offering),
    ...moneyNotes(asked),
    // Days that are known are part of the answer.
    ...orderTermsNotes(
      termsOf(asked).filter(
        (term) => (term !== 'dates' || asked.days === undefined) && (term !== 'frequency cap' || !asked.carried?.frequency_cap),
      ),
      offering.shown,
      offering.takes,
      {
        alone: asked.hints?.countriesAlone,
        not: asked.hints?.countriesNot,
        isKeptOut: asked.plansKeptOut,
        regionsAlone: asked.hints?.regionsAlone,
        regionsNot: asked.hints?.regionsNot,
        isPlanned: asked.plansLimited,
        carried: asked.carried,
      },
    ),
  ]
}

function termsOf({ hints, missesCap = false }: Asked): OrderTerm[] {
  return [...new Set([...(hints?.orderTerms ?? []), ...(missesCap ? (['frequency cap'] as const) : [])])]
}

/** Which of the places that a question names nothing on offer reaches, and what is reached, in a sentence. */
export function placeNotes(
  { hints, countries = [] }: Pick<Asked, 'hints'> & Partial<Pick<Asked, 'countries'>>,
  { index, principalId }: Pick<Offering, 'index' | 'principalId'>,
): string[] {
  const wanted = [...new Set([...(hints?.countries ?? []), ...countries])]
  if (wanted.length === 0) return []
  const reached = new Set<string>()
  for (const sample of index.kinds.inUse) {
    if (!isOfferedTo(sample, principalId)) continue
    const own = sample.selling.coverage.countries
    if (own === undefined) return []
    for (const country of own) reached.add(country)
  }
  const missing = wanted.filter((country) => !reached.has(country))
  if (missing.length === 0) return []
  return [
    `Nothing here reaches ${missing.join(', ')}; what is offered reaches ${[...reached].sort().join(', ') || 'no country'}.`,
  ]
}

/** Which of the media that a question names nothing on offer is, and what is offered, in a sentence. */
export function mediaNotes(
  media: readonly NamedMedia[] = [],
  { index, principalId }: Pick<Offering, 'index' | 'principalId'>,
): string[] {
  if (media.length === 0) return []
  const offered = new Set<string>()
  for (const { offer, ...sample } of index.kinds.inUse) {
    if (isOfferedTo({ offer, ...sample }, principalId)) for (const channel of offer.channels ?? []) offered.add(channel)
  }
  const missing = media.filter(({ channels }) => !channels.some((channel) => offered.has(channel)))
  if (missing.length === 0 || offered.size === 0) return []
  const names = [...new Set(missing.map(({ name }) => name))].slice(0, MOST_NAMED)
  return [`Nothing here is ${names.join(', ')}; what is offered is ${[...offered].sort().join(', ')}.`]
}

/** Which of the places that products reach none of the proposals reaches. */
function unplannedNotes({ hints, countries = [], planned = [] }: Asked, { shown }: Offering): string[] {
  if (planned.length === 0) return []
  const wanted = [...new Set([...(hints?.countries ?? []), ...countries])]
  const missing = wanted.filter((country) => {
    const isThere = (product: Product) => mayRunIn(product, [country])
    return shown.some(isThere) && !planned.some(isThere)
  })
  return missing.length === 0 ? [] : [`No proposal reaches ${missing.join(', ')}; products of this answer do.`]
}

/** More places are not repeated. */
const MOST_PLACES = 20

/** Places that a brief names without "only" choose products, and limit no delivery: said where products run beyond them. */
export function widerNotes(hints: BriefHints | undefined, { shown, takes }: Pick<Offering, 'shown' | 'takes'>): string[] {
  const { countries = [], countriesAlone, regions = [], regionsAlone } = hints ?? {}
  const reaching = shown.filter((product) => mayRunIn(product, countries))
  if (countriesAlone || regionsAlone || reaching.length === 0 || countries.length + regions.length > MOST_PLACES) return []
  const how = howToLimit(countries, reaching, takes, { saysWider: false })
  const within = regions.length > 0 ? howToTargetRegions(regions, 'geo_regions', reaching, takes) : undefined
  return [
    ...(how === undefined ? [] : [`${countries.join(', ')} alone: ${how}`]),
    ...(within === undefined ? [] : [`${regions.join(', ')} alone: ${within}`]),
  ].map((part) => `Places choose products; with "only" they limit delivery. ${part}.`)
}

function dateNotes({ startDate, endDate, hints }: Asked, { index, shown, atOtherDates }: Offering): string[] {
  const first = startDate ?? endDate
  const last = endDate ?? startDate
  if (first === undefined || last === undefined) return []
  const isOff = ({ selling: { availableFrom: from = first, availableUntil: until = last } }: Product) =>
    from > first || until < last
  if (shown.length > 0) {
    // Asked only where a product has days of its own: the search is made once more for it.
    if (!hints || !index.products.some(isOff)) return []
    const answers = atOtherDates()
    const best = answers.findIndex((product) => shown.includes(product))
    const nearer = answers.slice(0, best === -1 ? MOST_NAMED : best).filter(isOff)
    return nearer.length === 0
      ? []
      : [`Nearer to the brief and not on sale from ${first} to ${last}: ${nearer.slice(0, MOST_NAMED).map(datesOf).join('; ')}.`]
  }
  const others = atOtherDates().slice(0, MOST_NAMED).map(datesOf)
  if (others.length === 0) return []
  return [`Nothing is available from ${first} to ${last}; at other dates: ${others.join('; ')}.`]
}

function datesOf({ id, offer, selling: { availableFrom: from, availableUntil: until, dailyCapacity } }: Product): string {
  const ends = [until, offer.expires_at?.slice(0, 10)].filter((day) => day !== undefined).toSorted()[0]
  const days = `${from === undefined ? '' : ` from ${from}`}${ends === undefined ? '' : ` until ${ends}`}`
  return `${id}${days}, up to ${dailyCapacity} impressions a day`
}

function languageNotes({ hints, carried }: Asked, { shown, takes }: Offering): string[] {
  const { languages = [] } = hints ?? {}
  if (languages.length === 0 || carried?.language) return []
  const how = shown.some((product) => takes(product, 'language'))
    ? `${languages.join(', ')} is targeting_overlay.language of a package`
    : 'none of these can be targeted by language'
  return [`No product states a language: ${how}.`]
}

/** What is not read is not within any budget: the buyer has to hear it. */
export function moneyNotes({ hints }: Pick<Asked, 'hints'>, filters = 'filters'): string[] {
  const { unitPrice, rate, rateBeside } = hints ?? {}
  return [
    ...(rateBeside === undefined
      ? []
      : [`"${rateBeside}" was not used: a plan has a budget for all of its days, and keeps no limit by day, click or the like.`]),
    ...(rate === undefined
      ? []
      : [
          `"${rate}" was not read as a budget, which is what is spent in all: name the whole amount, or send ${filters}.budget_range.`,
        ]),
    ...(unitPrice === undefined
      ? []
      : [
          `"${unitPrice}" is no budget, and chooses no products: their rows have the prices; a lower one is asked of a product by refine.`,
        ]),
  ]
}

function currencyNotes({ hints }: Asked, { shown, principalId }: Offering): string[] {
  const currency = hints?.budget?.currency
  if (currency === undefined || principalId === undefined || shown.length === 0) return []
  const priced = shown.filter(({ offer }) => offer.pricing_options.some((option) => option.currency === currency))
  if (priced.length === shown.length) return []
  if (priced.length === 0) return [`Nothing on this page is priced in ${currency}.`]
  const names = (products: readonly Product[]) =>
    products
      .slice(0, MOST_NAMED)
      .map(({ id }) => id)
      .join(', ')
  if (priced.length <= MOST_NAMED)
    return [`Priced in ${currency} on this page: ${names(priced)}; the rest is in other currencies.`]
  const others = shown.filter((each) => !priced.includes(each))
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : ''
  return [`Not priced in ${currency} on this page: ${names(others)}${more}; the rest is.`]
}
