/**
 * Runs `work` when fewer of the same key run than `room` gives; the others wait in order, and `room` is asked again each time that one has
 * ended. One always may run. What `room` throws is thrown.
 */
export type Gate = <T>(key: string, room: () => Promise<number>, work: () => Promise<T>) => Promise<T>

export function createGate(): Gate {
  const places = new Map<string, { present: number; running: number; readonly waiting: (() => void)[] }>()
  return async (key, room, work) => {
    const place = places.get(key) ?? { present: 0, running: 0, waiting: [] }
    places.set(key, place)
    place.present++
    let isRunning = false
    try {
      for (;;) {
        const most = Math.max(1, await room())
        if (place.running < most) break
        await new Promise<void>((wake) => place.waiting.push(wake))
      }
      isRunning = true
      place.running++
      return await work()
    } finally {
      if (isRunning) place.running--
      place.present--
      if (place.present === 0) places.delete(key)
      // Whoever leaves, let in or refused, wakes the next: nobody waits for an end that is past.
      else place.waiting.shift()?.()
    }
  }
}
