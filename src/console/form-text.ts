/** What a person wrote into a field of a form, without the blanks around it; undefined: nothing. */
export function written(form: URLSearchParams, name: string): string | undefined {
  return form.get(name)?.trim() || undefined
}

/** The lines of a text area, each without the blanks around it; none that is empty. */
export function linesOf(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => line.trim() || [])
}
