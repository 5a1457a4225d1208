import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { RateLimiterClusterMaster } from 'rate-limiter-flexible'
import type { Config } from './config.ts'
import { listenForScrapes } from './doors/http/metrics.ts'
import { AdcpError } from './errors.ts'

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

/**
 * Starts `count` processes of this command, which share its port, and keeps that many running. Resolves when all of them take
 * connections; rejects when one ends before it does. Numbers for scrapers are summed over the workers here.
 */
export async function startWorkers(config: Config, count: number, log: Logger): Promise<Workers> {
  if (config.metrics.token !== undefined) {
    throw new AdcpError('CONFIGURATION_ERROR', 'metrics.token is for one process; with several workers set metrics.port', {
      field: 'metrics.token',
    })
  }
  // Counts the calls of all workers together; they ask over the channel that the fork gives them.
  new RateLimiterClusterMaster()
  let closing = false
  const startOne = (): Promise<{ worker: Worker; port: number }> => {
    const worker = cluster.fork()
    const startedAt = performance.now()
    worker.once('exit', (code, signal) => {
      if (closing) return
      log.error({ pid: worker.process.pid, code, signal }, 'a worker ended; another takes its place')
      const wait = performance.now() - startedAt < EARLY_MS ? RESTART_MS : 0
      void sleep(wait).then(() => (closing ? undefined : startOne().catch(() => undefined)))
    })
    return new Promise((resolve, reject) => {
      worker.once('listening', ({ port }) => resolve({ worker, port }))
      worker.once('exit', (code) => reject(new Error(`a worker ended with code ${code} before it served`)))
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
  try {
    const started = await Promise.all(Array.from({ length: count }, startOne))
    const scrapes = await openScrapes(config, log)
    return {
      port: started[0]?.port ?? config.port,
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

async function openScrapes({ metrics: { host, port } }: Config, log: Logger) {
  if (port === undefined) return undefined
  const { AggregatorRegistry } = await import('prom-client')
  const registry = new AggregatorRegistry()
  return listenForScrapes({
    host,
    port,
    onError: (error) => log.error({ err: error }, 'a scrape failed'),
    route: async (_request, response) => {
      const body = await registry.clusterMetrics()
      response.writeHead(200, { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' }).end(body)
    },
  })
}
