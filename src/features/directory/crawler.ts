import { setTimeout as sleep } from 'node:timers/promises'
import {
  countDue,
  type DuePublisher,
  endLeases,
  leaseDue,
  listDue,
  listLeaseOwners,
} from '../../store/directory/directory-leases.ts'
import { ownerHasEnded } from '../../store/task/process-name.ts'
import { expireStale } from './expire.ts'
import { HeldByOthers, type RefreshElsewhere } from './held-by-others.ts'
import { readOnce } from './read-once.ts'
import { type RefreshReport, refreshPublisher } from './refresh.ts'
import { type RefreshDeps, SharedDocuments } from './shared-documents.ts'
import { WriteTurns } from './write-turns.ts'

/** Longer than the slowest refresh (own file, ads.txt, manager, pointer: 30 s each); the publishers of a crawler that was killed on another machine wait this long. */
const LEASE_MS = 5 * 60_000
/** How often a waiting crawler looks for work and for rows that have run out. */
const IDLE_MS = 5_000
/** How often a crawl that waits for the leases of others looks whether they have ended. */
const LEASE_POLL_MS = 1_000
/** Publishers that one report names. */
const MAX_REMAINING = 1_000

/** How many refreshes ended in which way. */
export interface CrawlCounts {
  readonly done: number
  /** The file could not be fetched or is not usable. */
  readonly failed: number
  /** There is no file, which is an answer too. */
  readonly absent: number
}

export interface CrawlTotals extends CrawlCounts {
  /** Publishers that this crawl waited for and another crawler refreshed meanwhile, and how that ended. */
  readonly elsewhere: readonly RefreshElsewhere[]
  /** Publishers that are due and were not refreshed, because another crawler holds them or because this one was stopped. */
  readonly remaining: readonly DuePublisher[]
}

export interface CrawlProgress extends CrawlCounts {
  /** Publishers due that nobody has taken yet. */
  readonly due: number
  readonly report: RefreshReport | undefined
}

export interface CrawlOptions {
  /** Publishers refreshed at once. */
  readonly concurrency: number
  /** Keep going when nothing is due. */
  readonly watch?: boolean
  /** Wait for publishers that another crawler has leased: until it has refreshed them, or until its leases end. */
  readonly waitForLeases?: boolean
  readonly domain?: string
  readonly acceptPointer?: boolean
  readonly maxAgeMs?: number
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: CrawlProgress) => void
  /** Called again and again while nothing is left but what other crawlers hold, with those publishers and the time. */
  readonly onWait?: (held: readonly DuePublisher[], now: Date) => void
}

/**
 * Refreshes publishers that are due, as many at once as `concurrency`, until none is left (or, watching, until the signal).
 * Several processes may run at once: each takes what the others have not leased. Returns the totals, with what is due and not done.
 */
export async function crawl(context: RefreshDeps, options: CrawlOptions): Promise<CrawlTotals> {
  // A crawler that keeps going reads what it is asked to read again.
  const deps = options.watch === true ? context : { ...context, fetch: readOnce(context.fetch, context.clock) }
  const state = { shared: new SharedDocuments(deps), turns: new WriteTurns() }
  const totals = { done: 0, failed: 0, absent: 0 }
  const held = new HeldByOthers(deps, options.domain)
  let due = 0
  const running = new Set<Promise<void>>()
  const queue: string[] = []
  const refresh = async (domain: string) => {
    held.takenHere(domain)
    const report = await refreshPublisher(deps, state, domain, options).catch((error: unknown) => {
      deps.warn({ domain, err: error }, 'the refresh failed; it runs again when its lease ends')
      return undefined
    })
    totals.done += 1
    if (report?.result === 'absent') totals.absent += 1
    else if (report?.result !== 'verified') totals.failed += 1
    options.onProgress?.({ ...totals, due: Math.max(0, due - totals.done), report })
  }
  let looksForEnded = true
  while (options.signal?.aborted !== true) {
    try {
      if (looksForEnded) await takeOver(deps)
      looksForEnded = false
      if (queue.length === 0) queue.push(...(await lease(deps, options, options.concurrency)))
      if (queue.length > 0 && due === 0) due = (await countDue(deps.store.read, deps.clock())) || queue.length
    } catch (error) {
      // A server outlives an outage of its database; a command says that there is one.
      if (options.watch !== true) throw error
      deps.warn({ err: error }, 'looking for publishers that are due failed')
    }
    for (const domain of queue.splice(0, options.concurrency - running.size)) {
      const task: Promise<void> = refresh(domain).finally(() => running.delete(task))
      running.add(task)
    }
    if (running.size > 0) {
      await Promise.race(running)
      continue
    }
    looksForEnded = true
    if (options.watch !== true) {
      await expireStale(deps)
      const due = (await remaining(deps, options)).filter(({ owner }) => owner !== deps.worker)
      if (options.waitForLeases !== true || due.length === 0) break
      held.note(due)
      options.onWait?.(due, deps.clock())
      await sleep(LEASE_POLL_MS, undefined, { signal: options.signal }).catch(() => undefined)
      continue
    }
    await expireStale(deps).catch((error: unknown) => deps.warn({ err: error }, 'taking out stale rows failed'))
    await sleep(IDLE_MS, undefined, { signal: options.signal }).catch(() => undefined)
  }
  await Promise.all(running)
  const left = await remaining(deps, options)
  return { ...totals, elsewhere: await held.refreshed(left), remaining: left }
}

/** A crawler that was killed on this machine needs its leases no longer. */
async function takeOver({ store, clock }: RefreshDeps): Promise<void> {
  const gone = (await listLeaseOwners(store.read, clock())).filter((owner) => ownerHasEnded(owner))
  if (gone.length > 0) await store.transaction((tx) => endLeases(tx, gone))
}

/** Publishers that are still due. Those that failed here with an error are among them: they run again when their lease ends. */
async function remaining(deps: RefreshDeps, { domain }: CrawlOptions): Promise<readonly DuePublisher[]> {
  return listDue(deps.store.read, { now: deps.clock(), domain, limit: MAX_REMAINING })
}

async function lease(deps: RefreshDeps, options: CrawlOptions, limit: number): Promise<string[]> {
  const request = { owner: deps.worker, now: deps.clock(), leaseMs: LEASE_MS, limit, domain: options.domain }
  // Leases are given row by row to who asks first.
  return deps.store.transaction((tx) => leaseDue(tx, request), { isolation: 'read-committed', durability: 'lazy' })
}
