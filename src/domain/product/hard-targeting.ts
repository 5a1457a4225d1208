import { splitNegations } from './brief-negation.ts'
import { readPart } from './brief-terms.ts'
import { withNamedPlaces } from './named-places.ts'
import { countriesAloneIn } from './only-places.ts'
import type { KeepsTargeting } from './overlay-support.ts'
import { takesOf } from './overlay-support.ts'
import type { Product } from './product.ts'
import type { FrequencyCap, TargetingOverlay } from './targeting-overlay.ts'

/** What a brief demands of delivery in words that leave no choice, as AdCP 3.2 core/targeting.json has it (`targeting_resolution.brief_targeting`). */
export interface HardTargeting {
  /** ISO 3166-1 alpha-2. */
  readonly geo_countries?: readonly string[]
  /** Where nothing is to run, ISO 3166-1 alpha-2; no product is left out by it. */
  readonly geo_countries_exclude?: readonly string[]
  readonly demographics?: { readonly age: AgeRange }
  /** ISO 639-1, of an ask; no product is left out by it. */
  readonly language?: readonly string[]
  /** Of an ask; no product is left out by it. */
  readonly frequency_cap?: FrequencyCap
}

/** Whole years, both included (core/demographic-age-range.json). */
interface AgeRange {
  readonly min: number
  readonly max?: number
  readonly include_unknown: false
}

/** Words after which a brief leaves no choice of ages. */
const ONLY = /\b(?:only|exclusively|solely|strictly)\b/gi
/** Characters after such a word that are about it at most. */
const REACH = 120
/** What such a word is about ends here; not at the points of "U.S.". */
const END = /[;:!?\n()]|\.(?=\s|$)|\b(?:only|exclusively|solely|strictly|but|except|with|on|for|from|via)\b/i
const AGED = /\b(?:ages?|aged|adults|year[- ]?olds?|years)\b/i
const AGES = /\b(\d{1,2})\s?(?:-|–|to|through|and)\s?(\d{1,2})\b/
const AGE_FROM = /\b(\d{2})\s?(?:\+|plus\b|(?:years )?(?:and|or) (?:over|older|above)\b)/

/**
 * The countries and ages that a brief says delivery is limited to ("only in the US", "strictly adults aged 25 to 54"); undefined where it limits none. What is named without
 * such a word is a wish. Cities and regions are not read: their names stand for more than one area. Time grows with the length of the brief.
 */
export function hardTargetingIn(brief: string): HardTargeting | undefined {
  const text = splitNegations(withNamedPlaces(readPart(brief))).wanted
  const countries = countriesAloneIn(text)
  let age: AgeRange | undefined
  for (const { index, 0: word } of text.matchAll(ONLY)) {
    if (/\bnot\s+$/i.test(text.slice(Math.max(0, index - 6), index))) continue
    const after = text.slice(index + word.length, index + word.length + REACH)
    age ??= ageIn(after.slice(0, END.exec(after)?.index ?? after.length))
  }
  if (countries.length === 0 && !age) return undefined
  return { ...(countries.length > 0 && { geo_countries: countries }), ...(age && { demographics: { age } }) }
}

function ageIn(part: string): AgeRange | undefined {
  if (!AGED.test(part) && !AGE_FROM.test(part)) return undefined
  const [, first, last] = AGES.exec(part) ?? []
  if (first !== undefined && last !== undefined && Number(first) <= Number(last))
    return { min: Number(first), max: Number(last), include_unknown: false }
  const [, from] = AGE_FROM.exec(part) ?? []
  return from === undefined ? undefined : { min: Number(from), include_unknown: false }
}

/** What the brief of a request demands, where no targeting of the request says it already. */
export function briefTargeting({
  buying_mode: mode,
  brief,
  targeting_overlay: overlay = {},
}: {
  readonly buying_mode?: string
  readonly brief?: string
  readonly targeting_overlay?: object
}): HardTargeting | undefined {
  const { geo_countries: countries, demographics } = (mode === 'brief' && hardTargetingIn(brief ?? '')) || {}
  const stated = Object.keys(overlay)
  const places = stated.some((name) => name.startsWith('geo_')) ? undefined : countries
  const ages = stated.includes('demographics') ? undefined : demographics
  return places || ages ? { ...(places && { geo_countries: places }), ...(ages && { demographics: ages }) } : undefined
}

/** How an answer confirms it (media-buy/get-products-targeting-resolution.json). */
export function resolution(hard: HardTargeting | undefined): object {
  return hard ? { targeting_resolution: { brief_targeting: hard } } : {}
}

/** Whether delivery of a product can be limited so: by what it is, or by the targeting of its packages. No product can be limited by age. */
export function keepsHard(product: Product, hard: HardTargeting, keepsOf: KeepsTargeting): boolean {
  if (hard.demographics) return false
  if (hard.geo_countries === undefined || isWithin(product, hard.geo_countries)) return true
  const own = product.selling.coverage.countries
  const overlaps = own === undefined || own.some((country) => hard.geo_countries?.includes(country))
  return overlaps && takesOf(keepsOf)(product, 'geo_countries')
}

/** Whether delivery of a product can be kept out of countries: it runs in none of them, or elsewhere too and its packages are targeted so. */
export function keepsOut(product: Product, countries: readonly string[], keepsOf: KeepsTargeting): boolean {
  if (!mayRunIn(product, countries)) return true
  return !isWithin(product, countries) && takesOf(keepsOf)(product, 'geo_countries_exclude')
}

/** The targeting by which a package of a product keeps it; without countries where the product reaches nothing else, or none that is left out. */
export function hardOverlay(
  product: Product | undefined,
  { geo_countries: countries = [], geo_countries_exclude: not = [], language = [], frequency_cap: cap }: HardTargeting,
): TargetingOverlay {
  return {
    ...(countries.length > 0 && product && !isWithin(product, countries) && { geo_countries: [...countries] }),
    ...(not.length > 0 && product && mayRunIn(product, not) && { geo_countries_exclude: [...not] }),
    ...(language.length > 0 && { language: [...language] }),
    ...(cap && { frequency_cap: cap }),
  }
}

/** Whether a product reaches one of these countries, or states none that it reaches. */
export function mayRunIn({ selling }: Product, countries: readonly string[]): boolean {
  return selling.coverage.countries?.some((country) => countries.includes(country)) ?? true
}

function isWithin({ selling }: Product, countries: readonly string[]): boolean {
  return selling.coverage.countries?.every((country) => countries.includes(country)) ?? false
}

/** What an answer says of it in words. */
export function hardNotes(hard: HardTargeting | undefined): string[] {
  const { geo_countries: countries, demographics } = hard ?? {}
  if (!demographics)
    return countries
      ? [
          `The brief wants delivery in ${countries.join(', ')} alone: what cannot be limited so is left out. Without "only" it is listed.`,
        ]
      : []
  const { min, max } = demographics.age
  const ages = max === undefined ? `${min} and over` : `${min} to ${max}`
  return [
    `The brief limits delivery to people aged ${ages}: no product can be limited by age, so none is offered. Ask for the audience without "only".`,
  ]
}
