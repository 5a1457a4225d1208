import { setTimeout as sleep } from 'node:timers/promises'

/** Longest and 99.9th percentile of how long `/livez` took to answer, in milliseconds. */
export interface Stall {
  readonly worst: number
  readonly p999: number
}

const EVERY_MS = 100

/** Asks a path that needs no work again and again: what it takes is how long the server did nothing else. */
export function watchLiveness(url: string): { stop(): Promise<Stall> } {
  const took: number[] = []
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const started = performance.now()
      await fetch(url)
        .then((response) => response.text())
        .catch(() => '')
      took.push(performance.now() - started)
      await sleep(EVERY_MS)
    }
  })()
  return {
    async stop() {
      isOver = true
      await watching
      took.sort((a, b) => a - b)
      const at = (share: number) => Math.round(took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0)
      return { worst: at(1), p999: at(0.999) }
    },
  }
}
