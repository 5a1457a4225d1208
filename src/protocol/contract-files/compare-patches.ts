/** Orders patch releases such as `3.1.9` and `3.1.27` by their numbers. */
export function comparePatches(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}
