/** The order of two texts by their code units, as `sort` takes it. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
