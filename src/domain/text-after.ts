/** What follows the first match of a pattern; nothing when there is none. One pattern over both parts would start again at each match of the first. */
export function textAfter(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)
  return found ? text.slice(found.index + found[0].length) : ''
}
