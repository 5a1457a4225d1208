import type { Subject } from './ask-subject.ts'
import { inOrder } from './words-in-order.ts'

/** Another price than the listed one, as an ask wants it. */
export type PriceAsk = OfPrice &
  (
    | { readonly kind: 'percent'; readonly percent: number }
    /** `price` in major units; `model` is the pricing model, such as `cpm`. */
    | { readonly kind: 'amount'; readonly price: number; readonly model: string }
    /** Lower, without a figure. */
    | { readonly kind: 'lower' }
  )

interface OfPrice {
  readonly text: string
  /** Whose price; absent: that of all that is asked about. */
  readonly of?: Subject
  /** Why it cannot be told whose; absent: it can. */
  readonly unclear?: string
}

/** "5% off", "half off"; not "sound off". */
const OFF = '(?<=(?:\\d|%|half|money|something)\\s{0,2})off'
const PRICE = new RegExp(
  `\\b(?:cpms?|vcpms?|cpcs?|cpcvs?|cpvs?|cpps?|prices?|pricing|rates?|costs?|cheaper|cheap|discount|discounted|rebate|${OFF}|expensive)\\b`,
  'i',
)
const LOWER = new RegExp(
  `\\b(?:lower|less|cheaper|cheap|discount|discounted|rebate|${OFF}|below|under|reduce|reduced|cut|better|decrease|expensive)\\b`,
  'i',
)
const OF_BUDGET = /\b(?:total|overall|budget|spend)\b/i
/** "20% lower with a budget of $5,000", not "20% less budget". */
const PERCENT_LESS = /%\s?(?:lower|less|cheaper|off|discount)\b(?!\s(?:total|overall|budget|spend)\b)/i

/** "10% lower on video": of shares there is less, or a lower budget. */
const LOWER_ON = /%\s?(?:lower|cheaper)\s(?:on|for)\b(?!\s(?:the\s)?(?:total|overall|budget|spend)\b)/i

/** "$15 CPM", "15 USD CPM". Starts at the beginning of a number alone, so that a row of digits is read once. */
const AMOUNT_MODEL = /(?<![\d.,])(\d{1,9}(?:\.\d{1,4})?)\s?(?:usd|eur|gbp|[$€£])?\s?(v?cpm|cpcv|cpc|cpv|cpp)s?\b/i
/** "CPM of $15", "cpm at 15". */
const MODEL_AMOUNT =
  /\b(v?cpm|cpcv|cpc|cpv|cpp)s?\s(?:of\s|at\s|to\s|for\s)?(?:usd\s?|eur\s?|gbp\s?|[$€£])?(\d{1,9}(?:\.\d{1,4})?)(?![\d%])/i

/**
 * What a clause says of the price: how many per cent less, a price for a model, or just less. Undefined when it says nothing of it; a limit
 * ("CPM below $20") chooses among products and is none.
 */
export function priceAskOf(clause: string, channels: readonly string[]): PriceAsk | undefined {
  const text = clause.trim()
  if (inOrder(clause, /\b(?:no|not|without)\b/i, /\b(?:discount|rebate|cheaper|lower)/i)) return undefined
  const named = PRICE.test(clause) || LOWER_ON.test(clause)
  const percent = /(\d{1,3})\s?%/.exec(clause)?.[1]
  const lower = LOWER.test(clause)
  if (
    percent !== undefined &&
    lower &&
    Number(percent) < 100 &&
    (named || (channels.length === 0 && (PERCENT_LESS.test(clause) || !OF_BUDGET.test(clause))))
  ) {
    return { kind: 'percent', percent: Number(percent), text }
  }
  if (/\b(?:under|below|at most|less than|max(?:imum)?|up to)\b/i.test(clause)) return undefined
  const amount = amountOf(clause)
  if (amount) return { kind: 'amount', ...amount, text }
  return percent === undefined && named && lower ? { kind: 'lower', text } : undefined
}

/** The clause without its price (`by`: what stands for it), so that what remains of it in figures is a budget. */
export function withoutPrice(clause: string, by = ' '): string {
  return clause.replace(AMOUNT_MODEL, by).replace(MODEL_AMOUNT, by)
}

function amountOf(clause: string): { price: number; model: string } | undefined {
  const before = AMOUNT_MODEL.exec(clause)
  const after = before ? null : MODEL_AMOUNT.exec(clause)
  const [price, model] = before ? [before[1], before[2]] : after ? [after[2], after[1]] : []
  return price === undefined || model === undefined ? undefined : { price: Number(price), model: model.toLowerCase() }
}
