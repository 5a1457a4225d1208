import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { FRESHNESS } from '../../domain/directory/freshness.ts'
import type { Counters } from '../../platform/net/rate-limit.ts'
import { createSafeFetch, type SafeFetch } from '../../platform/net/safe-fetch.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Store } from '../../store/database.ts'
import { crawl } from './crawler.ts'
import { expireStale } from './expire.ts'
import { createLookupLimit, type LookupLimit } from './lookup-limit.ts'
import type { RefreshDeps } from './shared-documents.ts'

/** How often a server takes out rows whose file has not been verified for too long. */
const UPKEEP_MS = 60_000
/** Publishers can ask us by this name to stay away. */
export const USER_AGENT = 'adcp-sales-agent-directory/0.1'

export interface DirectoryService {
  readonly limit: LookupLimit
  /** Ends the crawl and the upkeep; resolves when no refresh runs any more. */
  close(): Promise<void>
}

/** The outbound fetch of a configuration. Throws CONFIGURATION_ERROR for loopback access in production mode. */
export function directoryFetch(config: Config): SafeFetch {
  const { mode, directory } = config
  if (directory.allowLoopback && mode === 'production') {
    throw new AdcpError(
      'CONFIGURATION_ERROR',
      'directory.allowLoopback is a development switch; it cannot be used in production mode',
      {
        field: 'directory.allowLoopback',
      },
    )
  }
  return createSafeFetch({ userAgent: USER_AGENT, mode, ...(directory.allowLoopback && { development: {} }) })
}

/** What refreshing needs, from a configuration. */
export function refreshDeps(
  store: Store,
  config: Config,
  options: { clock: () => Date; log: Pick<Logger, 'warn'> },
): RefreshDeps {
  return {
    store,
    fetch: directoryFetch(config),
    clock: options.clock,
    random: Math.random,
    limits: {
      ...FRESHNESS,
      refreshMs: config.directory.refreshHours * 3_600_000,
      failingMs: config.directory.failingHours * 3_600_000,
    },
    worker: randomUUID(),
    warn: (details, message) => options.log.warn(details, message),
  }
}

/** The directory of a running server: its rate limit, its upkeep and, when configured, its crawler. */
export function startDirectory(
  store: Store,
  config: Config,
  options: {
    clock: () => Date
    log: Logger
    counters?: Counters | undefined
    /** Told the result of every refresh. */
    onRefresh?: ((result: string) => void) | undefined
  },
): DirectoryService {
  const deps = refreshDeps(store, config, options)
  const stop = new AbortController()
  const upkeep = setInterval(() => {
    expireStale(deps).catch((error: unknown) => options.log.error({ err: error }, 'directory upkeep failed'))
  }, UPKEEP_MS).unref()
  const crawling = config.directory.crawl
    ? crawl(deps, {
        concurrency: config.directory.concurrency,
        watch: true,
        signal: stop.signal,
        onProgress: ({ report }) => options.onRefresh?.(report?.result ?? 'error'),
      }).catch((error: unknown) => options.log.error({ err: error }, 'the directory crawl ended'))
    : undefined
  return {
    limit: createLookupLimit({ ...config.directory, counters: options.counters }),
    async close() {
      clearInterval(upkeep)
      stop.abort()
      await crawling
    },
  }
}
