/** A text without the text between `<` and the next `>`, each of which becomes a space. A `<` that nothing closes stays. */
export function withoutTags(markup: string): string {
  const parts: string[] = []
  let at = 0
  for (;;) {
    const open = markup.indexOf('<', at)
    const close = open < 0 ? -1 : markup.indexOf('>', open)
    if (close < 0) return parts.join('') + markup.slice(at)
    parts.push(markup.slice(at, open), ' ')
    at = close + 1
  }
}
