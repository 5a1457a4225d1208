/** Makes the test for the types of events that a reader wants: a comma-separated list, `agent.*` for all of a kind; undefined wants all. */
export function eventTypeFilter(types: string | undefined): (type: string) => boolean {
  if (types === undefined) return () => true
  const wanted = new Set(types.split(','))
  return (type) => wanted.has(type) || wanted.has(`${type.split('.', 1)[0]}.*`)
}
