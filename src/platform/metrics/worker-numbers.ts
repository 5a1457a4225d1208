import type { Worker } from 'node:cluster'
import { AggregatorRegistry, type Registry } from 'prom-client'

/** What a scrape is answered. */
export interface Scrape {
  readonly contentType: string
  readonly body: string
}

/** Numbers of one process. */
type Numbers = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** Between the process that started the workers and a worker: numbers are asked for and given, or those of all by a worker with a scraper. */
type Message =
  | { readonly metrics: 'ask'; readonly id: number }
  | { readonly metrics: 'numbers'; readonly id: number; readonly numbers: Numbers }
  | { readonly metrics: 'ask-all'; readonly id: number }
  | { readonly metrics: 'all'; readonly id: number; readonly scrape: Scrape }

/** A worker that is busy for longer counts with its last numbers: a scraper waits ten seconds at most. */
const PATIENCE_MS = 3_000

/** Numbers of workers, summed by the process that started them. */
export interface WorkerNumbers {
  /** Counts a worker in from now on; it must have begun to collect. What it counted stays in the sums when it ends. */
  add(worker: Worker): void
  scrape(): Promise<Scrape>
}

/** Gathers the numbers of workers. */
export function gatherNumbers(): WorkerNumbers {
  const latest = new Map<Worker, Numbers>()
  /** Of workers that have ended: without them sums would fall, which scrapers take for a restart. */
  const ended: Numbers[] = []
  let asked = 0
  const ask = (worker: Worker): Promise<void> =>
    new Promise((resolve) => {
      const id = ++asked
      const done = () => {
        clearTimeout(late)
        worker.off('message', take)
        worker.off('exit', done)
        resolve()
      }
      const take = (message: unknown) => {
        if (!isMessage(message) || message.metrics !== 'numbers' || message.id !== id) return
        latest.set(worker, message.numbers)
        done()
      }
      const late = setTimeout(done, PATIENCE_MS)
      worker.on('message', take)
      worker.once('exit', done)
      tell(worker, { metrics: 'ask', id })
    })
  const scrape = async (): Promise<Scrape> => {
    await Promise.all([...latest.keys()].map(ask))
    const all = AggregatorRegistry.aggregate([...ended, ...latest.values()])
    return { contentType: all.contentType, body: await all.metrics() }
  }
  return {
    scrape,
    add(worker) {
      latest.set(worker, [])
      worker.on('message', (message: unknown) => {
        if (!isMessage(message) || message.metrics !== 'ask-all') return
        void scrape().then((all) => tell(worker, { metrics: 'all', id: message.id, scrape: all }))
      })
      worker.once('exit', () => {
        const last = (latest.get(worker) ?? []).filter(({ type }) => String(type) === 'counter' || String(type) === 'histogram')
        latest.delete(worker)
        ended.push(last)
        // One sum in place of them all, however often workers end.
        const count = ended.length
        void AggregatorRegistry.aggregate(ended)
          .getMetricsAsJSON()
          .then((sum) => ended.splice(0, count, sum))
      })
    },
  }
}

/** In a worker: answers for the numbers of its registry. Gives what asks for those of all workers. */
export function giveNumbers(registry: Registry): () => Promise<Scrape> {
  process.on('message', (message: unknown) => {
    if (!isMessage(message) || message.metrics !== 'ask') return
    void registry.getMetricsAsJSON().then((numbers) => process.send?.({ metrics: 'numbers', id: message.id, numbers }))
  })
  let asked = 0
  return () =>
    new Promise((resolve, reject) => {
      const id = ++asked
      const take = (message: unknown) => {
        if (!isMessage(message) || message.metrics !== 'all' || message.id !== id) return
        clearTimeout(late)
        process.off('message', take)
        resolve(message.scrape)
      }
      const late = setTimeout(() => {
        process.off('message', take)
        reject(new Error('the process that started the workers does not answer'))
      }, 2 * PATIENCE_MS)
      process.on('message', take)
      process.send?.({ metrics: 'ask-all', id })
    })
}

function tell(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message)
}

/** Other libraries talk over the same channel. */
function isMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'metrics' in message && 'id' in message
}
