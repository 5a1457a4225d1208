/** Does the work of a batch of items; results in their order. */
export type BatchWork<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Collects what is asked while a batch is at work, at most `atOnce` batches at a time of at most `most` items. A batch that fails fails all of its items.
 */
export function createBatches<Item, Result>(
  work: BatchWork<Item, Result>,
  { most, atOnce }: { readonly most: number; readonly atOnce: number },
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  let running = 0
  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, most)
      try {
        const results = await work(batch.map(({ item }) => item))
        for (const [index, { resolve, reject }] of batch.entries()) {
          const result = results[index]
          if (result === undefined) reject(new Error('a batch gave no result for an item'))
          else resolve(result)
        }
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running -= 1
  }
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (running >= atOnce) return
      running += 1
      // One turn later: what is asked in this one is done with it.
      setImmediate(run)
    })
}
