import type { Config } from './config.ts'
import { redactedDatabase } from './database-url.ts'

/** The configuration without secrets: no scraper token, no collector headers, no client secret, no password in the connection string. */
export function redactedConfig(config: Config): Config {
  const { token, ...metrics } = config.metrics
  const { identityProvider, ...oauth } = config.oauth
  return {
    ...config,
    oauth: { ...oauth, ...(identityProvider && { identityProvider: { ...identityProvider, clientSecret: '…' } }) },
    metrics: { ...metrics, ...(token !== undefined && { token: '…' }) },
    tracing: { ...config.tracing, headers: config.tracing.headers.map((header) => `${header.split('=', 1)[0]}=…`) },
    ...(config.database !== undefined && { database: redactedDatabase(config.database) }),
  }
}
