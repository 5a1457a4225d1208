import cluster from 'node:cluster'
import type { Config } from '../config/config.ts'
import { createLog } from '../platform/log.ts'
import { type PeerOf, peerOf } from '../platform/net/peer.ts'
import { createShutdown } from '../platform/shutdown.ts'
import { type Listener, listen, type Routes } from '../transports/http/server.ts'
import { adHealthRoutes } from './ad-events.ts'
import { type App, type AppOptions, createApp } from './app.ts'
import { consoleOf } from './console.ts'
import { embeddedOrigin } from './embedded-ad-server.ts'
import { readFirstBrief } from './first-reading.ts'
import { routesOf } from './routes.ts'
import { openScrapes } from './scrapes.ts'

/** What the app has to end in after its last call, whatever that call still does: containers are killed two seconds after the calls' time is over. */
const AFTER_CALLS_MS = 1_000

/** A running server: the app behind its HTTP transports. */
export interface RunningServer extends App {
  readonly port: number
  /** Of the listener for scrapers, when there is one. */
  readonly metricsPort: number | undefined
  /** Of the listener for ads alone, when there is one. */
  readonly adsPort: number | undefined
  /** Of the console's own listener, when the configuration gives it one. */
  readonly consolePort: number | undefined
  /** What the port serves, by path. */
  readonly routes: Routes
}

/**
 * Binds the port, then composes the app behind it (callers get 503 until it is there), so that a chosen port of 0 is known
 * to everything that advertises an address. A worker of a known port binds it last: the others serve meanwhile, and each connection that
 * it had would be kept from them. `close` drains running calls first.
 */
export async function startServer(config: Config, options: AppOptions = {}): Promise<RunningServer> {
  const log = options.log ?? createLog(config.log.level)
  const routes: { current: Routes } = { current: [] }
  const peer = peerOf(config)
  const { host, port, tls } = config
  const bind = () => listen({ host, port, log, drainMs: config.drainSeconds * 1000, peerOf: peer, tls }, routes)
  const early = cluster.isWorker && port !== 0 ? undefined : await bind()
  const { started, run } = createShutdown()
  let endsAt = Number.POSITIVE_INFINITY
  const close = () => {
    endsAt = Math.min(endsAt, performance.now() + config.drainSeconds * 1000 + AFTER_CALLS_MS)
    return run()
  }
  try {
    const app = started(await createApp({ ...config, port: early?.port ?? port }, { ...options, log }), (it) =>
      it.close(endsAt - performance.now()),
    )
    // Workers leave it to the process that started them.
    const scrapes = started(cluster.isWorker ? undefined : await openScrapes(app.config, app.metrics, log), (it) => it?.close())
    const ads = started(await openAds(app, peer), (it) => it?.close())
    const console = config.console.enabled ? consoleOf(app, peer) : []
    const hasOwnPort = config.console.enabled && config.console.port !== undefined
    const pages = started(hasOwnPort ? await openConsole(app, peer, console) : undefined, (it) => it?.close())
    routes.current = [...(hasOwnPort ? [] : console), ...(await routesOf(app, peer))]
    // The last, so that calls end before what answers them.
    const listener = started(early ?? (await bind()), (it) => it.close())
    void readFirstBrief()
    return {
      ...app,
      port: listener.port,
      metricsPort: scrapes?.port,
      adsPort: ads?.port,
      consolePort: pages?.port,
      routes: routes.current,
      close,
    }
  } catch (error) {
    await early?.close()
    await run()
    throw error
  }
}

/** The listener for ads alone, when the configuration gives them a port. */
async function openAds({ config, embedded, log, store, contracts }: App, peer: PeerOf): Promise<Listener | undefined> {
  const { host, port } = config.ads
  if (port === undefined) return undefined
  const routes: { current: Routes } = { current: [] }
  const listener = await listen({ host, port, log, drainMs: config.drainSeconds * 1000, peerOf: peer }, routes)
  const { schemas } = contracts.base
  routes.current = [
    ...embedded.routes(embeddedOrigin({ ...config, ads: { ...config.ads, port: listener.port } }), peer),
    ...adHealthRoutes({ store, schemas, config }, embedded),
  ]
  return listener
}

/** The console's own listener. Its addresses are paths, so they hold on any port. */
function openConsole({ config, log }: App, peer: PeerOf, console: Routes): Promise<Listener> {
  const { drainSeconds, tls } = config
  const { host, port = 0 } = config.console
  return listen({ host, port, log, drainMs: drainSeconds * 1000, peerOf: peer, tls }, { current: console })
}
