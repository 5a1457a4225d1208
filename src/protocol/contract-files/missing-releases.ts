/** What to do about releases that a build did not have, as a sentence for people. */
export function adviceToAdd(lines: readonly string[]): string {
  const them = lines.length === 1 ? 'it' : 'them'
  return `To add ${them}: npm run build (with Python's pip and the network), or npm run build -- --from FILE (the wheel adcp 9.2.0 or an official bundle)`
}
