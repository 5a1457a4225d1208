import type { Field } from '../operator/fields.ts'
import { AdcpError } from '../protocol/errors.ts'

/** Characters of a value that a refusal quotes. */
const MOST_SHOWN = 40

/**
 * What a form gives for a field of an act, read as the query of the admin API is: `12` is a number where the field is one. A form without the input gives an empty text. The act
 * refuses what does not fit, so that a form which lost the revision it was shown overwrites nothing.
 */
export function inputOf(form: URLSearchParams, name: string, { parse }: Pick<Field<unknown>, 'parse'>): unknown {
  const text = (form.get(name) ?? '').trim()
  return parse ? parse(text) : text
}

/** What a person wrote into a field of a form, without the blanks around it; undefined: nothing. */
export function written(form: URLSearchParams, name: string): string | undefined {
  return form.get(name)?.trim() || undefined
}

/** Whether a box of a form is ticked. Throws INVALID_REQUEST for what no box of a page sends: neither yes nor nothing. */
export function tickedIn(form: URLSearchParams, name: string, word = 'yes'): boolean {
  const value = form.get(name) ?? ''
  if (value !== '' && value !== word)
    throw new AdcpError(
      'INVALID_REQUEST',
      `${name} must be ${word} or empty, not ${JSON.stringify(value.slice(0, MOST_SHOWN))}`,
      {
        field: name,
      },
    )
  return value === word
}

/** Which of some words a choice of a form has, the first where nothing is sent. Throws INVALID_REQUEST for any other: no choice of a page has it. */
export function chosenIn<const W extends string>(form: URLSearchParams, name: string, words: readonly [W, ...W[]]): W {
  const value = form.get(name) ?? ''
  const chosen = value === '' ? words[0] : words.find((word) => word === value)
  if (chosen !== undefined) return chosen
  const message = `${name} must be ${words.join(' or ')}, not ${JSON.stringify(value.slice(0, MOST_SHOWN))}`
  throw new AdcpError('INVALID_REQUEST', message, { field: name })
}

/** The lines of a text area, each without the blanks around it; none that is empty. */
export function linesOf(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => line.trim() || [])
}
