import { countriesNamedIn } from '../country-names.ts'
import { ownValue } from '../own-value.ts'
import { regionsNamedIn } from './brief-places.ts'
import { type OrderTerm, orderTermsIn } from './order-terms.ts'

/** What a brief says in figures and places. */
export interface BriefHints {
  /** In major units of `currency`. */
  readonly budget?: { readonly amount: number; readonly currency: string }
  /** ISO 3166-1 alpha-2. */
  readonly countries: readonly string[]
  /** ISO 3166-2, of the cities and states that are named; absent: none is. */
  readonly regions?: readonly string[]
  /** What it says of the order, not of what is sold; absent: nothing. */
  readonly orderTerms?: readonly OrderTerm[]
  /** English names of languages, lower case; absent: none is named. */
  readonly languages?: readonly string[]
}

/** Currencies (ISO 4217) as briefs write them. */
const CURRENCIES: Readonly<Record<string, string>> = {
  ...{ $: 'USD', '€': 'EUR', '£': 'GBP', dollar: 'USD', euro: 'EUR', pound: 'GBP', livre: 'GBP', pfund: 'GBP', libra: 'GBP' },
  ...Object.fromEntries('usd eur gbp cad aud chf sek nok dkk jpy pln'.split(' ').map((code) => [code, code.toUpperCase()])),
}
const CURRENCY = '[$€£]|\\b(?:usd|eur|gbp|cad|aud|chf|sek|nok|dkk|jpy|pln)\\b'
const CURRENCY_WORD = `${CURRENCY}|\\b(?:us |british )?(?:dollar|euro|pound|livre|pfund|libra)s?\\b`
/** Thousands in groups (a comma, a point, a space or an apostrophe), or digits alone; then a fraction and a unit. */
const AMOUNT =
  "([1-9]\\d{0,2}(?:[,.' \\u00a0\\u202f]\\d{3})+(?!\\d)|\\d{1,12})(\\.\\d{1,6})?(?:\\s?(k|m|thousand|million|mio|tausend)\\b)?"
const BEFORE = new RegExp(`(${CURRENCY})\\s?${AMOUNT}`, 'i')
const AFTER = new RegExp(`(?<![\\d.,])${AMOUNT}\\s?(${CURRENCY_WORD})(?![\\p{L}\\p{N}])`, 'iu')

/** Codes as briefs write them. Case matters: "us" is a pronoun. */
const CODES: readonly (readonly [pattern: RegExp, code: string])[] = [
  [/\b(US|U\.S\.A?\.?)(?![\p{L}\p{N}])/u, 'US'],
  [/\bU\.K\.(?![\p{L}\p{N}])/u, 'GB'],
]

/** "in Swedish", "Swedish-speaking": without such a word the name of a language is a nationality. */
const LANGUAGE =
  /\bin (arabic|bengali|chinese|czech|danish|dutch|english|finnish|french|german|greek|hebrew|hindi|hungarian|italian|japanese|korean|mandarin|norwegian|polish|portuguese|romanian|russian|spanish|swedish|thai|turkish|ukrainian|vietnamese)\b(?! (?:cities|city|towns|homes|households|cinemas|stadiums|media|markets?|sites?|news))|\b(arabic|chinese|czech|danish|dutch|english|finnish|french|german|greek|hebrew|hindi|hungarian|italian|japanese|korean|norwegian|polish|portuguese|romanian|russian|spanish|swedish|turkish|ukrainian)[ -](?:language|speaking|speakers?)\b/gi

/** Reads the budget ("$50K", "EUR 20,000", "1.5M USD") and the countries that a brief names. */
export function hintsOf(brief: string): BriefHints {
  const budget = budgetOf(brief)
  const codes = CODES.filter(([pattern]) => pattern.test(brief)).map(([, code]) => code)
  const regions = regionsNamedIn(brief)
  const orderTerms = orderTermsIn(brief)
  const languages = [...brief.matchAll(LANGUAGE)].map(([, after, before]) => (after ?? before ?? '').toLowerCase())
  return {
    countries: [...new Set([...codes, ...countriesNamedIn(brief), ...regions.map((region) => region.slice(0, 2))])],
    ...(regions.length > 0 && { regions }),
    ...(orderTerms.length > 0 && { orderTerms }),
    ...(languages.length > 0 && { languages: [...new Set(languages)] }),
    ...(budget && { budget }),
  }
}

function budgetOf(brief: string): BriefHints['budget'] {
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
  const scale = unit === undefined ? 1 : /^(?:k|t)/i.test(unit) ? 1_000 : 1_000_000
  return { amount: Number(whole.replace(/\D/g, '') + (fraction ?? '')) * scale, currency }
}
