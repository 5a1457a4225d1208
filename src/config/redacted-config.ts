import type { Config } from './config.ts'
import { shownDatabase } from './database-url.ts'

/** The configuration as it may be shown: without the token for scrapers, the headers for the collector, and the connection string without what it lets in with. */
export function shownConfig(config: Config): Config {
  const { token, ...metrics } = config.metrics
  const { identityProvider, ...oauth } = config.oauth
  return {
    ...config,
    oauth: { ...oauth, ...(identityProvider && { identityProvider: { ...identityProvider, clientSecret: '…' } }) },
    metrics: { ...metrics, ...(token !== undefined && { token: '…' }) },
    tracing: { ...config.tracing, headers: config.tracing.headers.map((header) => `${header.split('=', 1)[0]}=…`) },
    ...(config.database !== undefined && { database: shownDatabase(config.database) }),
  }
}
