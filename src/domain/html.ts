/** Markup that is safe to send. {@link html} makes it, so that every other text is escaped; a constant of the program may be made one. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What a template may hold; undefined, null and false are left out. */
export type Part = Html | string | number | undefined | null | false | readonly Part[]

/**
 * A template: every part that is no {@link Html} is escaped for text and for attribute values in double quotes. A test holds that no attribute
 * is written without them.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] ?? ''
  for (const [index, part] of parts.entries()) text += textOf(part) + (strings[index + 1] ?? '')
  return new Html(text)
}

/** An attribute that is there or not, such as `checked`. */
export function attribute(name: 'autofocus' | 'checked' | 'selected' | 'open' | 'required', isThere: boolean): Html {
  return new Html(isThere ? ` ${name}` : '')
}

function textOf(part: Part): string {
  if (part === undefined || part === null || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'string') return escapeText(part)
  if (typeof part === 'number') return String(part)
  return part.map(textOf).join('')
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Characters of one text in a page: nobody reads more, and each that is escaped takes time and memory. */
const MOST_SHOWN = 250_000

function escapeText(text: string): string {
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
  return shown.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
