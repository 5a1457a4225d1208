/** What a person wrote into a field of a form, without the blanks around it; undefined: nothing. */
export function written(form: URLSearchParams, name: string): string | undefined {
  return form.get(name)?.trim() || undefined
}
