import type { Logger } from 'pino'
import type { ListKind } from '../../domain/inventory-list.ts'
import { withListTokens } from '../../domain/media-buy/list-tokens.ts'
import { publicReason } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { type BackgroundJob, startBackgroundJob } from '../../platform/scheduler/background-job.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Store } from '../../store/database.ts'
import type { ListRoom, NoRoom } from '../../store/embedded/list-room.ts'
import { claimDueEmbeddedLists, type DueList, saveEmbeddedList, saveEmbeddedListFailure } from '../../store/embedded/lists.ts'
import { fetchList, type ListedCollection, type ResolvedList } from './fetch-list.ts'
import { entriesOf, type ListMembers, type ListReference } from './line-lists.ts'

/** Reads a list of this agent as its buyer has it; undefined for a list of another agent. Throws REFERENCE_NOT_FOUND. */
export type ReadOwnList = (tenantId: string, kind: ListKind, reference: ListReference) => Promise<ResolvedList | undefined>

/** A collection of the publisher's own, by what pages call it and what lists name it. */
export interface OwnCollection {
  readonly id: string
  readonly name: string
  /** As `imdb_id:tt0944947`. */
  readonly identifiers: readonly string[]
}

export interface ListReaderParts {
  readonly store: Store
  readonly safeFetch: SafeFetch
  readonly readOwn: ReadOwnList
  /** The token of a reference as the buyer sent it. Throws an Error that says why it cannot be read. */
  readonly openToken: (tenantId: string, token: string) => string
  readonly collectionsOf: (tenantId: string) => Promise<readonly OwnCollection[]>
  readonly clock: () => Date
  readonly log: Logger
}

const EVERY_MS = 2_000
const MOST_AT_ONCE = 20
/** Longer than reading the largest list may take. */
const CLAIM_MS = 600_000
/** A list of this agent is read from the store, and its buyer may just have changed it. */
const OWN_MS = 60_000
const RETRY_MS = 60_000
/** Limits of entries in the lists that lines are targeted to; lists with the same content count once. 500,000 entries take some 200 MB. One buyer cannot use up the limit of its publisher. */
export const LIST_ROOM: ListRoom = { ofPublisher: 500_000, ofBuyer: 150_000 }
/** How long an answer of another agent is used, whatever it says of itself; without a word of it, an hour. */
const FRESH_MS = { least: 300_000, most: 86_400_000, unsaid: 3_600_000 }

/** Keeps the lists that lines are targeted to up to date. One that cannot be read is tried again every minute. */
export function startListReader(parts: ListReaderParts): BackgroundJob {
  return startBackgroundJob(
    () => readDueLists(parts),
    EVERY_MS,
    (error) => parts.log.error({ err: error }, 'reading lists that lines are targeted to failed'),
  )
}

/** Reads the lists that are due; true when there are more. */
export async function readDueLists(parts: ListReaderParts): Promise<boolean> {
  const { store, clock } = parts
  const due = await store.transaction((tx) => claimDueEmbeddedLists(tx, clock(), { limit: MOST_AT_ONCE, untilMs: CLAIM_MS }))
  for (const list of due) await readOne(parts, list)
  return due.length === MOST_AT_ONCE
}

async function readOne(parts: ListReaderParts, list: DueList): Promise<void> {
  const { store, clock, log } = parts
  const named: ListReference = JSON.parse(list.reference)
  const later = (ms: number) => new Date(clock().getTime() + ms)
  try {
    const reference = withListTokens({ named }, (token) => parts.openToken(list.tenantId, token)).named
    const own = await parts.readOwn(list.tenantId, list.kind, reference)
    const fetched = own ? undefined : await fetchList(parts.safeFetch, list.kind, reference)
    const { properties, collections } = own ?? fetched ?? NOTHING
    const known = list.kind === 'collection' ? await parts.collectionsOf(list.tenantId) : []
    const members: ListMembers = list.kind === 'property' ? { properties } : { collections: namesOf(collections, known) }
    const dueAt = later(own ? OWN_MS : freshMs(fetched?.validUntil, clock()))
    const read = { members: JSON.stringify(members), entries: entriesOf(members), mediaBuyId: named.media_buy_id }
    const full = await store.transaction((tx) => saveEmbeddedList(tx, list, read, { dueAt, now: clock(), room: LIST_ROOM }))
    if (full) throw tooMany(read.entries, full)
  } catch (error) {
    const said = error instanceof AdcpError || error instanceof Error ? error.message : 'it cannot be read'
    const reason = publicReason(error, said).slice(0, 500)
    log.warn({ tenant: list.tenantId, agent: named.agent_url, list: named.list_id, reason }, 'a list cannot be read')
    await store.transaction((tx) => saveEmbeddedListFailure(tx, list, reason, later(RETRY_MS)))
  }
}

/** All that decisions of a publisher are made by is in memory: a list that is one too many is not read, and its lines show nothing. */
function tooMany(entries: number, { whose, others }: NoRoom): AdcpError {
  const orders = whose === 'ofBuyer' ? 'orders of this buyer' : 'orders of this publisher'
  const message = `it has ${entries} entries and the other lists that ${orders} name ${others}, of at most ${LIST_ROOM[whose]}; name a smaller list, or one that other orders name too`
  return new AdcpError('INVALID_REQUEST', message)
}

const NOTHING: ResolvedList = { properties: [], collections: [] }

function freshMs(validUntil: Date | undefined, now: Date): number {
  if (!validUntil) return FRESH_MS.unsaid
  return Math.min(Math.max(validUntil.getTime() - now.getTime(), FRESH_MS.least), FRESH_MS.most)
}

/** Everything that a page may call the collections of a list: their names and identifiers, and the publisher's own ids of them. */
function namesOf(listed: readonly ListedCollection[], own: readonly OwnCollection[]): readonly string[] {
  const identifiers = new Set(
    listed.flatMap(({ distribution_ids: ids = [] }) => ids.map(({ type, value }) => `${type}:${value}`)),
  )
  // A name alone means the publisher's own collection; another publisher's of the same name has identifiers.
  const names = new Set(listed.filter(({ distribution_ids: ids = [] }) => ids.length === 0).map(({ name }) => name))
  const known = own.filter(({ name, identifiers: ids }) => names.has(name) || ids.some((id) => identifiers.has(id)))
  return [...new Set([...identifiers, ...names, ...known.map(({ id }) => id)])]
}
