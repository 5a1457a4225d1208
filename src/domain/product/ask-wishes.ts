import { partIn, type Subject } from './ask-subject.ts'
import { channelsIn, withoutIds } from './brief-channels.ts'
import { hintsOf } from './brief-hints.ts'
import { moneyIn } from './brief-money.ts'
import { howToExclude, howToLimit, runsOnlyIn } from './only-places.ts'
import { HOW_TO_SET, namesCapFigure, orderTermsIn } from './order-terms.ts'
import type { TakesTargeting } from './overlay-support.ts'
import { namesPlacesPlainly } from './plain-places.ts'
import { isAbout, nameOf } from './plan-draft.ts'
import { isFixedPrice, type Product } from './product.ts'

/** One wish of an ask that can be decided: which products satisfy it, and its name for the answer. */
export interface Wish {
  readonly label: string
  readonly satisfies: (product: Product, takes: TakesTargeting) => boolean
  /** Channels that it is about. */
  readonly channels?: readonly string[]
  /** Whether it is about a kind of delivery or of price. */
  readonly kind?: true
  /** Whether it is a limit of prices. */
  readonly price?: true
  /** Whether it leaves out a whole channel. */
  readonly without?: true
  /** Whether it is about a rate, whose figure is no share. */
  readonly rate?: true
  /** Whether it is about frequency caps. */
  readonly cap?: true
  /** Whether it is what the clause does not want. */
  readonly negated?: true
  /** Countries outside of which nothing is to run. */
  readonly only?: readonly string[]
  /** Countries that it is about. */
  readonly countries?: readonly string[]
  /** Countries where nothing is to run. */
  readonly not?: readonly string[]
  /** Countries that take the place of these; absent: none do. */
  readonly instead?: readonly string[]
  /** The part of a plan that has to meet it; absent: all of it. */
  readonly of?: Subject | undefined
}

/** A wish that a part of a plan has to meet, and nothing else. */
export function ofPart(wish: Wish, of: Subject | undefined): Wish {
  if (!of) return wish
  return {
    ...wish,
    of,
    label: wish.not ? `no ${nameOf(of)} that runs in ${wish.not.join(', ')} alone` : `${wish.label}, of ${nameOf(of)}`,
    satisfies: (product, takes) => !isAbout(product, of) || wish.satisfies(product, takes),
  }
}

/** Nothing is to run in some countries: products that run nowhere else do not satisfy it; those that run elsewhere too need targeting. */
export function excludedWish(countries: readonly string[], instead: readonly string[] = []): Wish {
  return {
    not: countries,
    ...(instead.length > 0 && { instead }),
    label: `nothing that runs in ${countries.join(', ')} alone`,
    satisfies: (product) => !runsOnlyIn(product, countries),
  }
}

/** Why a wish is met by none of some products, which are named by `of`: "of the plan", "here". */
export function noneMeets({ label, not, without, negated: isNegated, countries, channels = [] }: Wish, of: string): string {
  if (not) return `each product ${of} runs in ${not.join(', ')} alone`
  if (without) return `dropping ${channels.join(', ')} would leave no product ${of === 'here' ? of : 'in the plan'}`
  if (isNegated) return `each product ${of} has ${label.slice('no '.length)}`
  if (countries) return `no product ${of} has ${label}`
  return channels.length > 0 ? `no product ${of} is ${channels.join(' or ')}` : `no product ${of} has ${label}`
}

/** The countries that the wishes want delivery in alone; undefined where they want none so. */
export function onlyCountries(wishes: readonly Wish[]): readonly string[] | undefined {
  return wishes.findLast(({ only, of }) => only && !of)?.only
}

/** What of the wishes products do not keep by themselves: delivery in some countries alone is targeting of the order. */
export function limitRefusals(wishes: readonly Wish[], all: readonly Product[], takes: TakesTargeting): string[] {
  return wishes.flatMap(({ only, not, of }) => {
    const products = of ? all.filter((product) => isAbout(product, of)) : all
    const name = of ? ` of ${nameOf(of)}` : ''
    const packages = of && { whose: `the packages${name} alone` }
    const without = not && howToExclude(not, products, takes, packages)
    if (not && without) return [`delivery${name} outside ${not.join(', ')} alone is not part of it: ${advised(without)}`]
    const how = only && howToLimit(only, products, takes, packages)
    return only && how ? [`delivery${name} in ${only.join(', ')} alone is not part of it: ${advised(how)}`] : []
  })
}

/** How something is had, as what to send; where nothing here has it, the reason alone. */
function advised(how: string): string {
  return how.startsWith('targeting_overlay') ? `send ${how}` : how
}

/** The conditions that one clause of an ask makes: delivery and price kinds, frequency caps, exclusivity, rates, prices, countries, channels. */
export function wishesOf(clause: string): Wish[] {
  const wishes = [...kindWishes(clause), ...rateWishes(clause)]
  const isNegated = /\b(?:no|not|without|drop|exclude|excluding|remove|avoid)\b(?! (?:less|more|fewer)\b)/i.test(clause)
  // Where an order does not run is its own targeting.
  const places = isNegated ? [] : countryWishes(clause)
  const conditions = [...(isNegated ? wishes.map(negated) : wishes), ...places, ...priceWishes(clause)]
  if (conditions.length === 0 || wantsChannelsAlone(clause)) return [...conditions, ...channelWishes(clause)]
  const part = partIn(clause)
  return conditions.map((wish) => ofPart(wish, part))
}

const ALONE = /\b(?:only|just|exclusively|solely)\b/i

/** Whether channels are a condition beside others: "only video in Sweden", "guaranteed display only"; not "video only in Sweden", "80% completion on video only". */
function wantsChannelsAlone(clause: string): boolean {
  const word = ALONE.exec(clause)
  if (!word) return false
  const before = clause.slice(0, word.index)
  const after = clause.slice(word.index + word[0].length)
  if (channelsIn(before).length === 0) return channelsIn(after.split(/\b(?:in|for|on|to|at|with|from|of)\b/i)[0] ?? '').length > 0
  return after.trim() === '' && !/\b(?:on|for|of|in|with)\s(?:the\s)?\S+\s*$/i.test(before)
}

/** "no guaranteed delivery" wants the other products. */
function negated({ label, satisfies, ...wish }: Wish): Wish {
  return { ...wish, negated: true, label: `no ${label}`, satisfies: (product, takes) => !satisfies(product, takes) }
}

const CAP_SUPPORT = 'support for frequency caps'
const CAPS: Wish = {
  cap: true,
  label: `${CAP_SUPPORT} (this ask sets none: send ${HOW_TO_SET['frequency cap']})`,
  satisfies: (product, takes) => takes(product, 'frequency_cap'),
}

/** The wishes of an ask whose cap the plan carries into its packages. */
export function withCapCarried(wishes: readonly Wish[]): readonly Wish[] {
  return wishes.map((wish) => (wish.cap ? { ...wish, label: CAP_SUPPORT } : wish))
}

/** "less of the auction", "more guaranteed video" and "raise the auction bid" do not want what is such alone. */
const CHANGES_KIND = /\b(?:less|fewer|more|swap|replace|instead|raise|increase|lower|reduce|cut|shift|move|bids?)\b/i

/** Kinds of delivery and price, caps and exclusivity that a clause wants. */
export function kindWishes(clause: string): Wish[] {
  const wishes: Wish[] = []
  const isChanged = CHANGES_KIND.test(clause) && !ALONE.test(clause)
  if (isChanged) return isAboutCaps(clause) ? [CAPS] : []
  const isAuction = /\bauction\b/i.test(clause)
  if (isAuction || /\bnon[\s_-]guaranteed\b/i.test(clause)) {
    wishes.push({
      kind: true,
      label: 'non-guaranteed delivery',
      satisfies: ({ offer }) => offer.delivery_type === 'non_guaranteed',
    })
  } else if (/\bguaranteed\b/i.test(clause)) {
    wishes.push({ kind: true, label: 'guaranteed delivery', satisfies: ({ offer }) => offer.delivery_type === 'guaranteed' })
  }
  if (/\bfixed[\s-](price|pricing|cpm)\b/i.test(clause)) {
    wishes.push({ kind: true, label: 'a fixed price', satisfies: ({ offer }) => offer.pricing_options.some(isFixedPrice) })
  }
  if (isAboutCaps(clause)) {
    wishes.push(CAPS)
  }
  if (/\bexclusiv/i.test(clause)) {
    wishes.push({ kind: true, label: 'exclusivity', satisfies: ({ offer }) => (offer.exclusivity ?? 'none') !== 'none' })
  }
  return wishes
}

/** Whether products are to take caps; "three a day" alone is a cap that the order sets. */
function isAboutCaps(clause: string): boolean {
  return orderTermsIn(clause).includes('frequency cap') && (/\bsupport/i.test(clause) || !namesCapFigure(clause))
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
    rate: true,
    label: percent === undefined ? `a ${label} commitment` : `a ${label} of at least ${percent}%`,
    satisfies: ({ offer }) =>
      (offer.performance_standards ?? []).some((own) => own.metric === metric && own.threshold >= threshold),
  }))
}

/** "CPM below $20": some option of the model costs at most that. */
function priceWishes(clause: string): Wish[] {
  const model = /\b(cpm|vcpm|cpc|cpcv|cpv|cpp)s?\b/i.exec(clause)?.[1]?.toLowerCase()
  const cap = /\b(?:under|below|at most|less than|max(?:imum)?|up to)\b/i.test(clause) ? moneyIn(clause) : undefined
  if (model === undefined || !cap) return []
  return [
    {
      price: true,
      label: `${model.toUpperCase()} of at most ${cap.amount} ${cap.currency}`,
      satisfies: ({ offer }) =>
        offer.pricing_options.some((option) => {
          const price = option.fixed_price ?? ('floor_price' in option ? option.floor_price : undefined)
          return option.pricing_model === model && option.currency === cap.currency && price !== undefined && price <= cap.amount
        }),
    },
  ]
}

function countryWishes(written: string): Wish[] {
  const clause = withoutIds(written)
  const { countries, countriesAlone: alone = [] } = hintsOf(clause)
  const isShift =
    alone.length === 0 && /\b(?:less|fewer|reduce|cut|lower|decrease|more|increase|raise|shift|move)\b/i.test(clause)
  if (countries.length === 0 || isShift || !namesPlacesPlainly(clause)) return []
  return [
    {
      countries,
      ...(alone.length > 0 && { only: alone }),
      label: `coverage of ${countries.join(', ')}`,
      satisfies: ({ selling }) => {
        const own = selling.coverage.countries
        const isReached = (country: string) => own?.includes(country) ?? true
        // "only in Sweden and Norway" leaves out what runs in neither; what runs in one is within them.
        return alone.length > 0 ? alone.some(isReached) : countries.every(isReached)
      },
    },
  ]
}

/** "only video", "no display": channels are a condition only when the clause makes them one. */
function channelWishes(clause: string): Wish[] {
  const channels = channelsIn(clause)
  if (channels.length === 0) return []
  const has = ({ offer }: Product) => (offer.channels ?? []).some((channel) => channels.includes(channel))
  if (/\b(no|without|drop|exclude|remove|avoid)\b(?! (?:more|less|fewer)\b)/i.test(clause)) {
    return [{ without: true, channels, label: `without ${channels.join(', ')}`, satisfies: (product) => !has(product) }]
  }
  return /\b(only|just|exclusively|solely)\b/i.test(clause)
    ? [{ channels, label: `only ${channels.join(', ')}`, satisfies: has }]
    : []
}
