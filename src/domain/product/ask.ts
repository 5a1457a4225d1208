import { changesOf, type ShareChange, withFigures } from './ask-changes.ts'
import { type PriceAsk, priceAskOf, withoutPrice } from './ask-price.ts'
import { type Wish, wishesOf } from './ask-wishes.ts'
import { channelsIn } from './brief-channels.ts'
import { hintsOf } from './brief-hints.ts'
import { wordsOf } from './brief-terms.ts'
import { isOrderTermAlone, orderTermRefusal, orderTermsIn } from './order-terms.ts'
import { inOrder } from './words-in-order.ts'

/** A free-text ask as it was understood: every clause of it is in one of the lists. */
export interface Ask {
  readonly wishes: readonly Wish[]
  readonly changes: readonly ShareChange[]
  readonly prices: readonly PriceAsk[]
  readonly budget?: { readonly amount: number; readonly currency: string }
  /** What it says of the order, each with how it is had. */
  readonly ordered: readonly string[]
  /** Clauses that no rule reads, as the buyer wrote them. */
  readonly unread: readonly string[]
}

/** Cuts an ask into clauses, so that "drop display and add video" is two. A comma or point within a number ("50,000", "0.01") cuts nothing. */
const CLAUSE =
  /\.(?!\d)|[;!?\n]|,(?!\d{3}(?!\d))\s*(?:and\s+)?|\band\s+(?=drop|remove|without|exclude|add|more|less|fewer|shift|move|put|redistribute|raise|increase|reduce|cut|lower|decrease|keep|leave|no\b)/i

/** Clauses that are read: an ask of more is a brief, and every clause is answered. */
const MAX_CLAUSES = 25

/**
 * Reads an ask of `refine` (AdCP media-buy/get-products-request.json) by fixed rules: delivery and price kinds, channels, rates,
 * frequency caps, countries, prices, budget and shifts of shares. Deterministic: the same words always come to the same thing.
 */
export function readAsk(text: string): Ask {
  const clauses = text
    .split(CLAUSE)
    .flatMap(byFigure)
    .filter((clause) => wordsOf(clause).length > 0 || /\d/.test(clause) || orderTermsIn(clause).length > 0)
  const parts = clauses.slice(0, MAX_CLAUSES).map(readClause)
  const budget = parts.find((part) => part.budget)?.budget
  return {
    wishes: parts.flatMap(({ wishes }) => wishes),
    changes: parts.flatMap(({ changes }) => changes),
    prices: parts.flatMap(({ price }) => price ?? []),
    ordered: [...new Set(parts.flatMap(({ ordered }) => ordered))].map(orderTermRefusal),
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
  return /\b(?:keep|retain)\b/i.test(clause) || inOrder(clause, /\bno\b/i, /\b(?:needed|necessary|required)\b/i)
}

function readClause(clause: string) {
  if (isKept(clause) && !/\d|\b(?:only|just)\b/i.test(clause))
    return { wishes: [], changes: [], price: undefined, budget: undefined, ordered: [], unread: [] }
  // How much a budget brings is no share of it, and no price.
  const isVolume =
    /\b(?:impressions?|reach|clicks|views|conversions|grps?)\b/i.test(clause) && !/\d\s?%\s?(?:off|discount)/i.test(clause)
  const asked = isVolume ? [] : changesOf(clause)
  // "drop the sports video" is about less than the whole channel.
  const isNarrow = asked.some((change) => change.kind === 'drop' && change.terms.length > 0)
  const wishes = wishesOf(clause).filter(({ without }) => !without || !isNarrow)
  const channels = channelsIn(clause)
  const price = priceAskOf(clause, channels)
  const isLimit = wishes.some(isAboutPrice)
  const { budget } = isLimit ? {} : hintsOf(withoutPrice(clause))
  // "10% lower CPM on video" asks for a price, not for less video, and "increase the budget to $30K" for a budget.
  const changes = price || isLimit || (budget && channels.length === 0) ? [] : asked
  const read = wishes.length > 0 || changes.length > 0 || price !== undefined || budget !== undefined || isOrderTermAlone(clause)
  // A wish answers for the cap: products may take one.
  const ordered = orderTermsIn(clause).filter((term) => term !== 'frequency cap')
  return { wishes, price, changes, budget, ordered, unread: read ? [] : [clause.trim()] }
}

function isAboutPrice({ price }: Wish): boolean {
  return price === true
}
