import type { Db } from '../../store/database.ts'
import { listAttempts } from '../../store/directory/directory-attempts.ts'
import { findPublisher } from '../../store/directory/directory-publishers.ts'
import { findCrawlRequest } from '../../store/registry/registry-entries.ts'
import { RegistryRefusal } from './refusal.ts'

/** How far a request for a crawl is, by its id. Throws a refusal (404) for an id that is unknown or was followed by another of the same domain. */
export async function crawlRequestStatus(db: Db, id: string, now: Date): Promise<object> {
  const request = await findCrawlRequest(db, id)
  if (!request) {
    throw new RegistryRefusal(404, 'crawl_request_not_found', 'no request for a crawl has this id, or a later one for its domain')
  }
  const { domain, requested_at } = request
  const [visit] = (await listAttempts(db, domain)).filter(({ attempted_at }) => attempted_at >= requested_at).slice(-1)
  const publisher = await findPublisher(db, domain)
  const isRunning = publisher?.lease_until != null && publisher.lease_until >= now.toISOString()
  return {
    crawl_request_id: request.crawl_request_id,
    domain,
    status: visit ? 'done' : isRunning ? 'running' : 'queued',
    requested_at,
    finished_at: visit ? new Date(Date.parse(visit.attempted_at) + visit.duration_ms).toISOString() : null,
    result: visit?.result ?? null,
    reason: visit?.reason ?? null,
  }
}
