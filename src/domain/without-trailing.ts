/** A text without the characters of a set at its end. Each is examined once, where `/[…]+$/` would begin anew at every run of them. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1] ?? '')) end--
  return text.slice(0, end)
}
