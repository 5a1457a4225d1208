import { textAfter } from '../text-after.ts'
import { hintsOf } from './brief-hints.ts'
import { synonymsOf, termsOf } from './brief-terms.ts'
import { isFixedPrice, type Product } from './product.ts'

/** One wish of an ask that can be decided: which products satisfy it, and its name for the answer. */
export interface Wish {
  readonly label: string
  readonly satisfies: (product: Product) => boolean
}

/** A change of a plan's shares. Channels as in AdCP enums/channels. */
export type ShareChange =
  | { readonly kind: 'set'; readonly channels: readonly string[]; readonly percent: number }
  | { readonly kind: 'drop'; readonly channels: readonly string[]; readonly text: string }
  | { readonly kind: 'more'; readonly channels: readonly string[] }
  | { readonly kind: 'scale'; readonly factor: number }

/** A free-text ask as it was understood. Empty lists mean that nothing of it was. */
export interface Ask {
  readonly wishes: readonly Wish[]
  readonly changes: readonly ShareChange[]
  readonly budget?: { readonly amount: number; readonly currency: string }
}

/** Cuts an ask into clauses, so that "drop display and add video" is two. */
const CLAUSE =
  /[.;!\n]|,\s*(?:and\s+)?|\band\s+(?=drop|remove|without|exclude|add|more|less|fewer|shift|move|put|redistribute|no\b)/i

/**
 * Reads an ask of `refine` (AdCP media-buy/get-products-request.json) by fixed rules: delivery and price kinds, channels, rates,
 * frequency caps, countries, budget and shifts of shares. Deterministic: the same words always come to the same thing.
 */
export function readAsk(text: string): Ask {
  const clauses = text.split(CLAUSE).filter((clause) => clause.trim() !== '')
  const { budget } = hintsOf(text)
  return {
    wishes: clauses.flatMap(wishesOf),
    changes: clauses.flatMap(changesOf),
    ...(budget && { budget }),
  }
}

function wishesOf(clause: string): Wish[] {
  const wishes: Wish[] = []
  if (/\bnon[\s_-]guaranteed\b|\bauction\b/i.test(clause)) {
    wishes.push({ label: 'non-guaranteed delivery', satisfies: ({ offer }) => offer.delivery_type === 'non_guaranteed' })
  } else if (/\bguaranteed\b/i.test(clause)) {
    wishes.push({ label: 'guaranteed delivery', satisfies: ({ offer }) => offer.delivery_type === 'guaranteed' })
  }
  if (/\bfixed[\s-](price|pricing|cpm)\b/i.test(clause)) {
    wishes.push({ label: 'a fixed price', satisfies: ({ offer }) => offer.pricing_options.some(isFixedPrice) })
  }
  if (/\bfrequency[\s-]cap/i.test(clause)) {
    wishes.push({ label: 'frequency capping', satisfies: ({ selling }) => selling.targeting.frequencyCap })
  }
  if (/\bexclusiv/i.test(clause)) {
    wishes.push({ label: 'exclusivity', satisfies: ({ offer }) => (offer.exclusivity ?? 'none') !== 'none' })
  }
  wishes.push(...rateWishes(clause), ...priceWishes(clause), ...countryWishes(clause), ...channelWishes(clause))
  return wishes
}

const RATES: readonly (readonly [pattern: RegExp, metric: string, label: string])[] = [
  [/completion[\s-]rate|\bcompletion\b|\bvcr\b/i, 'completion_rate', 'completion rate'],
  [/viewab/i, 'viewability', 'viewability'],
  [/brand[\s-]safe/i, 'brand_safety', 'brand safety'],
]

/** "completion rate above 80%": the product commits to at least that. */
function rateWishes(clause: string): Wish[] {
  const percent = /(\d{1,3}(?:\.\d+)?)\s?%/.exec(clause)?.[1]
  const threshold = percent === undefined ? 0 : Number(percent) / 100
  return RATES.filter(([pattern]) => pattern.test(clause)).map(([, metric, label]) => ({
    label: percent === undefined ? `a ${label} commitment` : `a ${label} of at least ${percent}%`,
    satisfies: ({ offer }) =>
      (offer.performance_standards ?? []).some((own) => own.metric === metric && own.threshold >= threshold),
  }))
}

/** "CPM below $20": some option of the model costs at most that. */
function priceWishes(clause: string): Wish[] {
  const model = /\b(cpm|vcpm|cpc|cpcv|cpv|cpp)s?\b/i.exec(clause)?.[1]?.toLowerCase()
  const cap = /\b(?:under|below|at most|less than|max(?:imum)?|up to)\b/i.test(clause) ? hintsOf(clause).budget : undefined
  if (model === undefined || !cap) return []
  return [
    {
      label: `${model.toUpperCase()} of at most ${cap.amount} ${cap.currency}`,
      satisfies: ({ offer }) =>
        offer.pricing_options.some((option) => {
          const price = option.fixed_price ?? ('floor_price' in option ? option.floor_price : undefined)
          return option.pricing_model === model && option.currency === cap.currency && price !== undefined && price <= cap.amount
        }),
    },
  ]
}

function countryWishes(clause: string): Wish[] {
  const { countries } = hintsOf(clause)
  if (countries.length === 0) return []
  return [
    {
      label: `coverage of ${countries.join(', ')}`,
      satisfies: ({ selling }) => {
        const own = selling.coverage.countries
        return own === undefined || countries.every((country) => own.includes(country))
      },
    },
  ]
}

/** "only video", "no display": channels are a condition only when the clause makes them one. */
function channelWishes(clause: string): Wish[] {
  const channels = channelsIn(clause)
  if (channels.length === 0) return []
  const has = ({ offer }: Product) => (offer.channels ?? []).some((channel) => channels.includes(channel))
  if (/\b(no|without|drop|exclude|remove|avoid)\b/i.test(clause)) {
    return [{ label: `without ${channels.join(', ')}`, satisfies: (product) => !has(product) }]
  }
  return /\b(only|just|exclusively|solely)\b/i.test(clause) ? [{ label: `only ${channels.join(', ')}`, satisfies: has }] : []
}

function changesOf(clause: string): ShareChange[] {
  const channels = channelsIn(clause)
  const percent = Number(/(\d{1,3})\s?%/.exec(clause)?.[1] ?? Number.NaN)
  const ofTotal = (verb: RegExp) => /\b(?:total|overall|budget)\b/i.test(textAfter(clause, verb))
  if (ofTotal(/\b(?:reduce|cut|lower|decrease)\b/i) && channels.length === 0 && percent < 100) {
    return [{ kind: 'scale', factor: 1 - percent / 100 }]
  }
  if (ofTotal(/\b(?:raise|increase)\b/i) && channels.length === 0 && percent > 0) {
    return [{ kind: 'scale', factor: 1 + percent / 100 }]
  }
  if (/\b(drop|remove|without|exclude|take out|no)\b/i.test(clause)) return [{ kind: 'drop', channels, text: clause }]
  if (channels.length === 0) return []
  if (percent <= 100) return [{ kind: 'set', channels, percent }]
  return /\b(more|shift|towards?|increase|favou?r|emphasi[sz]e|redistribute)\b/i.test(clause) ? [{ kind: 'more', channels }] : []
}

/** Channels that a text names, by the synonyms of briefs. */
export function channelsIn(text: string): string[] {
  const terms = termsOf(text).flatMap(synonymsOf)
  return [...new Set(terms.filter((term) => term.startsWith('channel:')).map((term) => term.slice('channel:'.length)))]
}
