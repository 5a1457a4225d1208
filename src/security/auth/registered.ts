/** Registering or removing an entry takes effect within this time. */
const REREAD_SECONDS = 15

/** The opened entries of a list. */
export interface Registered<Opened> {
  /** Rejects when the list has to be read and cannot be. */
  list(nowSeconds: number): Promise<readonly Opened[]>
  /** The same without waiting; undefined when the list has to be read. */
  known(nowSeconds: number): readonly Opened[] | undefined
}

/**
 * Entries that the operator registers in the store, each opened once and cached for as long as it stays registered unchanged.
 * Reads the list at most every 15 s.
 */
export function registered<Entry, Opened>(
  list: () => Promise<readonly Entry[]>,
  open: (entry: Entry) => Opened,
): Registered<Opened> {
  let opened: ReadonlyMap<string, Opened> = new Map()
  let values: readonly Opened[] = []
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  async function reread(nowSeconds: number): Promise<void> {
    const entries = await list()
    opened = new Map(
      entries.map((entry) => {
        const id = JSON.stringify(entry)
        return [id, opened.get(id) ?? open(entry)]
      }),
    )
    values = [...opened.values()]
    readAt = nowSeconds
  }

  const isFresh = (nowSeconds: number) => Math.abs(nowSeconds - readAt) < REREAD_SECONDS
  return {
    known: (nowSeconds) => (isFresh(nowSeconds) ? values : undefined),
    async list(nowSeconds) {
      if (!isFresh(nowSeconds)) {
        reading ??= reread(nowSeconds).finally(() => {
          reading = undefined
        })
        await reading
      }
      return values
    },
  }
}
