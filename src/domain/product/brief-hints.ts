import { countriesNamedIn } from '../country-names.ts'

/** What a brief says in figures and places. */
export interface BriefHints {
  /** In major units of `currency`. */
  readonly budget?: { readonly amount: number; readonly currency: string }
  /** ISO 3166-1 alpha-2. */
  readonly countries: readonly string[]
  /** English names of languages, lower case; absent: none is named. */
  readonly languages?: readonly string[]
}

const SYMBOLS: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP', usd: 'USD', eur: 'EUR', gbp: 'GBP' }

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
  const languages = [...brief.matchAll(LANGUAGE)].map(([, after, before]) => (after ?? before ?? '').toLowerCase())
  return {
    countries: [...new Set([...codes, ...countriesNamedIn(brief)])],
    ...(languages.length > 0 && { languages: [...new Set(languages)] }),
    ...(budget && { budget }),
  }
}

function budgetOf(brief: string): BriefHints['budget'] {
  const before = /(\$|€|£|\b(?:usd|eur|gbp)\b)\s?(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?\s?(k|m)?\b/i.exec(brief)
  const after = before ? null : /\b(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?\s?(k|m)?\s?(\$|€|£|usd|eur|gbp)(?![\p{L}\p{N}])/iu.exec(brief)
  const [symbol, whole, fraction, unit] = before
    ? [before[1], before[2], before[3], before[4]]
    : after
      ? [after[4], after[1], after[2], after[3]]
      : []
  const currency = SYMBOLS[symbol?.toLowerCase() ?? '']
  if (currency === undefined || whole === undefined) return undefined
  const scale = unit === undefined ? 1 : unit.toLowerCase() === 'k' ? 1_000 : 1_000_000
  return { amount: Number(whole.replaceAll(',', '') + (fraction ?? '')) * scale, currency }
}
