import { type Config, publicOrigin } from '../config/config.ts'
import { loadLastingKeys, storeLastingKeys } from '../features/secrets/lasting-keys.ts'
import { adEventSpool } from '../operator/store/ad-event-spool.ts'
import { createLog } from '../platform/log.ts'
import { collectMetrics } from '../platform/metrics/collect.ts'
import { peerOf } from '../platform/net/peer.ts'
import { createShutdown } from '../platform/shutdown.ts'
import { BASE_SOURCE } from '../protocol/contract-source.ts'
import { loadContracts } from '../protocol/contracts.ts'
import { openStore } from '../store/open.ts'
import { createProductCache } from '../store/product/product-cache.ts'
import { listen, type Routes } from '../transports/http/server.ts'
import { adHealthRoutes } from './ad-events.ts'
import { deploymentSecrets } from './deployment-secrets.ts'
import { embeddedOrigin, startEmbeddedServing } from './embedded-ad-server.ts'
import { openScrapes } from './scrapes.ts'
import { startSecretHolder } from './secret-holder.ts'

/** A process that serves ads alone. */
export interface AdsServer {
  readonly port: number
  /** Of the listener for scrapers, when there is one. */
  readonly metricsPort: number | undefined
  /** Lets running requests finish; every event that was accepted is written. */
  close(): Promise<void>
}

/**
 * Serves decisions, events and creatives of the embedded ad server without the agent, on `ads.port`, else on the main port. What is sold is read from the store that
 * the agent's processes write; they import what is counted.
 */
export async function startAdsServer(config: Config): Promise<AdsServer> {
  const log = createLog(config.log.level)
  const { started, run } = createShutdown()
  const routes: { current: Routes } = { current: [] }
  const peer = peerOf(config)
  const { ads, tls, drainSeconds } = config
  const { host, port } = ads.port === undefined ? config : { host: ads.host, port: ads.port }
  try {
    const store = started(await openStore(config), (it) => it.close())
    const { schemas } = loadContracts([BASE_SOURCE]).base
    const secret = deploymentSecrets(config)
    started(await startSecretHolder({ store, secrets: secret, config, log }), (job) => job.stop())
    await store.transaction((tx) => storeLastingKeys(tx, secret, new Date()))
    const lastingKeys = await loadLastingKeys(store.read, secret)
    const agentUrl = `${publicOrigin(config)}/mcp`
    const products = createProductCache(agentUrl)
    const clock = () => new Date()
    const metrics = await collectMetrics(config, store, { clock, spool: adEventSpool(config).contents })
    const scrapes = started(await openScrapes(config, metrics, log), (it) => it?.close())
    const serving = await startEmbeddedServing({
      ...{ store, config, products, agentUrl, schemas, secret, lastingKeys, log, clock },
      ...{ countEvents: metrics?.adEvents, countUncounted: metrics?.adRequestsUncounted, countCapped: metrics?.adCapsDecided },
    })
    const embedded = started(serving, ({ service }) => service.close())
    const listener = started(await listen({ host, port, log, drainMs: drainSeconds * 1000, peerOf: peer, tls }, routes), (it) =>
      it.close(),
    )
    const bound =
      ads.port === undefined ? { ...config, port: listener.port } : { ...config, ads: { ...ads, port: listener.port } }
    routes.current = [...embedded.routes(embeddedOrigin(bound), peer), ...adHealthRoutes({ store, schemas, config }, serving)]
    return { port: listener.port, metricsPort: scrapes?.port, close: run }
  } catch (error) {
    await run()
    throw error
  }
}
