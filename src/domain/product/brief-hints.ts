/** What a brief says in figures and places. */
export interface BriefHints {
  /** In major units of `currency`. */
  readonly budget?: { readonly amount: number; readonly currency: string }
  /** ISO 3166-1 alpha-2. */
  readonly countries: readonly string[]
}

const SYMBOLS: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP', usd: 'USD', eur: 'EUR', gbp: 'GBP' }

/** Names of countries as briefs write them. Case matters for the short ones: "us" is a pronoun. */
const COUNTRIES: readonly (readonly [pattern: RegExp, code: string])[] = [
  [/\b(US|USA|U\.S\.A?\.?)(?![\p{L}\p{N}])|\bunited states\b/u, 'US'],
  [/\bcanada\b/i, 'CA'],
  [/\b(UK|U\.K\.)(?![\p{L}\p{N}])|\bunited kingdom\b|\bgreat britain\b/u, 'GB'],
  [/\bgermany\b/i, 'DE'],
  [/\baustria\b/i, 'AT'],
  [/\bswitzerland\b/i, 'CH'],
  [/\bfrance\b/i, 'FR'],
  [/\bspain\b/i, 'ES'],
  [/\bitaly\b/i, 'IT'],
  [/\bnetherlands\b/i, 'NL'],
  [/\bireland\b/i, 'IE'],
  [/\baustralia\b/i, 'AU'],
]

/** Reads the budget ("$50K", "EUR 20,000", "1.5M USD") and the countries that a brief names. */
export function hintsOf(brief: string): BriefHints {
  const budget = budgetOf(brief)
  const countries = COUNTRIES.filter(([pattern]) => pattern.test(brief)).map(([, code]) => code)
  return { countries, ...(budget && { budget }) }
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
