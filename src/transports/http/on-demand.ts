/** Makes a value when it is first asked for, and once: a module that is not used is not loaded. */
export function onDemand<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
