/** Text that is HTML already; everything else is escaped when it becomes a part of a page. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What may stand in a template; `undefined` and `false` leave nothing. */
export type Content = Html | string | number | undefined | false | readonly Content[]

/** A template whose values are escaped, inside elements and inside attribute values in double quotes (OWASP XSS prevention, rules 1 and 2). */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(parts.map((part, index) => (index === 0 ? part : render(values[index - 1]) + part)).join(''))
}

function render(value: Content): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'string' || typeof value === 'number') {
    return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  }
  return value.map(render).join('')
}
