/** Registering or removing an entry takes effect within this time. */
const REREAD_SECONDS = 15

/**
 * Entries that the operator registers in the store, each opened once and kept for as long as it stays registered unchanged.
 * Reads the list at most every 15 s. Gives the opened entries; rejects when the list cannot be read.
 */
export function registered<Entry, Opened>(
  list: () => Promise<readonly Entry[]>,
  open: (entry: Entry) => Opened,
): (nowSeconds: number) => Promise<readonly Opened[]> {
  let opened: ReadonlyMap<string, Opened> = new Map()
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
    readAt = nowSeconds
  }

  return async (nowSeconds) => {
    if (Math.abs(nowSeconds - readAt) >= REREAD_SECONDS) {
      reading ??= reread(nowSeconds).finally(() => {
        reading = undefined
      })
      await reading
    }
    return [...opened.values()]
  }
}
