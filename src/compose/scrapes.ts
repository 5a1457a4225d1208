import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Metrics } from '../platform/metrics/collect.ts'
import { listenForScrapes, type MetricsListener, metricsRoute } from '../transports/http/metrics.ts'

/** The listener for scrapers of this process, when the configuration gives them a port. */
export async function openScrapes(
  config: Pick<Config, 'metrics'>,
  metrics: Metrics | undefined,
  log: Logger,
): Promise<MetricsListener | undefined> {
  const { host, port } = config.metrics
  if (!metrics || port === undefined) return undefined
  const onError = (error: unknown) => log.error({ err: error }, 'a scrape failed')
  return listenForScrapes({ host, port, route: metricsRoute(metrics, undefined), onError })
}
