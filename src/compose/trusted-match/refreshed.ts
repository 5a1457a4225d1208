/** A value that is loaded again when the data that it was made of may have changed, at most once in `everyMs`. Loads of the same moment are one. */
export function refreshed<Value>(
  load: () => Promise<Value>,
  {
    version,
    everyMs,
    clock,
  }: { readonly version: () => string | number; readonly everyMs: number; readonly clock: () => number },
): () => Promise<Value> {
  const known: { value?: Promise<Value>; version?: string | number; at: number } = { at: 0 }
  return () => {
    const [now, current] = [clock(), version()]
    if (known.value && (known.version === current || now - known.at < everyMs)) return known.value
    const loading = load()
    known.value = loading
    known.version = current
    known.at = now
    loading.catch(() => {
      if (known.value === loading) delete known.value
    })
    return loading
  }
}
