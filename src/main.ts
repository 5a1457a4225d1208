import cluster from 'node:cluster'
import { randomUUID } from 'node:crypto'
import type { AdsServer } from './compose/ads-server.ts'
import { createApp } from './compose/app.ts'
import type { EventsServer } from './compose/events-server.ts'
import { reportBackends } from './compose/report-backends.ts'
import { dispatchOptions } from './compose/routes.ts'
import { type RunningServer, startServer } from './compose/server.ts'
import { startWorkers, tellServing, type Workers } from './compose/workers.ts'
import { type Config, stdioKey } from './config/config.ts'
import { createLog } from './platform/log.ts'
import { AdcpError } from './protocol/errors.ts'
import { identify } from './security/auth/identify.ts'

/** Said at every start with `conformance`, since sandbox buyers find a different publisher then. */
const CONFORMANCE =
  'conformance: sandbox principals see a test product and test brands, may use accounts that they never declared, and reach all their accounts at once; for the official storyboards only'

/** Says at every start what buyers could take for real and is not, and where their orders are booked. */
async function describeStart(server: RunningServer): Promise<void> {
  if (server.config.conformance) server.log.warn(CONFORMANCE)
  await reportBackends(server)
}

/** Starts the HTTP server and ends the process in order on SIGTERM and SIGINT: running calls finish, then exit code 0. */
export async function serve(config: Config): Promise<RunningServer> {
  const server = await startServer(config)
  const { port, metricsPort } = server
  // Of several workers one says it for all.
  if (!cluster.isWorker || cluster.worker?.id === 1) await describeStart(server)
  server.log.info({ port, host: config.host, sandbox: config.sandbox, metricsPort }, 'serving')
  tellServing()
  onSignal(async () => {
    server.log.info('draining')
    await server.close()
  })
  return server
}

/** Serves ads alone, without the agent; ends in order on SIGTERM and SIGINT. */
export async function serveAds(config: Config): Promise<AdsServer> {
  const { startAdsServer } = await import('./compose/ads-server.ts')
  const server = await startAdsServer(config)
  onSignal(server.close)
  return server
}

/** Counts ad events from the log into the store, without the agent; ends in order on SIGTERM and SIGINT. */
export async function serveEvents(config: Config): Promise<EventsServer> {
  const { startEventsServer } = await import('./compose/events-server.ts')
  const server = await startEventsServer(config)
  onSignal(server.close)
  return server
}

/** Starts as many processes as the configuration says, which share one port; this one only watches over them. */
export async function serveWithWorkers(config: Config): Promise<Workers> {
  const log = createLog(config.log.level)
  const stop = new AbortController()
  const starting = startWorkers(config, config.workers, log, stop.signal)
  // Before any of them serves: what one has done while others start is brought to its end too.
  onSignal(async () => {
    log.info('draining')
    stop.abort()
    await starting.then(
      (workers) => workers.close(),
      () => undefined,
    )
  })
  const workers = await starting.catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
    // The signal ends this process.
    return new Promise<never>(() => {})
  })
  const { port, metricsPort } = workers
  log.info({ port, host: config.host, workers: config.workers, metricsPort }, 'serving')
  return workers
}

/**
 * Serves MCP on stdin and stdout as the principal whose key is in the environment, until the client goes; without a key as a caller
 * without credentials. Throws AUTH_INVALID for a key that does not count, before the client is answered anything.
 */
export async function serveOverStdio(config: Config): Promise<void> {
  const { serveStdio, stdioCredentials } = await import('./transports/mcp/stdio.ts')
  const app = await createApp(config)
  const key = stdioKey()
  const caller = await identify(app.verifiers, stdioCredentials(key), app.clock())
  if (caller.kind === 'refused') {
    await app.close()
    throw new AdcpError('AUTH_INVALID', 'the key in SALES_AGENT_KEY is not valid here', { field: 'SALES_AGENT_KEY' })
  }
  const connection = serveStdio({ ...dispatchOptions(app), key, log: app.log, newRequestId: randomUUID })
  onSignal(() => connection.close())
  await connection.closed
  await app.close()
}

function onSignal(stop: () => Promise<void>): void {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return
      stopping = true
      void stop().then(
        () => process.exit(0),
        () => process.exit(1),
      )
    })
  }
}
