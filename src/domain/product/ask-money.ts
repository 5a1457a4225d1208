import { bareAmountIn, budgetOf, crownsIn, withoutBareAmount, withoutBudget } from './brief-money.ts'
import { placeListsIn } from './named-places.ts'

/** Money that an ask names, in major units. Without `currencies` it is in that of what is asked about. */
export interface AskedMoney {
  readonly amount: number
  /** ISO 4217; several where the word that stands beside it is that of several ("kr"). */
  readonly currencies?: readonly string[]
}

/** The first amount of money of a clause. `isBare`: a number of which nothing is said counts, too. */
export function moneyAsked(clause: string, { isBare = false } = {}): AskedMoney | undefined {
  const named = budgetOf(clause)
  if (named) return { amount: named.amount, currencies: [named.currency] }
  const crowns = crownsIn(
    clause,
    placeListsIn(clause).flatMap(({ codes }) => codes),
  )
  if (crowns) return { amount: crowns.amount, currencies: crowns.currencies }
  const bare = isBare ? bareAmountIn(clause) : undefined
  return bare === undefined ? undefined : { amount: bare }
}

/** A clause without that; `by` stands for it. */
export function withoutMoney(clause: string, by: string): string {
  const rest = withoutBudget(clause, by)
  return rest === clause ? withoutBareAmount(clause, by) : rest
}

/** Whether money is in a currency, or may be. */
export function isIn({ currencies }: AskedMoney, currency: string): boolean {
  return currencies?.includes(currency) ?? true
}

/** How a clause means an amount of money beside a budget that there is: added to it, taken from it, or a limit of it. Undefined: it is the budget. */
export type MoneyChange = 'more' | 'less' | 'most' | 'least'

const IS_TOTAL = /\b(?:to|at|of|is|be|for)\s*(?:about |around |roughly |approximately )?$/i
const IS_MOST =
  /\b(?:at most|(?:no|not) more than|less than|under|below|within|up to|max(?:imum)?(?: of)?|not exceed(?:ing)?|cap(?:ped)?(?: it)? at)\s*$/i
const IS_LEAST = /\b(?:at least|(?:no|not) less than|more than|over|above|min(?:imum)?(?: of)?)\s*$/i
const ADDS = /\b(?:increase|raise|add|extra|additional|another|more|plus|top up)\b|\+\s*$/i
const TAKES = /\b(?:reduce|cut|lower|decrease|less|minus|save|deduct|subtract|take off)\b|(?:^|\s)[-\u2212\u2013]\s*$/i
const ADDS_AFTER = /^\s*(?:more|extra|additional|on top|higher)\b/i
const TAKES_AFTER = /^\s*(?:less|fewer|lower|off)\b/i

/** What the words around the money of a clause say of it. */
export function moneyChangeOf(clause: string): MoneyChange | undefined {
  const [before = '', after = ''] = withoutMoney(clause, '\n').split('\n')
  const isRise = ADDS.test(before)
  if (IS_MOST.test(before)) return isRise && /\bup to\s*$/i.test(before) ? undefined : 'most'
  if (IS_LEAST.test(before)) return 'least'
  if (ADDS_AFTER.test(after)) return 'more'
  if (TAKES_AFTER.test(after)) return 'less'
  if (IS_TOTAL.test(before)) return undefined
  if (isRise) return 'more'
  return TAKES.test(before) ? 'less' : undefined
}
