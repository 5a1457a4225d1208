import { isCountry } from '../domain/country-names.ts'
import { AdcpError } from '../protocol/errors.ts'
import { atMost, clearable, type Field, text } from './fields.ts'
import { inForm, MAIL_ADDRESS } from './text-form.ts'

/** A line of what a party is called and where it is; empty: it is not known. */
export function partyLine(about: string): Field<string, false> {
  return clearable(atMost(200, text(about)))
}

/** The country of a party (ISO 3166-1). */
export function countryField(about: string): Field<string, false> {
  const letters = inCapitals(about, '^[A-Z]{2}$', 'two letters of a country (ISO 3166-1), e.g. SE')
  return clearable({ ...letters, check: (value): value is string => letters.check(value) && isCountry(value) })
}

/** The mail address of a party. */
export function mailField(about: string): Field<string, false> {
  return clearable(inForm(MAIL_ADDRESS, atMost(200, text(about))))
}

/** The VAT number of a party, with its country. */
export function vatIdField(about: string): Field<string, false> {
  return numberField(about, '^[A-Z]{2}[A-Z0-9]{2,13}$', 'a country and a number, e.g. SE556677889901')
}

/** A number that is stored in capitals, without blanks, dots and hyphens; an empty text removes it. */
export function numberField(about: string, pattern: string, words: string): Field<string, false> {
  return clearable(inCapitals(about, pattern, words))
}

function inCapitals(about: string, pattern: string, words: string): Field<string, false> {
  const clean = (written: string) => written.replaceAll(/[\s.-]/g, '').toUpperCase()
  return inForm({ pattern, words, clean }, text(about))
}

/** What belongs to a missing member would be lost. */
export function requiredBeside(field: string, other: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', `${field} is required beside ${other}`, { field })
}
