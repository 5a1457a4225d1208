export interface FairQueueTerms {
  /** Works that run at once. */
  readonly concurrent: number
  /** Of these so many at most for holders that nobody knows; the rest is kept for the others. */
  readonly ofUnknown: number
  /** And so many at most of each of those; all of `ofUnknown` without it. */
  readonly ofEachUnknown?: number
  /** Works that wait: of known holders, and as many of the others. */
  readonly waiting: number
  readonly refusal: () => Error
}

/** For whom work is done: all of one holder wait in one line. */
export interface Holder {
  readonly key: string
  readonly isKnown: boolean
  /** How much it has had lately; default 0. When too many wait, one of a holder that has had more makes room for one that has had less. */
  readonly had?: number
}

export type FairQueue = <T>(holder: Holder, work: () => Promise<T>) => Promise<T>

interface Waiting {
  readonly key: string
  readonly had: number
  readonly start: () => void
  readonly refuse: (error: Error) => void
}

/**
 * Runs few works at a time and lets the others wait: known holders come before the rest, and holders take turns, so that how much one asks for delays that
 * one alone. When too many wait, the newest of the holder with most of them is rejected with `refusal`, else the newest of the holder that has had most lately,
 * or the one that comes: those who come again as soon as they were served keep nobody out who comes for the first time.
 */
export function createFairQueue({
  concurrent,
  ofUnknown,
  ofEachUnknown = ofUnknown,
  waiting,
  refusal,
}: FairQueueTerms): FairQueue {
  const lines = { known: createLines(waiting), unknown: createLines(waiting) }
  const running = { known: 0, unknown: 0 }
  const ofEach = new Map<string, number>()
  const begin = (lane: keyof typeof lines, key: string) => {
    running[lane]++
    if (lane === 'unknown') ofEach.set(key, (ofEach.get(key) ?? 0) + 1)
  }
  const end = (lane: keyof typeof lines, key: string) => {
    running[lane]--
    if (lane === 'known') return
    const left = (ofEach.get(key) ?? 1) - 1
    if (left === 0) ofEach.delete(key)
    else ofEach.set(key, left)
  }
  const mayRun = (lane: keyof typeof lines, key: string) => lane === 'known' || (ofEach.get(key) ?? 0) < ofEachUnknown
  const hasRoom = (lane: keyof typeof lines) =>
    running.known + running.unknown < concurrent && (lane === 'known' || running.unknown < ofUnknown)
  const startNext = () => {
    for (const lane of ['known', 'unknown'] as const)
      while (hasRoom(lane)) {
        const next = lines[lane].next((key) => mayRun(lane, key))
        if (!next) break
        begin(lane, next.key)
        next.start()
      }
  }
  return async (holder, work) => {
    const lane = holder.isKnown ? 'known' : 'unknown'
    if (hasRoom(lane) && mayRun(lane, holder.key)) begin(lane, holder.key)
    else
      await new Promise<void>((start, refuse) => {
        const refused = lines[lane].add({ key: holder.key, had: holder.had ?? 0, start, refuse })
        refused?.refuse(refusal())
      })
    try {
      return await work()
    } finally {
      end(lane, holder.key)
      startNext()
    }
  }
}

/** Waiting works by holder; whoever had a turn is last again. */
function createLines(most: number) {
  const lines = new Map<string, Waiting[]>()
  let total = 0
  /** The line whose newest has had most. */
  const greediest = () =>
    [...lines.values()].reduce<Waiting[] | undefined>((a, b) => ((b.at(-1)?.had ?? 0) > (a?.at(-1)?.had ?? 0) ? b : a), undefined)
  return {
    /** Gives the one that has to go. */
    add(entry: Waiting): Waiting | undefined {
      const { key } = entry
      const own = lines.get(key) ?? []
      let refused: Waiting | undefined
      if (total >= most) {
        const longest = [...lines.values()].reduce((a, b) => (b.length > a.length ? b : a), own)
        const isLonger = longest.length > own.length + 1
        const line = isLonger ? longest : greediest()
        if (line === undefined || (!isLonger && (line.at(-1)?.had ?? 0) <= entry.had)) return entry
        refused = line.pop()
        if (refused && line.length === 0) lines.delete(refused.key)
        total--
      }
      own.push(entry)
      lines.set(key, own)
      total++
      return refused
    },
    next(mayRun: (key: string) => boolean): Waiting | undefined {
      for (const [key, line] of lines) {
        if (!mayRun(key)) continue
        const entry = line.shift()
        lines.delete(key)
        if (line.length > 0) lines.set(key, line)
        if (!entry) continue
        total--
        return entry
      }
      return undefined
    },
  }
}
