import { FRESHNESS } from '../../src/domain/directory/freshness.ts'
import { addDomains } from '../../src/features/directory/crawl-list.ts'
import { crawl } from '../../src/features/directory/crawler.ts'
import { openStore, type StorePlace } from '../../src/store/open.ts'
import { AGENT_URL } from './later-world.ts'

const PROPERTY = {
  property_type: 'website',
  name: 'Site',
  identifiers: [{ type: 'domain', value: 'site.example' }],
  property_id: 'home',
}
const FILE = JSON.stringify({
  properties: [PROPERTY],
  authorized_agents: [
    { url: AGENT_URL, authorized_for: 'all', authorization_type: 'property_ids', property_ids: [PROPERTY.property_id] },
  ],
})
const PUBLISHERS = ['a.example', 'b.example', 'c.example']

/**
 * Fills the directory of a running agent, from beside it as `directory crawl` does: three publishers authorise {@link AGENT_URL}.
 * Nothing is fetched.
 */
export async function indexPublishers(place: StorePlace, now: Date): Promise<void> {
  const store = await openStore(place, { create: false, migrate: false })
  try {
    const deps = {
      store,
      fetch: async (url: string) => ({
        status: 200,
        url,
        body: Buffer.from(FILE),
        contentType: 'application/json',
        etag: undefined,
        lastModified: undefined,
        retryAfter: undefined,
      }),
      clock: () => now,
      random: () => 0.5,
      limits: FRESHNESS,
      worker: 'fuzz',
      warn: () => undefined,
    }
    await addDomains(deps, PUBLISHERS)
    await crawl(deps, { concurrency: 1 })
  } finally {
    await store.close()
  }
}
