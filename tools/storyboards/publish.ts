import { FRESHNESS } from '../../src/domain/directory/freshness.ts'
import { addDomains, requestRefresh } from '../../src/features/directory/crawl-list.ts'
import { crawl } from '../../src/features/directory/crawler.ts'
import type { SafeFetch } from '../../src/platform/net/safe-fetch.ts'
import { openStore, type StorePlace } from '../../src/store/open.ts'

/**
 * Lets the crawler of the directory find an adagents.json at a domain, beside the running server, as `sales-agent directory crawl` does. The domains of
 * our stories are reserved names that no server answers for, so the file is handed to the crawler in place of a network.
 * @throws Error when the crawler could not take the file
 */
export async function publish(place: StorePlace, domain: string, adagents: object): Promise<void> {
  const store = await openStore(place, { create: false, migrate: false })
  try {
    const clock = () => new Date()
    const warnings: string[] = []
    const warn = (details: object, message: string) => void warnings.push(`${message} ${JSON.stringify(details)}`)
    const deps = { store, fetch: fileAt(domain, adagents), clock, random: Math.random, limits: FRESHNESS, worker: 'story', warn }
    await addDomains(deps, [domain])
    await requestRefresh(deps, [domain])
    const { failed } = await crawl(deps, { concurrency: 1 })
    if (failed > 0) throw new Error(`the crawler did not take the file of ${domain}: ${warnings.join('; ')}`)
  } finally {
    await store.close()
  }
}

function fileAt(domain: string, adagents: object): SafeFetch {
  return async (url) => {
    const isThere = new URL(url).host === domain
    return {
      status: isThere ? 200 : 404,
      url,
      body: Buffer.from(isThere ? JSON.stringify(adagents) : ''),
      contentType: 'application/json',
      etag: undefined,
      lastModified: undefined,
      retryAfter: undefined,
    }
  }
}
