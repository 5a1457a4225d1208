import type { Removal } from '../../domain/directory/crawled-publisher.ts'
import { DROPPED_AFTER_MS } from '../../domain/directory/freshness.ts'
import { publisherDomain } from '../../domain/directory/publisher-domain.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db, Store } from '../../store/database.ts'
import { directoryId } from '../../store/directory/directory-agents.ts'
import { hasClaims } from '../../store/directory/directory-claim-rows.ts'
import { replaceClaims } from '../../store/directory/directory-claims.ts'
import { exclude, findExclusion, forgetExclusions } from '../../store/directory/directory-exclusions.ts'
import { addPublishers, deletePublisher, findPublisher, requestCrawl } from '../../store/directory/directory-publishers.ts'
import type { DirectoryExclusionRow, DirectoryPublisherRow } from '../../store/directory/rows.ts'
import { wellKnownUrl } from './fetch-adagents.ts'
import { indexPublisher } from './index-document.ts'
import { dropOrphan } from './orphans.ts'

/** The store of the directory and its clock. */
export interface CrawlListDeps {
  readonly store: Store
  readonly clock: () => Date
}

/**
 * Puts domains on the crawl list, due at once; a name that was removed or dropped comes back. Returns how many are new. Throws
 * INVALID_REQUEST for a name that is blocked.
 */
export async function addDomains(deps: CrawlListDeps, domains: readonly string[]): Promise<number> {
  const now = deps.clock()
  const wanted = [...new Set(domains)]
  return deps.store.transaction(async (tx) => {
    for (const domain of wanted) {
      if ((await findExclusion(tx, domain))?.kind !== 'blocked') continue
      throw new AdcpError('INVALID_REQUEST', `${domain} is blocked; "directory unblock ${domain}" allows it again`, {
        field: 'domain',
      })
    }
    await forgetExclusions(tx, wanted)
    const added = await addPublishers(
      tx,
      wanted.map((domain) => ({ domain, origin: 'added' as const, dueAt: now })),
      now,
    )
    await replaceClaims(tx, [], [], wanted, now)
    return added
  })
}

/** Asks for an early refresh of some publishers or of all. */
export async function requestRefresh(deps: CrawlListDeps, domains: readonly string[] | 'all'): Promise<void> {
  await deps.store.transaction((tx) => requestCrawl(tx, domains, deps.clock()))
}

/**
 * Takes a name off the crawl list with every row about it: `removed` until it is added again, `blocked` until it is unblocked. Files that
 * mention it do not bring it back. Throws REFERENCE_NOT_FOUND for removing a name that is not on the list.
 */
export async function takeOff(
  deps: CrawlListDeps,
  domain: string,
  why: { readonly kind: Removal; readonly reason: string },
): Promise<void> {
  const now = deps.clock()
  await deps.store.transaction(async (tx) => {
    const publisher = await findPublisher(tx, domain)
    if (!publisher && why.kind === 'removed') {
      throw new AdcpError('REFERENCE_NOT_FOUND', `${domain} is not on the crawl list`, { field: 'domain' })
    }
    await exclude(tx, { publisher_domain: domain, ...why, excluded_at: now.toISOString() })
    if (publisher) await forgetPublisher(tx, publisher, now)
    await replaceClaims(tx, [], [], [domain], now)
  })
}

/**
 * Lets a blocked name be added and mentioned again; one that files speak for is asked at once, since they count only when its own address has answered. Throws
 * REFERENCE_NOT_FOUND for a name that is not blocked.
 */
export async function unblock(deps: CrawlListDeps, domain: string): Promise<void> {
  const now = deps.clock()
  await deps.store.transaction(async (tx) => {
    if ((await findExclusion(tx, domain))?.kind !== 'blocked') {
      throw new AdcpError('REFERENCE_NOT_FOUND', `${domain} is not blocked`, { field: 'domain' })
    }
    await forgetExclusions(tx, [domain])
    if (await hasClaims(tx, domain)) await addPublishers(tx, [{ domain, origin: 'manager', dueAt: now }], now)
    await replaceClaims(tx, [], [], [domain], now)
  })
}

/** Why a name that a visit gave nothing for leaves the crawl list now; undefined while it stays. */
export async function reasonToDrop(
  tx: Db,
  publisher: DirectoryPublisherRow,
  visit: { readonly optedOut: boolean; readonly now: Date },
): Promise<Pick<DirectoryExclusionRow, 'kind' | 'reason'> | undefined> {
  if (visit.optedOut) return { kind: 'opted_out', reason: 'its robots.txt keeps this crawler out' }
  const since = publisher.barren_since
  if (since === null || visit.now.getTime() - Date.parse(since) < DROPPED_AFTER_MS) return undefined
  // A name that managers speak for is visited on, because a file of its own would overrule theirs.
  return (await hasClaims(tx, publisher.publisher_domain))
    ? undefined
    : { kind: 'dropped', reason: `no visit has given a file since ${since}` }
}

/** Ends the crawl of a publisher, with the record why. */
export async function dropPublisher(
  tx: Db,
  publisher: DirectoryPublisherRow,
  why: Pick<DirectoryExclusionRow, 'kind' | 'reason'>,
  now: Date,
): Promise<void> {
  await exclude(tx, { publisher_domain: publisher.publisher_domain, ...why, excluded_at: now.toISOString() })
  await forgetPublisher(tx, publisher, now)
}

async function forgetPublisher(tx: Db, publisher: DirectoryPublisherRow, now: Date): Promise<void> {
  const domain = publisher.publisher_domain
  await deletePublisher(tx, domain)
  await indexPublisher(tx, { ...publisher, route_method: null, route_manager: null, route_document_id: null }, undefined, now)
  // Its file stays where others lead to it: they are still on the crawl list.
  const own = directoryId(wellKnownUrl(domain))
  await dropOrphan(tx, own, now)
  if (publisher.route_document_id !== own) await dropOrphan(tx, publisher.route_document_id, now)
}

/** The canonical form of a domain that somebody wrote. Throws INVALID_REQUEST naming it. */
export function requireDomain(text: string): string {
  const domain = publisherDomain(text)
  if (domain === undefined) throw new AdcpError('INVALID_REQUEST', `"${text}" is not a domain`, { field: 'domain' })
  return domain
}
