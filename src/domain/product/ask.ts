import { changesOf, keptIn, type ShareChange, type Subject, subjectOf, wordsBesideIds } from './ask-changes.ts'
import { withFigures, withPercents } from './ask-figures.ts'
import { leftOf } from './ask-left.ts'
import { type PriceAsk, priceAskOf, withoutPrice } from './ask-price.ts'
import { excludedWish, type Wish, wishesOf } from './ask-wishes.ts'
import { capFigureIn, withoutNoCap } from './asked-cap.ts'
import { channelsIn, idsIn, withoutIds } from './brief-channels.ts'
import { carriedIn, hintsOf, languagesIn } from './brief-hints.ts'
import { bareBudgetOf } from './brief-money.ts'
import { wordsOf } from './brief-terms.ts'
import type { PlanTargeting } from './limited-plan.ts'
import { countriesExcludedIn, placeListsIn, withNamedPlaces } from './named-places.ts'
import { besideCap, isOrderTermAlone, type OrderTerm, orderTermsIn } from './order-terms.ts'
import { hasAmountsByPlace, isOfPlaceShares } from './place-shares.ts'
import { namesPlacesPlainly } from './plain-places.ts'
import { type NamesIn, withoutNames } from './product-names.ts'
import { inOrder } from './words-in-order.ts'

/** A free-text ask as it was understood: every clause of it is in one of the lists. */
export interface Ask {
  readonly wishes: readonly Wish[]
  readonly changes: readonly ShareChange[]
  readonly prices: readonly PriceAsk[]
  /** `of`: the clause, where it names channels that the money is for. Without a currency it is in that of what is asked about. */
  readonly budget?: { readonly amount: number; readonly currency?: string; readonly of?: Subject }
  /** Languages and a cap that a plan may carry. */
  readonly carried: PlanTargeting
  /** Whether it wants no frequency cap. */
  readonly uncapped: boolean
  /** What it says of the order, each once. */
  readonly ordered: readonly OrderTerm[]
  /** Clauses on how much is to run in places, as the buyer wrote them: nothing has shares of places. */
  readonly placeShares: readonly string[]
  /** The ask without these. */
  readonly wanted: string
  /** Clauses that no rule reads, as the buyer wrote them. */
  readonly unread: readonly string[]
}

/** Cuts an ask into clauses, so that "drop display and add video" is two. A comma or point within a number ("50,000", "0.01") cuts nothing. */
const CLAUSE =
  /\.(?!\d)|[;!?\n]|,(?!(?:\d{3}|00)(?!\d))\s*(?:and\s+)?|\band\s+(?=drop|remove|without|exclude|add|more|less|fewer|shift|move|put|redistribute|raise|increase|reduce|cut|lower|decrease|keep|leave|no\b|\d{1,3}\s?%\s(?:off|discount|lower|less|cheaper)\b)/i

/** Clauses that are read: an ask of more is a brief, and every clause is answered. */
const MAX_CLAUSES = 25

/**
 * Reads an ask of `refine` (AdCP media-buy/get-products-request.json) by fixed rules: delivery and price kinds, channels, rates,
 * frequency caps, countries, prices, budget and shifts of shares. Deterministic: the same words always come to the same thing. Words in the names of products (`names`) are
 * about these products alone.
 */
export function readAsk(text: string, names: NamesIn = () => []): Ask {
  const named = names(text)
  if (named.length === 0) return readWords(text)
  const { text: unnamed, restored } = withoutNames(text, named)
  return restored(readWords(unnamed))
}

function readWords(text: string): Ask {
  const clauses = withPercents(withNamedPlaces(text))
    .split(CLAUSE)
    .flatMap(byFigure)
    .filter(
      (clause) =>
        wordsOf(clause).length > 0 || /\d/.test(clause) || orderTermsIn(clause).length > 0 || placeListsIn(clause).length > 0,
    )
  const isByAmount = hasAmountsByPlace(text)
  const parts = clauses.slice(0, MAX_CLAUSES).map((clause) => readClause(clause, isByAmount))
  const placeShares = parts.flatMap(({ placeShare }) => placeShare ?? [])
  const budget = parts.find((part) => part.budget)?.budget
  return {
    wishes: parts.flatMap(({ wishes }) => wishes),
    changes: parts.flatMap(({ changes }) => changes),
    prices: parts.flatMap(({ price }) => price ?? []),
    carried: carriedIn(text),
    uncapped: parts.some(({ uncapped }) => uncapped),
    ordered: [...new Set(parts.flatMap(({ ordered }) => ordered))],
    placeShares,
    wanted: placeShares.length === 0 ? text : clauses.filter((_, index) => parts[index]?.placeShare === undefined).join('; '),
    unread: [...parts.flatMap(({ unread }) => unread), ...clauses.slice(MAX_CLAUSES).map((clause) => clause.trim())],
    ...(budget && { budget }),
  }
}

/** "display to 40% and CTV to 30%" is two clauses: each part has a figure of its own. */
function byFigure(clause: string): string[] {
  const parts = clause.split(/\band\b/i)
  return parts.every((part) => /\d\s?%/.test(withFigures(part))) ? parts : [clause]
}

/** Whether a clause says what should stay as it is: "keep the CTV", "no discount needed". */
function isKept(clause: string): boolean {
  return (
    /\b(?:keep|retain|leave(?! out))\b|\bdo(?:n['’]t| not) (?:touch|change)\b/i.test(clause) ||
    inOrder(clause, /\bno\b/i, /\b(?:needed|necessary|required)\b/i)
  )
}

/** What is read of a clause that says nothing else. */
const NOTHING = { changes: [], price: undefined, budget: undefined, ordered: [], unread: [] } as const

function readClause(clause: string, isByAmount: boolean): Clause {
  const capped = withoutNoCap(clause)
  if (capped !== undefined) {
    const isAll = wordsOf(capped).length === 0 && !/\d/.test(capped)
    return { ...(isAll ? { ...NOTHING, wishes: [] } : readClause(capped, isByAmount)), uncapped: true }
  }
  const { countries: excluded, rest } = countriesExcludedIn(clause)
  if (isOfPlaceShares(rest, isByAmount))
    return { ...NOTHING, wishes: excluded.length > 0 ? [excludedWish(excluded)] : [], placeShare: rest.trim() }
  if (excluded.length === 0) return readOther(clause)
  const isAll = wordsOf(rest).length === 0 && !/\d/.test(rest)
  const other = isAll ? { ...NOTHING, wishes: [] } : readOther(rest)
  // "Denmark instead of Norway" is done whole or not at all.
  const instead = other.wishes.flatMap(({ countries = [] }) => countries)
  return { ...other, wishes: [excludedWish(excluded, instead), ...other.wishes] }
}

interface Clause {
  readonly placeShare?: string
  readonly uncapped?: true
  readonly wishes: readonly Wish[]
  readonly changes: readonly ShareChange[]
  readonly price: PriceAsk | undefined
  readonly budget: Ask['budget'] | undefined
  readonly ordered: readonly OrderTerm[]
  readonly unread: readonly string[]
}

/** More or less of a country: a plan has shares of products. */
const MORE_OR_LESS = /\b(?:less|fewer|reduce|cut|lower|decrease|more|increase|raise|shift|move)\b/i

function readOther(clause: string): Clause {
  if (isKept(clause) && !/\d|\b(?:only|just)\b/i.test(clause)) return { ...NOTHING, wishes: [], changes: keptIn(clause) }
  // How much a budget brings is no share of it, and no price.
  const isVolume =
    /\b(?:impressions?|reach|clicks|views|conversions|grps?)\b/i.test(clause) && !/\d\s?%\s?(?:off|discount)/i.test(clause)
  const wished = wishesOf(clause)
  // "completion rate above 80%" is no share of the video, and "no guaranteed delivery" drops nothing by its words.
  const isCondition = wished.some(({ rate, negated }) => rate === true || (negated === true && channelsIn(clause).length === 0))
  const asked = isVolume || isCondition ? [] : changesOf(clause)
  // "drop the sports video" is about less than the whole channel.
  const isNarrow = asked.some((change) => change.kind === 'drop' && change.terms.length + change.ids.length > 0)
  const isShare = asked.some(({ kind }) => kind === 'set')
  const wishes = wished.filter(({ without, negated }) => !((without || negated) && (isNarrow || isShare)))
  const channels = channelsIn(clause)
  const parts = [...channels, ...idsIn(clause)]
  const price = priceAskOf(clause, parts)
  const isLimit = wishes.some(isAboutPrice)
  // An amount has a figure.
  // A bid is the price of one order, which no plan has.
  const isBid = /\bbids?\b/i.test(clause)
  const isAmount = !isLimit && !isBid && /\d/.test(clause)
  const named = isAmount ? hintsOf(withoutPrice(clause)).budget : undefined
  const bare = isAmount && !named && !price ? bareBudgetOf(clause)?.amount : undefined
  const money = named ?? (bare === undefined ? undefined : { amount: bare })
  const budget: Ask['budget'] = money && { ...money, ...(parts.length > 0 && { of: subjectOf(clause) }) }
  // "10% lower CPM on video" asks for a price, not for less video, and "increase the budget to $30K" for a budget.
  const isOfCountries = MORE_OR_LESS.test(clause) && parts.length === 0 && placeListsIn(clause).length > 0
  const isTermAlone = isOrderTermAlone(clause) || namesLanguageAlone(clause)
  // "lower the frequency to 2 a day" is about the cap, not about less of a product.
  const changes = price || isLimit || isBid || budget || isOfCountries || isTermAlone ? [] : asked
  const read = wishes.length > 0 || changes.length > 0 || price !== undefined || budget !== undefined || isTermAlone
  // Products may take a cap; a cap in figures is set by the order.
  const ordered = orderTermsIn(clause).filter((term) => term !== 'frequency cap' || !wishes.some(({ cap }) => cap))
  // A place beside a word that is not known may be wanted or not.
  const isRead = read && namesPlacesPlainly(withoutIds(clause))
  const isOfParts = parts.length > 0 && (budget !== undefined || price !== undefined || wishes.some(({ channels: of }) => of))
  const left = () =>
    leftOf(clause, {
      budget: budget !== undefined,
      currency: budget?.currency,
      price: price !== undefined || isLimit,
      places: isOfCountries || wishes.some(({ countries }) => countries),
      channels: isOfParts,
      kinds: wishes.some(({ rate, cap, kind }) => rate ?? cap ?? kind) || ordered.includes('frequency cap'),
      dates: ordered.includes('dates'),
    })
  // A change has the other words of its clause as what it is about.
  const isWhole = changes.length > 0 || isTermAlone
  return {
    wishes,
    price,
    changes,
    budget,
    ordered,
    unread: !isRead ? [unreadOf(clause)] : isWhole ? changes.flatMap(wordsBesideIds) : left(),
  }
}

/** What is not read of a clause: a cap in figures is, whatever stands beside it. */
function unreadOf(clause: string): string {
  const others = capFigureIn(clause) === undefined ? [] : besideCap(clause)
  return others.length > 0 ? others.join(' ') : clause.trim()
}

/** "in Swedish", "for Swedish speakers": nothing else is said. */
function namesLanguageAlone(clause: string): boolean {
  const languages = languagesIn(clause)
  return (
    languages.length > 0 &&
    wordsOf(clause).every((word) => languages.includes(word) || /^(?:language|speaking|speaker|speakers|users)$/.test(word))
  )
}

function isAboutPrice({ price }: Wish): boolean {
  return price === true
}
