import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { RateLimiterClusterMaster } from 'rate-limiter-flexible'
import type { Config } from '../config/config.ts'
import type { WorkerNumbers } from '../platform/metrics/worker-numbers.ts'
import { AdcpError } from '../protocol/errors.ts'
import { listenForScrapes, metricsRoute } from '../transports/http/metrics.ts'
import { createConnectionReturn } from './pending-connections.ts'
import { workerPorts } from './worker-ports.ts'

/** Server processes that share one port, seen from the process that started them. */
export interface Workers {
  readonly port: number
  /** Of the listener for scrapers, when there is one. */
  readonly metricsPort: number | undefined
  /** Lets every worker finish its running calls; resolves when all have ended. */
  close(): Promise<void>
}

/** A worker that ends this soon after its start is not started again at once: something is wrong with what it starts with. */
const EARLY_MS = 5_000
/** Pause before such a worker is started again. */
const RESTART_MS = 2_000

/** What a worker says once it serves. */
const SERVES = 'serves'

/** In a worker: reports to the process that started it that it serves. */
export function tellServing(): void {
  if (cluster.isWorker) process.send?.(SERVES)
}

/**
 * Starts `count` processes of this command, which share its port, and keeps that many running. A port of 0 is chosen once. Resolves when all of them serve.
 * Throws CONFIGURATION_ERROR when one ends before it does, or when `stop` ends the start. Numbers for scrapers are summed over the workers here.
 */
export async function startWorkers(config: Config, count: number, log: Logger, stop: AbortSignal): Promise<Workers> {
  // Counts the calls of all workers together; they ask over the channel that the fork gives them.
  new RateLimiterClusterMaster()
  const numbers = await numbersOf(config)
  const ports = await workerPorts(config)
  const returnConnections = createConnectionReturn()
  let closing = false
  /** Resolves once the worker serves. From then on another takes its place when it ends. */
  const startOne = async (): Promise<void> => {
    const startedAt = performance.now()
    const worker = cluster.fork(ports)
    returnConnections(worker)
    await serving(worker)
    numbers?.add(worker)
    worker.once('exit', (code, signal) => {
      if (closing) return
      log.error({ pid: worker.process.pid, code, signal }, 'a worker ended; another takes its place')
      void replace(performance.now() - startedAt < EARLY_MS ? RESTART_MS : 0)
    })
  }
  const replace = async (waitMs: number): Promise<void> => {
    await sleep(waitMs)
    if (closing) return
    await startOne().catch((error: unknown) => {
      if (!closing) log.error({ err: error }, 'a worker did not start; it is tried again')
      return replace(RESTART_MS)
    })
  }
  const close = async () => {
    closing = true
    const running = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    await Promise.all(
      running.map((worker) => {
        const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
        worker.process.kill('SIGTERM')
        return ended
      }),
    )
  }
  stop.addEventListener('abort', () => void close(), { once: true })
  try {
    stop.throwIfAborted()
    await Promise.all(Array.from({ length: count }, startOne))
    const scrapes = await openScrapes(config, numbers, log)
    return {
      port: Number(ports.SALES_AGENT_PORT),
      metricsPort: scrapes?.port,
      async close() {
        await scrapes?.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Resolves once a worker serves; rejects when it ends before. */
function serving(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: unknown) => {
      if (message === SERVES) resolve()
    })
    worker.once('exit', (code, signal) => {
      const how = signal ? `by ${signal}` : `with code ${code}`
      reject(new AdcpError('CONFIGURATION_ERROR', `a worker ended ${how} before it served; its output is above`))
    })
  })
}

/** Only when somebody may scrape; the library is not even loaded otherwise. */
async function numbersOf({ metrics: { port, token } }: Config): Promise<WorkerNumbers | undefined> {
  if (port === undefined && token === undefined) return undefined
  const { gatherNumbers } = await import('../platform/metrics/worker-numbers.ts')
  return gatherNumbers()
}

async function openScrapes({ metrics: { host, port } }: Config, numbers: WorkerNumbers | undefined, log: Logger) {
  if (port === undefined || numbers === undefined) return undefined
  const onError = (error: unknown) => log.error({ err: error }, 'a scrape failed')
  return listenForScrapes({ host, port, route: metricsRoute(numbers), onError })
}
