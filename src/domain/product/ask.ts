import type { ShareChange } from './ask-changes.ts'
import { type BudgetAsk, type PartTargeting, readClause } from './ask-clause.ts'
import { withChangesApart, withFigures, withPercents } from './ask-figures.ts'
import type { PriceAsk } from './ask-price.ts'
import { partIn } from './ask-subject.ts'
import type { Wish } from './ask-wishes.ts'
import { carriedIn } from './brief-hints.ts'
import { wordsOf } from './brief-terms.ts'
import { withMonthNames } from './figure-dates.ts'
import type { PlanTargeting } from './limited-plan.ts'
import { placeListsIn, withNamedPlaces } from './named-places.ts'
import { type OrderTerm, orderTermsIn } from './order-terms.ts'
import { placeProductsIn } from './place-products.ts'
import { hasAmountsByPlace } from './place-shares.ts'
import { type NamedProduct, type NamesIn, withoutNames } from './product-names.ts'

/** A free-text ask as it was understood: every clause of it is in one of the lists. */
export interface Ask {
  readonly wishes: readonly Wish[]
  readonly changes: readonly ShareChange[]
  readonly prices: readonly PriceAsk[]
  readonly budget?: BudgetAsk
  /** Languages and a cap that a plan may carry. */
  readonly carried: PlanTargeting
  /** The same for a part of it alone. */
  readonly ofParts: readonly PartTargeting[]
  /** Whether it wants no frequency cap. */
  readonly uncapped: boolean
  /** What it says of the order, each once. */
  readonly ordered: readonly OrderTerm[]
  /** Clauses on how much is to run in places, as the buyer wrote them: nothing has shares of places. */
  readonly placeShares: readonly string[]
  /** The ask without these. */
  readonly wanted: string
  /** Dates in figures that may mean other days, as the buyer wrote them; absent: none. */
  readonly unclearDates?: string
  /** Clauses that no rule reads, as the buyer wrote them. */
  readonly unread: readonly string[]
}

/** Cuts an ask into clauses, so that "drop display and add video" is two. A comma or point within a number ("50,000", "0.01") cuts nothing. */
const CLAUSE =
  /\.(?!\d)|[;!?\n]|,(?!(?:\d{3}|00)(?!\d)|\d{1,2}\s?(?:[km€£$]|mio|million|thousand|[tmk]?kr|kron[ao]r?|eur|euro|sek|nok|dkk|usd|gbp)(?![a-z\d]))\s*(?:(?:and|but)\s+)?|(?:\b(?:and|but|then)|\s[+&])\s+(?=(?:then\s+)?(?:drop|remove|without|exclude|add|more|less|fewer|shift|move|put|redistribute|raise|increase|reduce|cut|lower|decrease|keep|leave|swap|replace|double|halve|only|just|cap|limit|make|set|spend|max|at most|no\b|\d{1,3}\s?%\s(?:off|discount|lower|less|cheaper)\b))/i

/** Clauses that are read: an ask of more is a brief, and every clause is answered. */
const MAX_CLAUSES = 25

/**
 * Reads an ask of `refine` (AdCP media-buy/get-products-request.json) by fixed rules: delivery and price kinds, channels, rates,
 * frequency caps, countries, prices, budget and shifts of shares. Deterministic: the same words always come to the same thing. Words in the names of products (`names`) are
 * about these products alone.
 */
export function readAsk(written: string, names: NamesIn = () => []): Ask {
  const { text, unclear } = withMonthNames(written)
  const ask = readNamed(text, names)
  return unclear === undefined ? ask : { ...ask, unclearDates: unclear }
}

function readNamed(text: string, names: NamesIn): Ask {
  const products = names(text)
  const isApart = ({ start, end }: NamedProduct) => products.every((each) => each.end <= start || each.start >= end)
  const named = [...products, ...placeProductsIn(text).filter(isApart)].sort((a, b) => a.start - b.start)
  if (named.length === 0) return readWords(text)
  const { text: unnamed, restored } = withoutNames(text, named)
  return restored(readWords(unnamed))
}

function readWords(text: string): Ask {
  const clauses = withChangesApart(withPercents(withNamedPlaces(text)))
    .split(CLAUSE)
    .flatMap(byFigure)
    .filter(
      (clause) =>
        wordsOf(clause).length > 0 || /\d/.test(clause) || orderTermsIn(clause).length > 0 || placeListsIn(clause).length > 0,
    )
  const isByAmount = hasAmountsByPlace(text)
  const read = clauses.slice(0, MAX_CLAUSES)
  const parts = read.map((clause) => readClause(clause, isByAmount))
  const placeShares = parts.flatMap(({ placeShare }) => placeShare ?? [])
  const [budget, ...others] = parts.flatMap((part) => part.budget ?? [])
  return {
    wishes: parts.flatMap(({ wishes }) => wishes),
    changes: parts.flatMap(({ changes }) => changes),
    prices: parts.flatMap(({ price }) => price ?? []),
    carried: carriedIn(read.filter((_, index) => parts[index]?.ofParts === undefined).join('\n')),
    ofParts: parts.flatMap(({ ofParts }) => ofParts ?? []),
    uncapped: parts.some(({ uncapped }) => uncapped),
    ordered: [...new Set(parts.flatMap(({ ordered }) => ordered))],
    placeShares,
    wanted: placeShares.length === 0 ? text : clauses.filter((_, index) => parts[index]?.placeShare === undefined).join('; '),
    unread: [
      ...parts.flatMap(({ unread }) => unread),
      // A plan has one budget.
      ...others.map(({ text }) => text),
      ...clauses.slice(MAX_CLAUSES).map((clause) => clause.trim()),
    ],
    ...(budget && { budget }),
  }
}

/** "display to 40% and CTV to 30%" and "70% video 30% display" are two clauses: each part has a figure of its own. */
function byFigure(clause: string): string[] {
  const parts = clause.split(/\band\b/i)
  if (parts.length > 1 && parts.every((part) => /\d\s?%/.test(withFigures(part)))) return parts
  const figures = clause.trim().split(/\s(?=\d{1,3}\s?%)/)
  return figures.every((part) => /\d\s?%/.test(part) && partIn(part)) ? figures : [clause]
}
