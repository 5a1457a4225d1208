/** Makes a thing when it is first asked for, and once: what nobody asks for is not even loaded. */
export function onDemand<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
