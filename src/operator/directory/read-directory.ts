import { fetchAgentAuthorizations, type PublisherAuthorization, requireAgent } from '../../features/directory/client.ts'
import { requireDomain } from '../../features/directory/crawl-list.ts'
import { authorizationLines } from '../../features/directory/export.ts'
import { directoryFetch } from '../../features/directory/service.ts'
import { type Explanation, explain } from '../../features/directory/why.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { listAttempts } from '../../store/directory/directory-attempts.ts'
import { pageExclusions } from '../../store/directory/directory-exclusions.ts'
import { findPublisher } from '../../store/directory/directory-publishers.ts'
import { directoryStats, pagePublisherRows } from '../../store/directory/directory-stats.ts'
import type { DirectoryExclusionRow, DirectoryPublisherRow } from '../../store/directory/rows.ts'
import type { OperatorContext } from '../operator-context.ts'

export type { DirectoryExclusionRow, DirectoryPublisherRow }

/** Rows of one read of a list. */
const PAGE = 1_000

/** What the directory knows of a publisher on the crawl list. Throws INVALID_REQUEST, REFERENCE_NOT_FOUND. */
export async function publisherStatus({ store, clock }: Pick<OperatorContext, 'store' | 'clock'>, domain: string) {
  const now = clock()
  const publisher = await findPublisher(store.read, requireDomain(domain))
  if (!publisher) throw new AdcpError('REFERENCE_NOT_FOUND', `${domain} is not on the crawl list`, { field: 'domain' })
  const attempts = await listAttempts(store.read, publisher.publisher_domain)
  const { claims, not_listed_because } = await explain(store.read, publisher.publisher_domain, now)
  return {
    domain: publisher.publisher_domain,
    serves: publisher.serves,
    discovery_method: publisher.route_method,
    manager_domain: publisher.route_manager,
    pending_pointer: publisher.pointer_pending,
    next_attempt_at: publisher.next_attempt_at,
    lease: leaseOf(publisher, now),
    claims,
    not_listed_because,
    attempts: attempts.map(({ attempted_at, result, reason, duration_ms }) => ({ attempted_at, result, reason, duration_ms })),
  }
}

/** The crawler that refreshes a publisher at `now`; null when none does. */
export function leaseOf(
  { lease_owner: owner, lease_until: until }: Pick<DirectoryPublisherRow, 'lease_owner' | 'lease_until'>,
  now: Date,
): { readonly owner: string; readonly until: string } | null {
  return owner !== null && until !== null && until >= now.toISOString() ? { owner, until } : null
}

/** Pages of the crawl list in byte order of the domains, those after a name. */
export function crawlListPages({ store }: OperatorContext, after = ''): AsyncGenerator<readonly DirectoryPublisherRow[]> {
  return pages(store.read, pagePublisherRows, after)
}

/** Pages of the names that were dropped, removed or blocked, in byte order, those after a name. */
export function exclusionPages({ store }: OperatorContext, after = ''): AsyncGenerator<readonly DirectoryExclusionRow[]> {
  return pages(store.read, pageExclusions, after)
}

/** How much the directory holds: the crawl list by what the names serve, exclusions by kind, rows, agents and files. */
export function readStats({ store, clock }: OperatorContext): ReturnType<typeof directoryStats> {
  return directoryStats(store.read, clock())
}

/** Every authorisation in force as lines of JSON, some thousand at a time. */
export function exportLines({ store }: OperatorContext): AsyncGenerator<string> {
  return authorizationLines(store.read)
}

/** Why the directory lists an agent for a publisher or does not, and what the publisher's own file says now; `offline` leaves that out. */
export async function explainListing(
  { store, config, clock }: OperatorContext,
  asked: { readonly agentUrl: string; readonly domain: string; readonly offline: boolean },
): Promise<
  Explanation & { readonly agent: string; readonly domain: string; readonly source: PublisherAuthorization | undefined }
> {
  const [agent, domain] = [requireAgent(asked.agentUrl), requireDomain(asked.domain)]
  const explanation = await explain(store.read, domain, clock(), agent)
  if (asked.offline) return { ...explanation, agent, domain, source: undefined }
  const answers = await fetchAgentAuthorizations(agent, [domain], { fetch: directoryFetch(config) })
  return { ...explanation, agent, domain, source: answers.get(domain) }
}

async function* pages<Row extends { readonly publisher_domain: string }>(
  db: Db,
  read: (db: Db, after: string, limit: number) => Promise<Row[]>,
  start: string,
): AsyncGenerator<readonly Row[]> {
  for (let after: string | undefined = start; after !== undefined; ) {
    const page: Row[] = await read(db, after, PAGE)
    yield page
    after = page.length < PAGE ? undefined : page.at(-1)?.publisher_domain
  }
}
