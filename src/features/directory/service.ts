import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { FRESHNESS } from '../../domain/directory/freshness.ts'
import type { Counters } from '../../platform/net/rate-limit.ts'
import { createSafeFetch, POLITE, type SafeFetch } from '../../platform/net/safe-fetch.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { exemptFromLimits } from '../../security/auth/call-limits.ts'
import type { Store } from '../../store/database.ts'
import { isRecording, setRecording } from '../../store/directory/directory-feed.ts'
import { ownerName } from '../../store/task/process-name.ts'
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
  const used = (['allowLoopback', 'resolve', 'ca'] as const).find((name) => directory[name])
  if (used !== undefined && mode === 'production') {
    throw new AdcpError(
      'CONFIGURATION_ERROR',
      `directory.${used} is a development switch; it cannot be used in production mode`,
      {
        field: `directory.${used}`,
      },
    )
  }
  return createSafeFetch({
    userAgent: USER_AGENT,
    mode,
    ...(directory.allowLoopback && { development: {} }),
    ...(directory.resolve !== undefined && resolvedTo(directory.resolve)),
    ...(directory.ca !== undefined && { ca: rootsIn(directory.ca) }),
  })
}

/** The certificates of `directory.ca`. Throws CONFIGURATION_ERROR when the file cannot be read. */
function rootsIn(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const message = `directory.ca has to name a PEM file of certificates; ${path} cannot be read`
    throw new AdcpError('CONFIGURATION_ERROR', message, { field: 'directory.ca', cause })
  }
}

/** Every name resolves to one address and port of this machine. */
function resolvedTo(target: string) {
  const colon = target.lastIndexOf(':')
  const address = target.slice(0, colon).replace(/^\[|\]$/g, '')
  return {
    development: { port: Number(target.slice(colon + 1)) },
    lookup: async () => [address],
    // The one address is the whole web here.
    politeness: { ...POLITE, perAddress: Number.POSITIVE_INFINITY },
  }
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
    worker: ownerName(),
    warn: (details, message) => options.log.warn(details, message),
  }
}

/** Records changes of authorisations from now on, when the configuration has it. */
export async function recordIfConfigured(store: Store, config: Config): Promise<void> {
  if (config.directory.feed && !(await isRecording(store.read))) await store.transaction((tx) => setRecording(tx, true))
}

/** The same, and no longer when the configuration has it not: a server says what the store is for, a command may have been typed without the setting. */
async function recordAsConfigured(store: Store, config: Config, log: Logger): Promise<void> {
  await recordIfConfigured(store, config)
  if (config.directory.feed || !(await isRecording(store.read))) return
  await store.transaction((tx) => setRecording(tx, false))
  log.warn(
    'directory.feed is off: changes of authorisations are no longer recorded, and readers of the feed start anew when it is on again',
  )
}

/** The directory of a running server: its rate limit, its upkeep and, when configured, its crawler. */
export function startDirectory(
  store: Store,
  config: Config,
  options: {
    clock: () => Date
    log: Logger
    counters?: Counters | undefined
    /** Called with the result of every refresh. */
    onRefresh?: ((result: string) => void) | undefined
  },
): DirectoryService {
  const deps = refreshDeps(store, config, options)
  const stop = new AbortController()
  const recording = recordAsConfigured(store, config, options.log).catch((error: unknown) =>
    options.log.error({ err: error }, 'the record of changes could not be turned on or off'),
  )
  const upkeep = setInterval(() => {
    expireStale(deps).catch((error: unknown) => options.log.error({ err: error }, 'directory upkeep failed'))
  }, UPKEEP_MS).unref()
  const crawling = config.directory.crawl
    ? recording
        .then(() =>
          crawl(deps, {
            concurrency: config.directory.concurrency,
            watch: true,
            signal: stop.signal,
            onProgress: ({ report }) => options.onRefresh?.(report?.result ?? 'error'),
          }),
        )
        .catch((error: unknown) => options.log.error({ err: error }, 'the directory crawl ended'))
    : undefined
  return {
    limit: createLookupLimit({ ...config.directory, isExempt: exemptFromLimits(config), counters: options.counters }),
    async close() {
      clearInterval(upkeep)
      stop.abort()
      await recording
      await crawling
    },
  }
}
