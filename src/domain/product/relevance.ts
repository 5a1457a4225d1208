import type { Flight } from '../calendar/flight.ts'
import type { Brief } from './brief.ts'
import { idsIn, withoutIds } from './brief-channels.ts'
import type { BriefHints } from './brief-hints.ts'
import { termsOf } from './brief-terms.ts'
import { durationFault, minimumSpend, type Product, whyNotForFlight } from './product.ts'
import { type FieldName, matchesOf, type ProductIndex } from './product-index.ts'

const WHERE: Readonly<Record<FieldName, string>> = {
  channel: 'channel',
  delivery: 'delivery type',
  pricing: 'price',
  place: 'place',
  name: 'name',
  keyword: 'topics',
  audience: 'audience',
  format: 'formats',
  description: 'description',
}

/** Most fields that one sentence names: more says less. */
const MAX_WORDS = 6

export interface RelevanceOptions {
  /** Index that the product is in. */
  readonly index: ProductIndex
  /** Whether the caller may know prices; without, nothing is said of money. */
  readonly prices: boolean
  /** What the publisher's own ranking says of the product, in place of what matched. */
  readonly reason?: string | undefined
  /** The flight that the question is about; absent: it names none. */
  readonly flight?: Flight | undefined
}

/** Says in words why a product answers a brief (AdCP core/product.json, `brief_relevance`). */
export function relevanceOf(
  product: Product,
  { text, terms, wordOf, hints }: Brief,
  { index, prices, reason, flight }: RelevanceOptions,
): string {
  const isNamed = text.includes(product.id) && idsIn(text).includes(product.id)
  const beside = isNamed ? new Set(termsOf(withoutIds(text))) : undefined
  const matches = matchesOf(index, product.id, beside ? terms.filter((term) => beside.has(term)) : terms)
  const groups = new Map<FieldName, string[]>()
  const near: string[] = []
  for (const { term, fields, isNear } of matches) {
    const [field] = fields
    const word = wordOf.get(term) ?? term
    if (isNear) near.push(word)
    else if (field) groups.set(field, [...(groups.get(field) ?? []), word])
  }
  const parts = [...groups].map(([field, words]) => `${WHERE[field]} (${words.slice(0, MAX_WORDS).join(', ')})`)
  if (near.length > 0) parts.push(`subjects near to it (${near.slice(0, MAX_WORDS).join(', ')})`)
  const placed = placeSentence(product, hints)
  const matched = isNamed
    ? `Named by its id.${parts.length > 0 ? ` Matches the rest of the brief by ${listed(parts)}.` : ''}`
    : parts.length > 0
      ? `Matches the brief by ${listed(parts)}.`
      : isReached(product, hints)
        ? 'Found by place alone.'
        : 'The brief names nothing that this inventory is known by; listed because too little matches the brief.'
  const timed = durationFault(product, flight)
  const sentences = [
    reason ?? matched,
    ...placed,
    ...(timed === undefined ? [] : [`It ${timed}: its package has start_time and end_time of its own.`]),
    ...(prices ? budgetSentence(product, hints, flight) : []),
  ]
  return sentences.join(' ')
}

function isReached({ selling }: Product, { countries }: BriefHints): boolean {
  return countries.some((country) => selling.coverage.countries?.includes(country) ?? true)
}

function placeSentence({ selling }: Product, { countries }: BriefHints): string[] {
  const own = selling.coverage.countries
  if (!own || countries.length === 0) return []
  const covered = countries.filter((country) => own.includes(country))
  return [covered.length > 0 ? `Reaches ${covered.join(', ')}.` : `Reaches ${own.join(', ')}, not ${countries.join(', ')}.`]
}

function budgetSentence({ offer }: Product, { budget }: BriefHints, flight: Flight | undefined): string[] {
  if (!budget) return []
  const options = offer.pricing_options.filter((option) => option.currency === budget.currency)
  if (options.length === 0) return [`Not priced in ${budget.currency}.`]
  const forFlight = options.filter((option) => !whyNotForFlight(option, flight))
  // What is not sold for so long is bought for a part of these days.
  if (forFlight.length === 0) return []
  const least = Math.min(...forFlight.map((option) => minimumSpend(option, flight)))
  const isForFlight = least > Math.min(...options.map((option) => minimumSpend(option)))
  const needs = `Needs at least ${least} ${budget.currency}${isForFlight ? ' for these days' : ''}`
  if (least > budget.amount) return [`${needs}, more than the budget of ${budget.amount}.`]
  return [`Fits the budget of ${budget.amount} ${budget.currency}.`]
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
