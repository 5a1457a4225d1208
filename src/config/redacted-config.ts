import type { AdServerSettings } from './ad-server-settings.ts'
import type { Config } from './config.ts'
import { redactedConnections } from './connection-settings.ts'
import { redactedDatabase } from './database-url.ts'
import { hideOptions } from './module-choice.ts'

/** The configuration without secrets: no scraper token, no collector headers, no client secret, no mail password, no key of the own check, no password of Kafka or Valkey, no password in the connection string, no options of modules. */
export function redactedConfig(config: Config): Config {
  const { token, ...metrics } = config.metrics
  const { identityProvider, ...oauth } = config.oauth
  const { smtp } = config.notifications
  const { key, ...selfCheck } = config.selfCheck
  return {
    ...config,
    oauth: { ...oauth, ...(identityProvider && { identityProvider: { ...identityProvider, clientSecret: '…' } }) },
    notifications: smtp ? { smtp: withoutPassword(smtp) } : {},
    ads: { ...config.ads, kafka: withoutPassword(config.ads.kafka), valkey: withoutPassword(config.ads.valkey) },
    selfCheck: { ...selfCheck, ...(key !== undefined && { key: '…' }) },
    metrics: { ...metrics, ...(token !== undefined && { token: '…' }) },
    tracing: { ...config.tracing, headers: config.tracing.headers.map((header) => `${header.split('=', 1)[0]}=…`) },
    adServer: withoutOptions(config.adServer),
    connect: redactedConnections(config.connect),
    tenants: Object.fromEntries(
      Object.entries(config.tenants).map(([tenant, { adServer, ...settings }]) => [
        tenant,
        { ...settings, ...(adServer && { adServer: withoutOptions(adServer) }) },
      ]),
    ),
    ...(config.database !== undefined && { database: redactedDatabase(config.database) }),
  }
}

function withoutPassword<T extends { readonly password?: string }>(settings: T): T {
  return { ...settings, ...(settings.password !== undefined && { password: '…' }) }
}

/** The options of a module may hold passwords: their names alone are shown. */
function withoutOptions(settings: AdServerSettings): AdServerSettings {
  const { products } = settings
  const hidden = products && Object.fromEntries(Object.entries(products).map(([id, choice]) => [id, hideOptions(choice)]))
  return { ...hideOptions(settings), ...(hidden && { products: hidden }) }
}
