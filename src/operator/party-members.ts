import { AdcpError } from '../protocol/errors.ts'

/** The country of a party, two letters (ISO 3166-1). Throws INVALID_REQUEST, naming `field`. */
export function countryIn(text: string | undefined, field: string): string | undefined {
  return numberIn(text, field, { pattern: /^[A-Z]{2}$/, words: 'two letters, e.g. SE' })
}

/** The VAT number of a party, with its country. Throws INVALID_REQUEST, naming `field`. */
export function vatIdIn(text: string | undefined, field: string): string | undefined {
  return numberIn(text, field, { pattern: /^[A-Z]{2}[A-Z0-9]{2,13}$/, words: 'a country and a number, e.g. SE556677889901' })
}

/** A number without blanks, dots and hyphens, in capitals; undefined for none. Throws INVALID_REQUEST, naming `field`, for one of another form, which `words` says. */
export function numberIn(
  text: string | undefined,
  field: string,
  { pattern, words }: { readonly pattern: RegExp; readonly words: string },
): string | undefined {
  const value = text?.replaceAll(/[\s.-]/g, '').toUpperCase() || undefined
  if (value === undefined || pattern.test(value)) return value
  throw new AdcpError('INVALID_REQUEST', `${field} must be ${words}`, { field })
}

/** What belongs to a missing member would be lost. */
export function requiredBeside(field: string, other: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', `${field} is required beside ${other}`, { field })
}
