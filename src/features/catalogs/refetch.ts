import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { Catalog, CatalogItem } from '../../domain/catalog/catalog.ts'
import { failedFeed, freshFeed } from '../../domain/catalog/feed-schedule.ts'
import { reviewItems } from '../../domain/catalog/review-items.ts'
import { tallied } from '../../domain/catalog/sync-catalog.ts'
import type { Steps } from '../../platform/concurrency/steps.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { type BackgroundJob, startBackgroundJob } from '../../platform/scheduler/background-job.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { replaceItems } from '../../store/catalog/catalog-items.ts'
import { dueFeeds, type OwnedCatalog, saveCatalog } from '../../store/catalog/catalogs.ts'
import type { Store } from '../../store/database.ts'
import type { FeedAnswer, FeedSource } from './feed-source.ts'

export interface RefetchOptions {
  readonly store: Store
  readonly feeds: FeedSource
  readonly clock: () => Date
  readonly log: Pick<Logger, 'error' | 'warn'>
  readonly pollMs?: number
}

/** The shortest interval between fetches of a feed is a quarter of an hour. */
const POLL_MS = 30_000
/** Feeds that are fetched at the same time. */
const BATCH = 8
/** A process that dies while it fetches leaves the feed to another after this time. */
const LEASE_MS = 120_000

/** Fetches feeds again when their `update_frequency` says so. Several processes may run it: each feed is taken by the one whose lease commits. */
export function startRefetch(options: RefetchOptions): BackgroundJob {
  const { store, clock, log, pollMs = POLL_MS } = options
  const look = async () => {
    const due = await dueFeeds(store.read, clock(), BATCH)
    await Promise.all(due.map((owned) => refetch(owned, options)))
    return due.length === BATCH
  }
  return startBackgroundJob(look, pollMs, (error) => log.error({ err: error }, 'looking for feeds failed'))
}

async function refetch(owned: OwnedCatalog, { store, feeds, clock, log }: RefetchOptions): Promise<void> {
  const { tenantId, catalog } = owned
  const { url } = catalog.document
  const taken = url === undefined ? undefined : await take(store, owned, clock())
  if (!taken || url === undefined) return
  const known = { etag: taken.feed?.etag, lastModified: taken.feed?.lastModified }
  const answer = await feeds.fetch({ ...taken.document, url }, owned, known)
  const now = clock()
  const { next, items } = await inTurns(settled(taken, answer, now))
  if (!answer.ok) log.warn({ tenant: tenantId, catalog: taken.platformId, reason: answer.error.message }, 'a feed cannot be read')
  await store
    .transaction(async (tx) => {
      await saveCatalog(tx, owned, next)
      if (items) await replaceItems(tx, owned, next.platformId, items)
    })
    .catch(unlessConflict)
}

/** Moves the next fetch out of the way of other processes. Undefined when one of them, or the buyer, was there first. */
async function take(store: Store, owned: OwnedCatalog, now: Date): Promise<Catalog | undefined> {
  const { catalog } = owned
  if (!catalog.feed) return undefined
  const leased = { ...catalog, feed: { ...catalog.feed, nextFetchAt: new Date(now.getTime() + LEASE_MS).toISOString() } }
  let won = true
  await store
    .transaction((tx) => saveCatalog(tx, owned, leased))
    .catch((error: unknown) => {
      unlessConflict(error)
      won = false
    })
  return won ? { ...leased, revision: leased.revision + 1 } : undefined
}

/** The catalog after a fetch, and its items where they have changed. A step is an item. */
function* settled(
  catalog: Catalog,
  answer: FeedAnswer,
  now: Date,
): Steps<{ readonly next: Catalog; readonly items?: readonly CatalogItem[] }> {
  const { update_frequency: frequency } = catalog.document
  const feed = catalog.feed ?? { failures: 0 }
  if (!answer.ok) return { next: { ...catalog, feed: failedFeed(feed, frequency, answer.error.message, now) } }
  const lastSyncedAt = now.toISOString()
  if ('unchanged' in answer) return { next: { ...catalog, feed: freshFeed(feed, frequency, now), lastSyncedAt } }
  const { items } = yield* reviewItems(catalog.document, answer.items)
  const tally = yield* tallied(items, { digest: () => createHash('sha256') })
  const next: Catalog = { ...catalog, ...tally, feed: freshFeed(answer, frequency, now), lastSyncedAt }
  return tally.itemsDigest === catalog.itemsDigest ? { next } : { next, items }
}

function unlessConflict(error: unknown): void {
  if (!(error instanceof AdcpError && error.code === 'CONFLICT')) throw error
}
