import { addedIn } from './ask-adds.ts'
import { changesOf, keptIn, type ShareChange, wordsBesideIds } from './ask-changes.ts'
import { withChangeWords } from './ask-figures.ts'
import { withKindIds, withKindsMet } from './ask-kinds.ts'
import { leftOf } from './ask-left.ts'
import { type AskedMoney, type MoneyChange, moneyAsked, moneyChangeOf, withoutMoney } from './ask-money.ts'
import { transferOf } from './ask-moves.ts'
import { type PriceAsk, priceAskOf, withoutPrice } from './ask-price.ts'
import { partIn, type Subject } from './ask-subject.ts'
import { excludedWish, ofPart, type Wish, wishesOf } from './ask-wishes.ts'
import { capFigureIn, withoutCapFigure, withoutNoCap } from './asked-cap.ts'
import { withoutIds } from './brief-channels.ts'
import { languagesIn } from './brief-hints.ts'
import { bareBudgetOf } from './brief-money.ts'
import { wordsOf } from './brief-terms.ts'
import { countriesExcludedIn, placeListsIn } from './named-places.ts'
import { besideCap, isOrderTermAlone, namesCapFigure, type OrderTerm, orderTermsIn, withoutOrderTerms } from './order-terms.ts'
import { isOfPlaceShares } from './place-shares.ts'
import { namesPlacesPlainly } from './plain-places.ts'
import { inOrder } from './words-in-order.ts'

/** What a plan is to cost, or how that changes. Without currencies the money is in that of what is asked about. */
export interface BudgetAsk extends AskedMoney {
  readonly text: string
  readonly change?: MoneyChange
  /** Where the words name a part of a plan that the money is for. */
  readonly of?: Subject
}

/** Targeting that is wanted for a part of a plan alone: some of its products, or some places. */
export interface PartTargeting {
  readonly dimension: 'frequency_cap' | 'language'
  /** Undefined: all products. */
  readonly of: Subject | undefined
  readonly text: string
}

/** A clause of an ask as it was understood. */
export interface Clause {
  readonly placeShare?: string
  readonly uncapped?: true
  readonly ofParts?: readonly PartTargeting[]
  readonly wishes: readonly Wish[]
  readonly changes: readonly ShareChange[]
  readonly price: PriceAsk | undefined
  readonly budget: BudgetAsk | undefined
  readonly ordered: readonly OrderTerm[]
  readonly unread: readonly string[]
}

/** What is read of a clause that says nothing else. */
const NOTHING = {
  wishes: [],
  changes: [],
  price: undefined,
  budget: undefined,
  ordered: [],
  unread: [],
} as const satisfies Clause

/** Reads a clause. `isByAmount`: whether its ask has amounts of money at places. */
export function readClause(clause: string, isByAmount: boolean): Clause {
  const capped = withoutNoCap(clause)
  if (capped !== undefined) return withoutCapOf(clause, capped, isByAmount)
  const { countries: excluded, rest } = countriesExcludedIn(clause)
  if (isOfPlaceShares(rest, isByAmount)) {
    return { ...NOTHING, wishes: excluded.length > 0 ? [excludedWish(excluded)] : [], placeShare: rest.trim() }
  }
  if (excluded.length === 0) return readWanted(clause)
  const part = partIn(rest)
  const other = isNothing(rest) || (part && saysPartAlone(rest)) ? NOTHING : readWanted(rest)
  // "Denmark instead of Norway" is done whole or not at all.
  const instead = other.wishes.flatMap(({ countries = [] }) => countries)
  return { ...other, wishes: [ofPart(excludedWish(excluded, instead), part), ...other.wishes] }
}

/** "drop the cap" is about the whole plan, "drop the cap for display" about a part of it, whose packages have none of their own. */
function withoutCapOf(clause: string, rest: string, isByAmount: boolean): Clause {
  const of = partIn(rest)
  if (of || placeListsIn(rest).length > 0) {
    const isRead = saysPartAlone(rest) || !of
    return { ...NOTHING, ...(isRead ? { ofParts: [partOf('frequency_cap', of, clause)] } : { unread: [clause.trim()] }) }
  }
  return { ...(isNothing(rest) ? NOTHING : readClause(rest, isByAmount)), uncapped: true }
}

function partOf(dimension: PartTargeting['dimension'], of: Subject | undefined, clause: string): PartTargeting {
  return { dimension, of, text: clause.trim() }
}

function isNothing(text: string): boolean {
  return wordsOf(text).length === 0 && !/\d/.test(text)
}

/** Whether a text says no more than which products are meant: "on display only". */
function saysPartAlone(text: string): boolean {
  const isRead =
    leftOf(text, { budget: false, price: false, places: true, channels: true, kinds: false, dates: false }).length === 0
  return isRead && changesOf(text).length === 0
}

/** More or less of a country: a plan has shares of products. */
const MORE_OR_LESS = /\b(?:less|fewer|reduce|cut|lower|decrease|more|increase|raise|shift|move)\b/i

/** A clause that leaves out no countries by their names alone. What is not read is quoted in the buyer's words. */
function readWanted(written: string): Clause {
  const clause = withChangeWords(written)
  const read = readInEnglish(clause)
  return { ...read, unread: read.unread.map((text) => (text === clause.trim() ? written.trim() : text)) }
}

function readInEnglish(clause: string): Clause {
  if (isKept(clause) && !/\d|\b(?:only|just)\b/i.test(clause)) return { ...NOTHING, changes: keptIn(clause) }
  const transfer = transferOf(withKindIds(clause) ?? clause)
  if (transfer) {
    const changes = transfer.change ? withKindsMet([transfer.change]) : []
    return { ...NOTHING, changes, unread: changes.length > 0 ? changes.flatMap(wordsBesideIds) : [clause.trim()] }
  }
  const added = addedIn(clause)
  if (added) return { ...NOTHING, changes: [added], unread: wordsBesideIds(added) }
  const part = partIn(clause)
  const places = placeListsIn(clause)
  if (namesCapFigure(clause) && (part || places.length > 0)) return capOf(part, clause)
  if (part && places.length > 0 && LEAVES_OUT.test(clause)) return leftOutThere(part, clause)
  return readOther(clause, part)
}

/** Whether a clause says what should stay as it is: "keep the CTV", "no discount needed". */
function isKept(clause: string): boolean {
  return (
    /\b(?:keep|retain|leave(?! out))\b|\bdo(?:n['’]t| not) (?:touch|change)\b/i.test(clause) ||
    inOrder(clause, /\bno\b/i, /\b(?:needed|necessary|required)\b/i)
  )
}

/** "3 a day on display": nothing else may be said with it. */
function capOf(part: Subject | undefined, clause: string): Clause {
  const rest = withoutOrderTerms(withoutCapFigure(clause))
  const isCapAlone = /\b(?:caps?|capp|frequen)/i.test(rest) || changesOf(rest).length === 0
  const isRead = isCapAlone && !/\d/.test(rest) && !LEAVES_OUT.test(rest)
  const left = leftOf(clause, { budget: false, price: false, places: true, channels: true, kinds: true, dates: false })
  return isRead
    ? { ...NOTHING, ofParts: [partOf('frequency_cap', part, clause)], ordered: ['frequency cap'], unread: left }
    : { ...NOTHING, ofParts: [], unread: [clause.trim()] }
}

const LEAVES_OUT = /\b(?:drop|remove|exclude|without|take out|cut out|no|not|avoid)\b/i

/** "drop video in Norway": what of the part runs there alone leaves, the rest of it is to stay out of the place. */
function leftOutThere(part: Subject, clause: string): Clause {
  const codes = [...new Set(placeListsIn(clause).flatMap((list) => list.codes))]
  const isRead =
    !/\d/.test(withoutIds(clause)) &&
    !/\b(?:only|just|but|keep)\b/i.test(clause) &&
    saysPartAlone(clause.replace(LEAVES_OUT, ' '))
  return isRead ? { ...NOTHING, wishes: [ofPart(excludedWish(codes), part)] } : { ...NOTHING, unread: [clause.trim()] }
}

/** What a clause is to cost; undefined where it names no amount. A bid is the price of one order, which no plan has. */
function budgetIn(clause: string, part: Subject | undefined, isPriced: boolean): BudgetAsk | undefined {
  if (!/\d/.test(clause)) return undefined
  const unpriced = withoutPrice(clause)
  const bare = isPriced ? undefined : bareBudgetOf(clause)?.amount
  const isLone = !isPriced && isNothing(withoutMoney(unpriced, ' ').replace(LONE, ' '))
  const money = moneyAsked(unpriced, { isBare: isLone }) ?? (bare === undefined ? undefined : { amount: bare })
  const change = money && !isPriced ? moneyChangeOf(unpriced) : undefined
  return money && { ...money, text: clause.trim(), ...(change && { change }), ...(part && { of: part }) }
}

/** Words beside an amount that says what is to be spent: "make it 15k". */
const LONE =
  /\b(?:make it|go (?:with|for)|budget|in total|instead|rather|now|set|at most|max(?:imum)?|min(?:imum)?|total|overall|altogether)\b/gi

function readOther(clause: string, part: Subject | undefined): Clause {
  // How much a budget brings is no share of it, and no price.
  const isVolume =
    /\b(?:impressions?|reach|clicks|views|conversions|grps?)\b/i.test(clause) && !/\d\s?%\s?(?:off|discount)/i.test(clause)
  const parts = part ? [...part.channels, ...part.ids] : []
  const asksPrice = priceAskOf(clause, parts)
  const language = part && languagesIn(clause).length > 0
  // A price and a language of a part have no other conditions than whose they are.
  const wished = wishesOf(clause).filter(
    ({ channels, countries }) => !((asksPrice && (channels ?? countries)) || (language && channels)),
  )
  // "completion rate above 80%" is no share of the video, and "no guaranteed delivery" drops nothing by its words.
  const isCondition = wished.some(({ rate, negated }) => rate === true || negated === true)
  const ofKind = isVolume || wished.some(({ rate }) => rate === true) ? [] : sharesOfKindIn(clause)
  const asked = ofKind.length > 0 ? ofKind : isVolume || isCondition ? [] : changesOf(clause)
  // "drop the sports video" is about less than the whole channel.
  const isNarrow = asked.some((change) => change.kind === 'drop' && change.terms.length + change.ids.length > 0)
  const isShare = asked.some(({ kind }) => kind !== 'drop')
  // "only 20% video" and "10% more on video only" want no other channel out.
  const wishes = wished.filter(
    ({ without, negated, channels, kind }) =>
      !((without || negated || channels) && (isNarrow || isShare)) && !(kind && ofKind.length > 0),
  )
  const isLimit = wishes.some(({ price }) => price === true)
  const isBid = /\bbids?\b/i.test(clause)
  const budget = isLimit || isBid ? undefined : budgetIn(clause, part, asksPrice !== undefined)
  const places = placeListsIn(clause)
  // "10% lower CPM on video" asks for a price, not for less video, and "increase the budget to $30K" for a budget.
  const isOfCountries = MORE_OR_LESS.test(clause) && !part && places.length > 0
  const isTermAlone = isOrderTermAlone(clause) || namesLanguageAlone(clause)
  // "lower the frequency to 2 a day" is about the cap, not about less of a product.
  const changes = asksPrice || isLimit || isBid || budget || isOfCountries || isTermAlone ? [] : asked
  const read =
    wishes.length > 0 || changes.length > 0 || asksPrice !== undefined || budget !== undefined || isTermAlone || language
  // Products may take a cap; a cap in figures is set by the order.
  const ordered = orderTermsIn(clause).filter((term) => term !== 'frequency cap' || !wishes.some(({ cap }) => cap))
  // A place beside a word that is not known may be wanted or not.
  const isRead = read && namesPlacesPlainly(withoutIds(clause))
  const isOfParts =
    part !== undefined &&
    (budget !== undefined || asksPrice !== undefined || language || wishes.some(({ of, channels }) => of ?? channels))
  // "drop the auction" is a condition that says with its verb what it leaves out.
  const isLeftOut = wishes.some(({ negated }) => negated === true)
  const left = () =>
    leftOf(isLeftOut ? clause.replace(LEAVES_OUT, ' ') : clause, {
      budget: budget !== undefined,
      currency: budget?.currencies?.length === 1 ? budget.currencies[0] : undefined,
      price: asksPrice !== undefined || isLimit,
      places: isOfCountries || asksPrice !== undefined || wishes.some(({ countries, not }) => countries ?? not),
      channels: isOfParts === true,
      kinds: wishes.some(({ rate, cap, kind }) => rate ?? cap ?? kind) || ordered.includes('frequency cap'),
      dates: ordered.includes('dates'),
    })
  // A change has the other words of its clause as what it is about.
  const isWhole = changes.length > 0 || isTermAlone
  const unread = !isRead ? [unreadOf(clause)] : isWhole ? changes.flatMap(wordsBesideIds) : left()
  const isUnclear = isRead && unread.length > 0 && !budget
  // Money for a part may go to it, from it, or between parts.
  if (budget?.of && unread.length > 0) return { ...NOTHING, unread: [clause.trim()] }
  const price = asksPrice && {
    ...asksPrice,
    ...(part && { of: part }),
    ...(places.length > 0
      ? { unclear: 'a price is of a product, not of a place' }
      : isUnclear
        ? { unclear: `"${unread.join('", "')}" is not understood` }
        : {}),
  }
  return {
    wishes,
    price,
    changes,
    budget,
    ordered,
    ...(language && { ofParts: [partOf('language', part, clause)] }),
    unread,
  }
}

/** "add 10% guaranteed display" is about a share of what is such, and no condition of all that the plan holds. */
function sharesOfKindIn(clause: string): readonly ShareChange[] {
  const named = withKindIds(clause)
  if (named === undefined) return []
  const changes = withKindsMet(changesOf(named))
  return changes.every(({ kind }) => kind !== 'drop' && kind !== 'keep') ? changes : []
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
