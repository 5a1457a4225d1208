import { ownValue } from '../own-value.ts'

/** In major units of `currency` (ISO 4217). */
export interface BriefMoney {
  readonly amount: number
  readonly currency: string
}

/** Currencies (ISO 4217) as briefs write them. */
const CURRENCIES: Readonly<Record<string, string>> = {
  ...{
    $: 'USD',
    '€': 'EUR',
    '£': 'GBP',
    dollar: 'USD',
    euro: 'EUR',
    pound: 'GBP',
    livre: 'GBP',
    pfund: 'GBP',
    libra: 'GBP',
    zł: 'PLN',
    kč: 'CZK',
    '₹': 'INR',
  },
  ...Object.fromEntries(
    'usd eur gbp cad aud chf sek nok dkk jpy pln czk huf inr cny krw sgd nzd zar mxn brl isk hkd'
      .split(' ')
      .map((code) => [code, code.toUpperCase()]),
  ),
}
const CURRENCY = '[$€£₹]|\\b(?:usd|eur|gbp|cad|aud|chf|sek|nok|dkk|jpy|pln|czk|huf|inr|cny|krw|sgd|nzd|zar|mxn|brl|isk|hkd)\\b'
const CURRENCY_WORD = `${CURRENCY}|\\b(?:us |british )?(?:dollar|euro|pound|livre|pfund|libra)s?\\b|zł|kč`
/**
 * Thousands in groups (a comma, a point, a space or an apostrophe), or digits alone; then a fraction ("2.5", "2,5") and a unit. At most four groups, as many digits as
 * alone: a longer row of them would be read to its end from each of its groups.
 */
const AMOUNT =
  "([1-9]\\d{0,2}(?:[,.' \\u00a0\\u202f]\\d{3}){1,4}(?!\\d)|\\d{1,12})(\\.\\d{1,6}|,\\d{1,2}(?![\\d,]))?(?:\\s?(k|m|thousand|million|mio|tausend)\\b)?"
const BEFORE = new RegExp(`(${CURRENCY})\\s?${AMOUNT}`, 'i')
const AFTER = new RegExp(`(?<![\\d.,])${AMOUNT}\\s?(${CURRENCY_WORD})(?![\\p{L}\\p{N}])`, 'iu')

/** What a unit of the media costs, and what is spent in a day: no budget. Each is a word and an amount near it. */
const UNIT_PRICE = new RegExp(
  `\\b(?:v?cpms?|cpcvs?|cpcs?|cpvs?|cpps?|cpas?|tkp|tausenderpreis|cost per (?:click|view|completed view|thousand|mille))\\b(?:\\s(?:price|bid|rate|cap|limit))?(?:\\s(?:of|at|is|under|below|up to|at most|no more than|less than|max|maximum|max\\.|unter|bis|höchstens)){0,2}\\s?[:=<≤]?\\s?(?:(?:${CURRENCY})\\s?${AMOUNT}|${AMOUNT}\\s?(?:${CURRENCY_WORD}))|(?:(?:${CURRENCY})\\s?${AMOUNT}|(?<![\\d.,])${AMOUNT}\\s?(?:${CURRENCY_WORD}))\\s?(?:per |a |pro )?(?:v?cpm|cpcv|cpc|cpv|cpp|cpa|tkp|thousand|mille|click|view|completed view|impression)s?\\b`,
  'giu',
)

/** The first price of a unit that a text names, as it is written: "CPM under 9 EUR". */
export function unitPriceIn(text: string): string | undefined {
  return text.match(UNIT_PRICE)?.[0].trim()
}

/** The first amount of money of a text whose currency it names, and that is no price of a unit: "$50K", "EUR 20,000", "1.5M USD", not "max CPM 9 EUR". */
export function budgetOf(brief: string): BriefMoney | undefined {
  return moneyIn(withoutRates(brief.replace(UNIT_PRICE, ' ')))
}

/** After an amount: it is for a day, a click, each time. */
const FOR_EACH =
  /^\s?(?:(?:\/|per|a|an|each|every|pro|par|por|om|i|al)\s?(?:product|channel|line|package|placement|market|country|site|day|week|month|hour|click|view|visit|lead|action|install|impression|thousand|mille|1,?000|tag|woche|monat|klick|dag|vecka|månad|uke|måned|jour|semaine|mois|clic|día|dia|semana|mes)(?![\p{L}\p{N}])|(?:daily|weekly|monthly|täglich|wöchentlich|monatlich|dagligen?|daglig|ukentlig|par jour)(?![\p{L}\p{N}]))/iu
/** Before an amount, in the same part of a sentence. */
const OF_EACH =
  /(?:\b(?:daily|weekly|monthly|hourly|per (?:day|week|month|click|view|thousand)|cost per \p{L}{1,20}|price per \p{L}{1,20}|[ev]?cpms?|cpcs?|cpcvs?|cpvs?|cpps?|cpas?|tkp|tausenderpreis|tagesbudget)\b)[^,;\n.!?]{0,30}$/iu
const BEFORE_AMOUNT = 50
const AFTER_AMOUNT = 20

/** Amounts of a text that are for a day, a click or the like: none of them is what is spent in all. Places in the text. */
function ratesOf(text: string): readonly { readonly start: number; readonly end: number }[] {
  const amounts = [...text.matchAll(new RegExp(BEFORE, 'gi')), ...text.matchAll(new RegExp(AFTER, 'giu'))]
  return amounts.flatMap(({ 0: written, index: start }) => {
    const end = start + written.length
    const [each = ''] = FOR_EACH.exec(text.slice(end, end + AFTER_AMOUNT)) ?? []
    const [of = ''] = OF_EACH.exec(text.slice(Math.max(0, start - BEFORE_AMOUNT), start)) ?? []
    return each === '' && of === '' ? [] : [{ start: start - of.length, end: end + each.length }]
  })
}

function withoutRates(text: string): string {
  let read = 0
  let rest = ''
  for (const { start, end } of ratesOf(text).toSorted((a, b) => a.start - b.start)) {
    rest += `${text.slice(read, Math.max(read, start))} `
    read = Math.max(read, end)
  }
  return rest + text.slice(read)
}

/** The first amount that a text names for a day, a click or the like, as it is written: "1,500 EUR per week". Prices of a unit are {@link unitPriceIn}. */
export function rateIn(text: string): string | undefined {
  const rest = text.replace(UNIT_PRICE, ' ')
  const [first] = ratesOf(rest)
  return first && rest.slice(first.start, first.end).trim()
}

/** Before an amount, which is then what is spent in all. */
const SAID_BUDGET =
  '\\b(?:budget|total|spend)(?:\\s?[:=]|\\s(?:of|is|at|to|around|about|up to|max|maximum|limit(?:ed)? to|by|von|auf|på|till|til|av)){0,2}\\s?'
/** After an amount: it counts something else, or is a rate. */
const NO_COUNT =
  '(?![\\d.,]?\\d)(?!\\s?(?:%|[-/]|impressions|imps|views|clicks|days?|weeks?|months?|hours?|users|people|points?|percent|per\\b|a\\b|each|products?|lines?|packages?))'
const BARE_BUDGET = new RegExp(
  `${SAID_BUDGET}${AMOUNT}${NO_COUNT}|(?<![\\d.,])${AMOUNT}\\s(?:in total|(?:total |overall )?budget|overall)\\b`,
  'i',
)

/** An amount of a text that is said to be its budget and has no currency: "a budget of 15,000", "15k in total". A small number, or a year, is none. */
export function bareBudgetOf(text: string): { readonly amount: number; readonly written: string } | undefined {
  if (moneyIn(text) || KRONOR.test(text)) return undefined
  const [written, ...parts] = BARE_BUDGET.exec(text) ?? []
  const [whole, fraction = '', unit] = parts[0] === undefined ? parts.slice(3) : parts
  if (written === undefined || whole === undefined) return undefined
  const amount = numberOf(whole, fraction) * scaleOf(unit)
  const isYear = unit === undefined && /^20[2-4]\d$/.test(whole)
  return amount < LEAST_BARE || isYear ? undefined : { amount, written: written.trim() }
}

/** Less is a count of something. */
const LEAST_BARE = 100

/** An amount that nothing is said of: no part of a word, an id, a date or another number. */
const BARE_AMOUNT = new RegExp(`(?<![\\p{L}\\d_.,:/-])${AMOUNT}(?![\\p{L}_])${NO_COUNT}`, 'iu')

/** The first amount of a text of which nothing is said: "5000", "8k", no count of something, no year. */
export function bareAmountIn(text: string): number | undefined {
  const [, whole, fraction, unit] = BARE_AMOUNT.exec(text) ?? []
  if (whole === undefined) return undefined
  const amount = numberOf(whole, fraction) * scaleOf(unit)
  return amount < LEAST_BARE || (unit === undefined && /^20[2-4]\d$/.test(whole)) ? undefined : amount
}

/** A part of a brief of no more is nothing but an amount: "8k", "about 15000". */
const LONE = /^\s*(?:(?:about|around|circa|ca\.?|approx\.?|max\.?|up to)\s)?\S{1,14}(?:\s\d{3}){0,2}\s*$/i
/** Less may be a size. */
const LEAST_LONE = 1_000

/** An amount of a brief that is said to be its budget, or stands by itself, and has no currency. `parts`: its clauses. */
export function looseBudgetIn(
  brief: string,
  parts: readonly string[],
): { readonly amount: number; readonly written: string } | undefined {
  const said = bareBudgetOf(brief)
  if (said || moneyIn(brief) || KRONOR.test(brief)) return said
  const lone = parts.find((part) => LONE.test(part) && (bareAmountIn(part) ?? 0) >= LEAST_LONE)
  return lone === undefined ? undefined : { amount: bareAmountIn(lone) ?? 0, written: lone.trim() }
}

/** A text without that; `by` stands for it. */
export function withoutBareAmount(text: string, by: string): string {
  return bareAmountIn(text) === undefined ? text : text.replace(BARE_AMOUNT, by)
}

function numberOf(whole: string, fraction = ''): number {
  return Number(whole.replace(/\D/g, '') + fraction.replace(',', '.'))
}

function scaleOf(unit: string | undefined): number {
  return unit === undefined ? 1 : /^(?:k|t)/i.test(unit) ? 1_000 : 1_000_000
}

/** Dollars of a country, as they are written: `CA$`, `A$`, `$ CAD`. A letter by itself is no country: "a $50,000 campaign". */
const DOLLARS =
  /(?:(?<![\p{L}\p{N}])((?:us|ca|au|nz|hk|sg)(?=\s?\$)|[acs](?=\$))\s?\$\s?|\s?\$\s?(ca|cad|aud|nzd|usd|hkd|sgd)(?![\p{L}\p{N}])\s?)/giu
const DOLLARS_OF: Readonly<Record<string, string>> = {
  us: 'USD',
  ca: 'CAD',
  c: 'CAD',
  a: 'AUD',
  au: 'AUD',
  nz: 'NZD',
  hk: 'HKD',
  s: 'SGD',
  sg: 'SGD',
}

function dollarsOf(word: string): string {
  return ownValue(DOLLARS_OF, word.toLowerCase()) ?? word.toUpperCase()
}

/** Dollars of a country by their code. */
function withDollars(text: string): string {
  return text.replaceAll(DOLLARS, (_, before?: string, after?: string) => ` ${dollarsOf(before ?? after ?? '')} `)
}

/** The first amount of money of a text whose currency it names, whatever it is for. */
export function moneyIn(text: string): BriefMoney | undefined {
  const brief = withDollars(text)
  const before = BEFORE.exec(brief)
  const after = before ? null : AFTER.exec(brief)
  const [written, whole, fraction, unit] = before
    ? [before[1], before[2], before[3], before[4]]
    : after
      ? [after[4], after[1], after[2], after[3]]
      : []
  if (written === undefined || whole === undefined) return undefined
  const name = written.toLowerCase().replace(/^(?:us|british) /, '')
  const currency = ownValue(CURRENCIES, name) ?? ownValue(CURRENCIES, name.replace(/s$/, ''))
  if (currency === undefined) return undefined
  return { amount: numberOf(whole, fraction) * scaleOf(unit), currency }
}

/** The text without the amount that {@link budgetOf}, {@link kronorOf} or {@link bareBudgetOf} reads; `by` stands for it. */
export function withoutBudget(text: string, by: string): string {
  const named = withDollars(text)
  const rates = [
    ...ratesOf(named),
    ...Array.from(named.matchAll(UNIT_PRICE), ({ 0: written, index: start }) => ({ start, end: start + written.length })),
  ]
  const isRate = ({ index }: RegExpExecArray) => rates.some(({ start, end }) => index >= start && index < end)
  const found = [new RegExp(BEFORE, 'gi'), new RegExp(AFTER, 'giu'), new RegExp(KRONOR, 'giu')]
    .flatMap((pattern) => [...named.matchAll(pattern)])
    .find((match) => !isRate(match))
  if (found) return named.slice(0, found.index) + by + named.slice(found.index + found[0].length)
  return bareBudgetOf(named) ? named.replace(BARE_BUDGET, by) : named
}

/** "20 000 kr", "20 tkr", "1 mkr", "20k kronor". */
const KRONOR =
  /(?<![\d.,])([1-9]\d{0,2}(?:[,.' \u00a0\u202f]\d{3}){1,4}(?!\d)|\d{1,12})(?:[,.](\d{1,2})(?!\d))?\s?(k|t|m|mn|tusen|tusind|mio|miljoner|millioner|thousand|million)?\s?(kr|kronor|kroner|krona|krone)(?![\p{L}\p{N}])/iu

/** Which money a word is; `kr` is all of it. */
const MONEY_OF_WORD: Readonly<Record<string, readonly string[]>> = {
  kronor: ['SEK'],
  krona: ['SEK', 'ISK'],
  kroner: ['NOK', 'DKK'],
  krone: ['NOK', 'DKK'],
  kr: ['SEK', 'NOK', 'DKK', 'ISK'],
}
const MONEY_OF_COUNTRY: Readonly<Record<string, string>> = { SE: 'SEK', NO: 'NOK', DK: 'DKK', IS: 'ISK' }

/** An amount of crowns, and the currencies (ISO 4217) that its word stands for, in the countries (ISO 3166-1) that are named where it stands for money of theirs. */
export function crownsIn(
  text: string,
  countries: readonly string[],
): { readonly amount: number; readonly currencies: readonly string[]; readonly written: string } | undefined {
  const [written, whole, fraction = '0', unit = '', word = ''] = KRONOR.exec(text) ?? []
  if (written === undefined || whole === undefined) return undefined
  const possible = ownValue(MONEY_OF_WORD, word.toLowerCase()) ?? []
  const named = new Set(countries.flatMap((country) => ownValue(MONEY_OF_COUNTRY, country) ?? []))
  const likely = possible.filter((currency) => named.has(currency))
  const scale = unit === '' ? 1 : /^(?:k|t)/i.test(unit) ? 1_000 : 1_000_000
  const amount = Number(`${whole.replace(/\D/g, '')}.${fraction}`) * scale
  return { amount, currencies: likely.length > 0 ? likely : possible, written }
}

/** An amount of crowns: whose they are is told by the word, and by the countries (ISO 3166-1) that the text names; `unread` where that leaves several. */
export function kronorOf(brief: string, countries: readonly string[]): BriefMoney | { readonly unread: string } | undefined {
  const crowns = crownsIn(brief, countries)
  if (!crowns) return undefined
  const [currency, ...others] = crowns.currencies
  return currency === undefined || others.length > 0 ? { unread: crowns.written } : { amount: crowns.amount, currency }
}
