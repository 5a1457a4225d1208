/** What is open at once: in all, and of one holder. */
export interface Slots {
  /** Takes a place for a holder; gives what ends it (once, however often it is called), or which bound is reached. */
  take(holder: string): (() => void) | 'all' | 'holder'
  readonly open: number
}

export function createSlots({ inAll, ofHolder }: { readonly inAll: number; readonly ofHolder: number }): Slots {
  const held = new Map<string, number>()
  let open = 0
  return {
    take(holder) {
      const before = held.get(holder) ?? 0
      if (before >= ofHolder) return 'holder'
      if (open >= inAll) return 'all'
      open++
      held.set(holder, before + 1)
      let isTaken = true
      return () => {
        if (!isTaken) return
        isTaken = false
        open--
        const left = (held.get(holder) ?? 1) - 1
        if (left === 0) held.delete(holder)
        else held.set(holder, left)
      }
    },
    get open() {
      return open
    },
  }
}
