import type { WantedForm } from './errors.ts'

/** A form of text: in words, with an example; and its name, where another form may tell what was meant. */
type TextForm = readonly [words: string, wanted?: WantedForm]

const FORMATS: Readonly<Record<string, TextForm>> = {
  'date-time': ['a date and time with its zone such as "2027-03-01T00:00:00Z"', 'moment'],
  date: ['a day such as "2027-03-01"', 'day'],
  uri: ['an absolute URL such as "https://host.example/path"'],
  email: ['an address such as "name@buyer.example"'],
  uuid: ['a UUID such as "0b9f3c1e-5a50-4c1c-9b1e-3f3a0e9a6f10"'],
}

/** Patterns of schemas that a person does not read at a glance. */
const PATTERNS: Readonly<Record<string, TextForm>> = {
  '\\S': ['a text that is not blank'],
  '^[A-Z]{2}$': ['a country in two capital letters (ISO 3166-1) such as "DE"', 'country'],
  '^[A-Z]{2}-[A-Z0-9]{1,3}$': ['a region with its country (ISO 3166-2) such as "US-CA"', 'region'],
  '^[A-Z]{3}$': ['a currency in three capital letters (ISO 4217) such as "EUR"', 'currency'],
  '^[a-z]{2}$': ['a language in two small letters (ISO 639-1) such as "de"', 'language'],
  '^\\d{4}-\\d{2}-\\d{2}$': ['a day such as "2027-03-01"', 'day'],
  '^[A-Za-z0-9_.:-]{16,255}$': ['16 to 255 characters of A-Z, a-z, 0-9, "_", ".", ":" and "-", such as a new UUID'],
  '^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$': ['1 to 32 small letters, digits and hyphens such as "christmas"'],
  '^[A-Za-z0-9_.:-]{1,128}$': ['1 to 128 characters of A-Z, a-z, 0-9, "_", ".", ":" and "-"'],
  '^(?!\\.+$)[A-Za-z0-9._-]{1,64}$': ['1 to 64 characters of A-Z, a-z, 0-9, ".", "_" and "-", and not of points alone'],
  '^[A-Za-z0-9._-]{1,64}$': ['1 to 64 characters of A-Z, a-z, 0-9, ".", "_" and "-"'],
  '^[a-f0-9]{64}$': ['a SHA-256 digest in 64 digits of 0-9 and a-f (of an email address: trimmed, in small letters)'],
  '^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$': [
    'a domain in small letters, without https:// and path, such as "brand.example"',
    'domain',
  ],
}

/** A JSON Schema format or pattern in words, with an example; undefined for one that is not known here. */
export function wordsOf(formatOrPattern: string | undefined): string | undefined {
  return knownForm(formatOrPattern)?.[0]
}

/** The name of a JSON Schema format or pattern; undefined for one in whose place no other form is meant. */
export function wantedText(formatOrPattern: string | undefined): WantedForm | undefined {
  return knownForm(formatOrPattern)?.[1]
}

function knownForm(name: string | undefined): TextForm | undefined {
  if (name === undefined) return undefined
  return [FORMATS, PATTERNS].flatMap((forms) => (Object.hasOwn(forms, name) ? [forms[name]] : []))[0]
}
