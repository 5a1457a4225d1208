import type { AdagentsFile } from '../../domain/directory/adagents-file.ts'
import { type AttemptResult, nextAttemptAt, POINTER_SETTLES_MS } from '../../domain/directory/freshness.ts'
import type { FileIndex } from '../../domain/directory/resolve.ts'
import { WELL_KNOWN_POLICY } from '../../platform/net/fetch-policy.ts'
import type { Db } from '../../store/database.ts'
import { recordAttempt } from '../../store/directory/directory-attempts.ts'
import { findDocument, listHolds } from '../../store/directory/directory-documents.ts'
import { findPublisher, savePublisher } from '../../store/directory/directory-publishers.ts'
import type { DirectoryDocumentRow, DirectoryPublisherRow } from '../../store/directory/rows.ts'
import { NOT_LEASED } from '../../store/leases.ts'
import { applyDocument, indexFetched, withoutRollback } from './apply-document.ts'
import { dropPublisher, reasonToDrop } from './crawl-list.ts'
import { type FileOutcome, fetchAdagents, optsOut, wellKnownUrl } from './fetch-adagents.ts'
import { type DocumentInHand, dropEarlierWalk, indexPublisher } from './index-document.ts'
import { dropOrphan } from './orphans.ts'
import { selfBlockedUntil } from './self-block.ts'
import { type RefreshDeps, refuseUnaskedUnchanged, type SharedDocuments } from './shared-documents.ts'
import { type Walk, type WalkEnd, walkFrom } from './walk.ts'
import type { WriteTurns } from './write-turns.ts'

/** Longest pause that a server's Retry-After may ask for. */
const LONGEST_RETRY_AFTER_MS = 6 * 3_600_000

export interface RefreshOptions {
  readonly acceptPointer?: boolean
  /** A manager's file verified within this time is not asked for again; default half a refresh interval. */
  readonly maxAgeMs?: number
}

/** What the refreshes of one crawl share. */
export interface CrawlState {
  readonly shared: SharedDocuments
  readonly turns: WriteTurns
}

/** What of a publisher decides which claims are derived and shown. */
const ROUTING = [
  'serves',
  'self_blocked_until',
  'route_method',
  'route_manager',
  'route_document_id',
] as const satisfies (keyof DirectoryPublisherRow)[]

/** How one publisher's refresh ended. */
export interface RefreshReport {
  readonly domain: string
  readonly result: AttemptResult
  readonly reason: string | undefined
  readonly durationMs: number
}

/** A shared file was refreshed by somebody else between its reading and the writing of what follows from it. */
class SharedFileChanged extends Error {}
/** Walks of one refresh: a shared file is refreshed by others seldom, and hardly ever each time. */
const MOST_WALKS = 5

/**
 * Refreshes one publisher: asks for its file, follows its walk, and writes the outcome, its rows and its next due time
 * in one transaction (a manager's shared file has a transaction of its own). A shared file that changed under way is walked to
 * again. Rejects only when the store fails or that happens time and again; the lease then runs out and the publisher is handed out again.
 */
export async function refreshPublisher(
  deps: RefreshDeps,
  state: CrawlState,
  domain: string,
  options: RefreshOptions = {},
): Promise<RefreshReport | undefined> {
  for (let walk = 1; ; walk += 1) {
    try {
      return await refreshOnce(deps, state, domain, options)
    } catch (error) {
      if (!(error instanceof SharedFileChanged) || walk === MOST_WALKS) throw error
    }
  }
}

async function refreshOnce(
  deps: RefreshDeps,
  { shared, turns }: CrawlState,
  domain: string,
  options: RefreshOptions,
): Promise<RefreshReport | undefined> {
  const startedAt = deps.clock()
  const publisher = await findPublisher(deps.store.read, domain)
  if (!publisher) return undefined
  const own = await findDocument(deps.store.read, wellKnownUrl(domain))
  const outcome = await fetchOwnFile(deps, publisher, own)
  const maxAgeMs = options.maxAgeMs ?? deps.limits.refreshMs / 2
  const walk = await walkFrom({ deps, shared, publisher, own, outcome, acceptPointer: options.acceptPointer === true, maxAgeMs })
  // A publisher that serves a usable file wants it to be read; the others may say that they want no visits.
  const gaveNothing = resultOf(walk, outcome) !== 'verified' && (outcome.kind !== 'failed' || outcome.status !== undefined)
  const optedOut = gaveNothing && (await optsOut(deps.fetch, domain))
  const now = deps.clock()
  const index = await indexFetched(outcome)
  const refresh = { deps, own, outcome, index, walk, publisher, optedOut, startedAt, now }
  await turns.wait()
  // Of an unchanged file only times are written: what a crash of the machine loses of that is a visit that is made again.
  const durability = outcome.kind === 'unchanged' && own.rederive === 0 && walk.route?.method === 'direct' ? 'lazy' : undefined
  const result = await deps.store.transaction((tx) => writeRefresh(tx, refresh), { ...(durability && { durability }) })
  return { domain, result, reason: walk.reason, durationMs: now.getTime() - startedAt.getTime() }
}

async function fetchOwnFile(
  deps: RefreshDeps,
  publisher: DirectoryPublisherRow,
  own: DirectoryDocumentRow,
): Promise<FileOutcome<AdagentsFile>> {
  // The text of a publisher's own file is not stored: when claims must be derived anew it is asked for in full.
  const knows = publisher.serves === 'inline' || publisher.serves === 'pointer'
  const conditional = knows && own.verified_at !== null && own.rederive === 0 && own.fans_out === 1
  const validators = conditional ? { etag: own.etag ?? undefined, lastModified: own.last_modified ?? undefined } : {}
  const answer = await fetchAdagents(deps.fetch, own.url, WELL_KNOWN_POLICY, validators)
  const outcome = withoutRollback(own, conditional ? answer : refuseUnaskedUnchanged(answer))
  if (outcome.kind === 'fetched') {
    for (const { path, reason } of outcome.warnings) deps.warn({ domain: publisher.publisher_domain, path }, reason)
  }
  return outcome
}

interface Refresh {
  readonly deps: RefreshDeps
  readonly own: DirectoryDocumentRow
  readonly outcome: FileOutcome<AdagentsFile>
  /** The fetched file. */
  readonly index: FileIndex | undefined
  readonly walk: Walk
  readonly publisher: DirectoryPublisherRow
  readonly optedOut: boolean
  readonly startedAt: Date
  readonly now: Date
}

async function writeRefresh(tx: Db, refresh: Refresh): Promise<AttemptResult> {
  const { deps, own, outcome, index, walk, publisher, now } = refresh
  const routed = await routedPublisher(tx, refresh)
  // First, because claims are derived for the publishers whose stored walk ends at a file, and chosen by their word.
  if (ROUTING.some((column) => routed[column] !== publisher[column])) await savePublisher(tx, routed)
  const applied = await applyDocument(tx, { ...own, fans_out: 1 }, outcome, {
    now,
    limits: deps.limits,
    index,
    owner: publisher.publisher_domain,
    walksOn: walk.route?.method !== 'direct',
    keepBody: false,
  })
  const changes = [applied.row.soonest_at]
  if (walk.route?.method !== 'direct') {
    const end = walk.route && (await documentInHand(tx, walk.route.end, deps.limits.refreshMs))
    await indexPublisher(tx, routed, end, now)
    changes.push(end?.row.soonest_at ?? null)
  } else if (outcome.kind !== 'unchanged') {
    await dropEarlierWalk(tx, publisher.publisher_domain, own.document_id, now)
  }
  const leads = (['route_document_id', 'route_method'] as const).every((column) => publisher[column] === routed[column])
  if (!leads) await dropOrphan(tx, publisher.route_document_id, now)
  const result = resultOf(walk, outcome)
  const isVerified = result === 'verified'
  const failures = isVerified ? 0 : publisher.failures + 1
  const holds = applied.row.verified_at !== null || (walk.route !== undefined && endsAtFile(walk.route))
  const next = nextDue(refresh, { result, failures, holds, changes })
  const visited: DirectoryPublisherRow = {
    ...routed,
    failures,
    priority: isVerified ? 0 : publisher.priority,
    barren_since: isVerified ? null : (publisher.barren_since ?? now.toISOString()),
    next_attempt_at: next.toISOString(),
    ...NOT_LEASED,
  }
  await savePublisher(tx, visited)
  const why = isVerified || holds ? undefined : await reasonToDrop(tx, visited, { optedOut: refresh.optedOut, now })
  if (why) {
    deps.warn({ domain: publisher.publisher_domain, ...why }, 'taken off the crawl list')
    await dropPublisher(tx, visited, why, now)
    return result
  }
  await recordAttempt(tx, {
    publisher_domain: publisher.publisher_domain,
    attempted_at: refresh.startedAt.toISOString(),
    result,
    reason: walk.reason ?? null,
    duration_ms: now.getTime() - refresh.startedAt.getTime(),
  })
  return result
}

/** When to come back: by the schedule, earlier when something turns by itself, later when the server asked for it. */
function nextDue(
  { deps, outcome, walk, now }: Refresh,
  attempt: { result: AttemptResult; failures: number; holds: boolean; changes: readonly (string | null)[] },
): Date {
  const { pendingSince } = walk.pointer
  const moments = attempt.changes.filter((at) => at !== null).map((at) => Date.parse(at))
  // A pointer that is held back longer is examined again by the schedule.
  const settles = pendingSince === undefined ? 0 : pendingSince + POINTER_SETTLES_MS
  if (settles > now.getTime()) moments.push(settles)
  const soonest = moments.length === 0 ? undefined : Math.min(...moments)
  // A malformed file is not corrected within minutes: it is read again when an absent one is.
  const result = outcome.kind === 'invalid' ? 'absent' : attempt.result
  const { failures, holds } = attempt
  const due = nextAttemptAt(now.getTime(), { result, failures, holds, random: deps.random(), soonest }, deps.limits)
  const asked = outcome.kind === 'failed' && outcome.retryAfter !== undefined ? outcome.retryAfter * 1000 : 0
  return new Date(Math.max(due, now.getTime() + Math.min(asked, LONGEST_RETRY_AFTER_MS)))
}

function resultOf(walk: Walk, outcome: FileOutcome<AdagentsFile>): AttemptResult {
  if (outcome.kind === 'failed' || outcome.kind === 'invalid') return 'failed'
  if (walk.route === undefined) return walk.serves === 'absent' ? 'absent' : 'failed'
  return endsAtFile(walk.route) ? 'verified' : 'failed'
}

function endsAtFile(route: NonNullable<Walk['route']>): boolean {
  return route.method === 'direct' || route.end.index !== undefined
}

async function routedPublisher(tx: Db, { own, outcome, walk, publisher, now }: Refresh): Promise<DirectoryPublisherRow> {
  const { route, pointer } = walk
  const documentId = route === undefined ? null : route.method === 'direct' ? own.document_id : route.end.row.document_id
  return {
    ...publisher,
    serves: walk.serves,
    self_blocked_until: await selfBlockedUntil(tx, publisher, own, listedBy(outcome, walk), now),
    route_method: route?.method ?? null,
    route_manager: route?.manager ?? null,
    route_document_id: documentId,
    pointer_adopted: pointer.adopted ?? null,
    pointer_pending: pointer.pending ?? null,
    pointer_pending_since: pointer.pendingSince === undefined ? null : new Date(pointer.pendingSince).toISOString(),
  }
}

/** The revocation list now in force at the publisher's own address; undefined when it is the one known before. */
function listedBy(outcome: FileOutcome<AdagentsFile>, walk: Walk): ReadonlyMap<string, number> | undefined {
  if (outcome.kind === 'fetched' && outcome.content.kind === 'inline') return outcome.content.revoked
  const isHeld = outcome.kind === 'unchanged' || (outcome.kind === 'failed' && walk.serves !== 'unknown')
  return isHeld ? undefined : new Map()
}

/** The shared file as the transaction sees it. Throws when another worker has refreshed it in between. */
async function documentInHand(tx: Db, end: WalkEnd, refreshMs: number): Promise<DocumentInHand | undefined> {
  if (!end.index) return undefined
  const row = await findDocument(tx, end.row.url)
  if (row.refresh !== end.row.refresh) throw new SharedFileChanged('the shared file changed during the refresh')
  return { row, index: end.index, holds: await listHolds(tx, row.document_id), refreshMs }
}
