import type { Logger } from 'pino'
import { requestRefresh, requireDomain } from '../../features/directory/crawl-list.ts'
import { type CrawlOptions, type CrawlTotals, crawl } from '../../features/directory/crawler.ts'
import { recordIfConfigured, refreshDeps } from '../../features/directory/service.ts'
import type { OperatorContext } from '../operator-context.ts'
import { joinCrawlList } from './change-crawl-list.ts'

export interface CrawlRequest
  extends Pick<CrawlOptions, 'signal' | 'onProgress' | 'onWait' | 'waitForLeases' | 'watch' | 'acceptPointer'> {
  /** Refreshes this publisher now; it joins the crawl list when it is new. */
  readonly domain?: string | undefined
  /** Refreshes every publisher now. */
  readonly all?: boolean | undefined
  /** Default: that of the configuration. */
  readonly concurrency?: number | undefined
  readonly log: Pick<Logger, 'warn'>
}

/**
 * Refreshes publishers that are due, or those that are asked for. A visit decides nothing, so it leaves no audit entry; a name that joins
 * the crawl list does. Throws INVALID_REQUEST for what is no domain or is blocked.
 */
export async function crawlPublishers(context: OperatorContext, request: CrawlRequest): Promise<CrawlTotals> {
  const { store, config, clock } = context
  const { all, log, concurrency = config.directory.concurrency, domain: asked, ...rest } = request
  const deps = refreshDeps(store, config, { clock, log })
  await recordIfConfigured(store, config)
  const domain = asked === undefined ? undefined : requireDomain(asked)
  if (domain !== undefined) await joinCrawlList(context, [domain])
  if (domain !== undefined || all) await requestRefresh(deps, domain === undefined ? 'all' : [domain])
  // Asked for by name: the manager's file is fetched again too.
  return crawl(deps, { ...rest, concurrency, ...(domain !== undefined && { domain, maxAgeMs: 0 }) })
}
