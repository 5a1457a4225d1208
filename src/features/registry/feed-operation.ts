import { eventTypeFilter } from '../../domain/registry/event-types.ts'
import { feedEventId } from '../../domain/registry/feed-event-id.ts'
import { presentEvent } from '../../domain/registry/present-event.ts'
import type { Db } from '../../store/database.ts'
import { authorizationPayload, isRecording } from '../../store/directory/directory-feed.ts'
import { pageAuthorizations } from '../../store/directory/directory-snapshot.ts'
import { lastSequence, pageEvents } from '../../store/directory/registry-events.ts'

/** How long events are stored. */
export const FEED_RETENTION_DAYS = 90

interface FeedPage {
  readonly events: readonly object[]
  /** Place in the feed behind the page, in its parts. */
  readonly position: readonly string[]
  readonly hasMore: boolean
}

/**
 * A page of the feed behind a place. Without a place, and while changes of authorisations are recorded, a reader first gets every
 * authorisation in force as an `authorization.granted` event and then what has happened since it began, so that it misses nothing however old its
 * knowledge is. Throws INVALID_REQUEST (reason `cursor_expired`) when events behind the place have been dropped.
 */
export async function readFeed(
  db: Db,
  request: {
    readonly position: readonly string[]
    readonly limit: number
    readonly types: string | undefined
    readonly now: Date
  },
): Promise<FeedPage & { readonly freshness: object }> {
  const wants = eventTypeFilter(request.types)
  const startsAnew = request.position.length === 0 && wants('authorization.granted') && (await isRecording(db))
  const page =
    startsAnew || request.position[0] === SNAPSHOT ? await snapshotPage(db, request) : await eventPage(db, { ...request, wants })
  return { ...page, freshness: await freshness(db, request.now) }
}

const SNAPSHOT = 's'

async function snapshotPage(
  db: Db,
  { position, limit }: { readonly position: readonly string[]; readonly limit: number },
): Promise<FeedPage> {
  const [, begun, agentId, domain] = position
  // Where the feed stood when the reader began: what changes while it reads comes again behind the snapshot.
  const sequence = begun ?? String(await lastSequence(db))
  const after = agentId === undefined || domain === undefined ? undefined : { agentId, domain }
  const { agents, next } = await pageAuthorizations(db, after, limit)
  const rows = agents.flatMap(({ agentUrl, rows }) => rows.map((row) => ({ agentUrl, row })))
  const events = rows.map(({ agentUrl, row }) => ({
    event_id: feedEventId(`${row.agent_id} ${row.publisher_domain} ${row.verified_at}`, row.verified_at),
    event_type: 'authorization.granted',
    entity_type: 'authorization',
    entity_id: row.publisher_domain,
    payload: authorizationPayload(row, agentUrl),
    actor: 'registry',
    created_at: row.verified_at,
  }))
  return { events, position: next ? [SNAPSHOT, sequence, next.agentId, next.domain] : [sequence], hasMore: true }
}

async function eventPage(
  db: Db,
  request: { readonly position: readonly string[]; readonly limit: number; readonly wants: (type: string) => boolean },
): Promise<FeedPage> {
  const [after] = request.position
  const { limit, wants } = request
  const page = await pageEvents(db, { after: after === undefined ? undefined : Number(after), limit, wants })
  return { events: page.events.map(presentEvent), position: [String(page.position)], hasMore: page.hasMore }
}

async function freshness(db: Db, now: Date): Promise<object> {
  const latest = await db
    .selectFrom('registry_events')
    .select('created_at')
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  const lag = latest === undefined ? null : Math.max(0, Math.round((now.getTime() - Date.parse(latest.created_at)) / 1000))
  return {
    generated_at: now.toISOString(),
    latest_event_created_at: latest?.created_at ?? null,
    lag_seconds: lag,
    retention_days: FEED_RETENTION_DAYS,
  }
}
