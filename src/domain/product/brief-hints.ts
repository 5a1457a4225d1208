import { capIn } from './asked-cap.ts'
import type { NamedMedia } from './brief-channels.ts'
import type { WantedDelivery } from './brief-delivery.ts'
import { type BriefMoney, budgetOf, crownsIn, kronorOf, looseBudgetIn, rateIn, unitPriceIn } from './brief-money.ts'
import { regionsNamedIn } from './brief-places.ts'
import { withMonthNames } from './figure-dates.ts'
import { languageCodeOf } from './language-codes.ts'
import type { PlanTargeting } from './limited-plan.ts'
import { countriesExcludedIn, placeListsIn } from './named-places.ts'
import { countriesLimitedIn } from './only-places.ts'
import { type OrderTerm, orderTermsIn } from './order-terms.ts'
import { clausesOf } from './place-shares.ts'
import { regionLimitsIn } from './region-limits.ts'
import type { FrequencyCap } from './targeting-overlay.ts'
import { type UnreadPlaces, unreadPlacesIn } from './unread-places.ts'

/** What a brief says in figures and places. */
export interface BriefHints {
  /** The kind of delivery that is wanted alone; absent: both will do. */
  readonly delivery?: WantedDelivery
  /** The kind that is wanted rather than the other one; absent: none is. */
  readonly leaning?: WantedDelivery
  /** The media that are wanted alone; absent: others will do too. */
  readonly mediaAlone?: readonly NamedMedia[]
  /** In major units of `currency`. */
  readonly budget?: BriefMoney
  /** An amount of money that may be in several currencies (ISO 4217), or in any where it names none, and is the budget where one of them alone is offered; absent: none. */
  readonly looseMoney?: LooseMoney
  /** Dates in figures that may mean other days, as they are written; absent: none. */
  readonly unclearDates?: string
  /** A price of a unit of the media, as it is written; absent: none. */
  readonly unitPrice?: string
  /** An amount for a day, a click or the like, as it is written, where no amount is the whole; absent: none. */
  readonly rate?: string
  /** The same where another amount is the whole; absent: none. */
  readonly rateBeside?: string
  /** ISO 3166-1 alpha-2. */
  readonly countries: readonly string[]
  /** Of these, those outside of which nothing is to run; absent: none is. */
  readonly countriesAlone?: readonly string[]
  /** Countries where nothing is to run; absent: none is named so. */
  readonly countriesNot?: readonly string[]
  /** ISO 3166-2, of the cities and states that are named; absent: none is. */
  readonly regions?: readonly string[]
  /** Of these, those outside of which nothing is to run; absent: none is. */
  readonly regionsAlone?: readonly string[]
  /** ISO 3166-2, where nothing is to run; absent: none is named so. */
  readonly regionsNot?: readonly string[]
  /** What names places in words that are not read; absent: nothing does. */
  readonly unreadPlaces?: readonly UnreadPlaces[]
  /** What it says of the order, not of what is sold; absent: nothing. */
  readonly orderTerms?: readonly OrderTerm[]
  /** The frequency cap that it names in figures; absent: none. */
  readonly cap?: FrequencyCap
  /** English names of languages, lower case; absent: none is named. */
  readonly languages?: readonly string[]
}

export interface LooseMoney {
  readonly amount: number
  readonly currencies?: readonly string[]
  readonly written: string
}

/** A code with points, which no list has. */
const UK = /\bU\.K\.(?![\p{L}\p{N}])/u

/** "in Swedish", "Swedish-speaking": without such a word the name of a language is a nationality. */
const LANGUAGE =
  /\bin (arabic|bengali|chinese|czech|danish|dutch|english|finnish|french|german|greek|hebrew|hindi|hungarian|italian|japanese|korean|mandarin|norwegian|polish|portuguese|romanian|russian|spanish|swedish|thai|turkish|ukrainian|vietnamese)\b(?! (?:cities|city|towns|homes|households|cinemas|stadiums|media|markets?|sites?|news|kroner?|kronor|krona|kr|crowns?|pounds?|money|currency|rubles?|lira|yen|yuan|rupees?|zloty|forint|koruna|shekels?|won))|\b(arabic|chinese|czech|danish|dutch|english|finnish|french|german|greek|hebrew|hindi|hungarian|italian|japanese|korean|norwegian|polish|portuguese|romanian|russian|spanish|swedish|turkish|ukrainian)[ -](?:language|speaking|speakers?)\b/gi

/** Reads the budget ("$50K", "EUR 20,000", "1.5M USD") and the countries that a brief names. */
export function hintsOf(brief: string): BriefHints {
  return hintsBeside(brief, withoutPlacesIn(brief))
}

/** The same where the places that it leaves out are known: in `rest`, and in nothing else, places are looked for. */
export function hintsBeside(
  brief: string,
  { countriesNot: not = [], regionsNot = [], unreadPlaces = [], rest: named }: ReturnType<typeof withoutPlacesIn>,
): BriefHints {
  const regions = regionsNamedIn(named)
  const { alone: regionsAlone } = regionLimitsIn(named)
  const dated = withMonthNames(brief)
  const orderTerms = orderTermsIn(dated.text)
  const languages = languagesIn(brief)
  const lists = placeListsIn(named)
  const listed = lists.flatMap(({ codes }) => codes)
  const countries = [...new Set([...(UK.test(brief) ? ['GB'] : []), ...listed, ...regions.map((region) => region.slice(0, 2))])]
  const alone = countriesLimitedIn(named, lists)
  const budget = budgetOf(brief) ?? kronorOf(brief, countries)
  const crowns = budget && 'unread' in budget ? crownsIn(brief, countries) : undefined
  const looseMoney = crowns ?? (budget ? undefined : looseBudgetIn(brief, clausesOf(brief)))
  const unitPrice = unitPriceIn(brief)
  const rate = rateIn(brief)
  const cap = capIn(brief)
  return {
    countries,
    ...(looseMoney && { looseMoney }),
    ...(unitPrice !== undefined && { unitPrice }),
    ...(dated.unclear !== undefined && { unclearDates: dated.unclear }),
    ...(rate !== undefined && (budget ? { rateBeside: rate } : { rate })),
    ...(cap && { cap }),
    ...(alone.length > 0 && { countriesAlone: alone }),
    ...(not.length > 0 && { countriesNot: not }),
    ...(regions.length > 0 && { regions }),
    ...(regionsAlone.length > 0 && { regionsAlone }),
    ...(regionsNot.length > 0 && { regionsNot }),
    ...(unreadPlaces.length > 0 && { unreadPlaces }),
    ...(orderTerms.length > 0 && { orderTerms }),
    ...(languages.length > 0 && { languages }),
    ...(budget && !('unread' in budget) && { budget }),
  }
}

/** English names of the languages that a text wants, lower case, each once. */
export function languagesIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(LANGUAGE), ([, after, before]) => (after ?? before ?? '').toLowerCase()))]
}

/** A text without the languages that it wants; `by` stands for each. */
export function withoutLanguages(text: string, by: string): string {
  return text.replaceAll(LANGUAGE, by)
}

/** The places of a text that it leaves out, or that nobody can tell of, and the text without them: what is read of it after that is wanted. */
export function withoutPlacesIn(
  text: string,
): Pick<BriefHints, 'countriesNot' | 'regionsNot' | 'unreadPlaces'> & { readonly rest: string } {
  const { countries: countriesNot, rest: inCountries } = countriesExcludedIn(text)
  const { not: regionsNot, rest: inRegions } = regionLimitsIn(inCountries)
  const { unread: unreadPlaces, rest } = unreadPlacesIn(inRegions)
  return {
    ...(countriesNot.length > 0 && { countriesNot }),
    ...(regionsNot.length > 0 && { regionsNot }),
    ...(unreadPlaces.length > 0 && { unreadPlaces }),
    rest,
  }
}

/** What of a text a plan carries into its packages where their ad servers keep it: languages and a cap. */
export function carriedIn(text: string): PlanTargeting {
  const cap = capIn(text)
  return carriedOf({ languages: languagesIn(text), ...(cap && { cap }) })
}

/** The same of its hints. */
export function carriedOf({ languages = [], cap }: Pick<BriefHints, 'languages' | 'cap'>): PlanTargeting {
  const codes = languages.flatMap((name) => languageCodeOf(name === 'mandarin' ? 'chinese' : name) ?? [])
  return {
    ...(codes.length > 0 && codes.length === languages.length && { language: [...new Set(codes)] }),
    ...(cap && { frequency_cap: cap }),
  }
}
