import { eventTypeFilter } from '../../domain/registry/event-types.ts'
import { feedEventId } from '../../domain/registry/feed-event-id.ts'
import { presentEvent } from '../../domain/registry/present-event.ts'
import type { Db } from '../../store/database.ts'
import { authorizationPayload, isRecording } from '../../store/directory/directory-feed.ts'
import { type AuthorizationRow, pageAuthorizations } from '../../store/directory/directory-snapshot.ts'
import { lastSequence, pageEvents } from '../../store/directory/registry-events.ts'

/** How long events are stored. */
export const FEED_RETENTION_DAYS = 90

/** Whether a reader wants a type of events. */
type Wants = (type: string) => boolean

interface FeedPage {
  readonly events: readonly object[]
  /** Place in the feed behind the page, in its parts. */
  readonly position: readonly string[]
  readonly hasMore: boolean
}

/**
 * A page of the feed behind a place. Without a place, and while changes of authorisations are recorded, a reader first gets every
 * authorisation in force as an `authorization.granted` event, behind an `agent.discovered` of its agent, and then what has happened since it began, so that it misses nothing however old its
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
    startsAnew || request.position[0] === SNAPSHOT
      ? await snapshotPage(db, { ...request, wants })
      : await eventPage(db, { ...request, wants })
  return { ...page, freshness: await freshness(db, request.now) }
}

const SNAPSHOT = 's'

async function snapshotPage(
  db: Db,
  { position, limit, wants }: { readonly position: readonly string[]; readonly limit: number; readonly wants: Wants },
): Promise<FeedPage> {
  const [, begun, agentId, domain] = position
  // Where the feed stood when the reader began: what changes while it reads comes again behind the snapshot.
  const sequence = begun ?? String(await lastSequence(db))
  const after = agentId === undefined || domain === undefined ? undefined : { agentId, domain }
  const { agents, next } = await pageAuthorizations(db, after, limit)
  const all = agents.flatMap(({ agentUrl, rows }) => {
    const granted = rows.map((row) => ({
      event: grantedEvent(agentUrl, row),
      agentId: row.agent_id,
      domain: row.publisher_domain,
    }))
    const [first] = rows
    // An agent whose rows go on from the page before was told there.
    if (first === undefined || first.agent_id === agentId || !wants('agent.discovered')) return granted
    return [{ event: discoveredEvent(agentUrl, first), agentId: first.agent_id, domain: '' }, ...granted]
  })
  const page = all.slice(0, limit)
  const behind = all.length > limit ? page.at(-1) : next
  const events = page.map(({ event }) => event)
  if (behind) return { events, position: [SNAPSHOT, sequence, behind.agentId, behind.domain], hasMore: true }
  const since = await eventPage(db, { position: [sequence], limit: limit - events.length, wants })
  return { ...since, events: [...events, ...since.events] }
}

function grantedEvent(agentUrl: string, row: AuthorizationRow): object {
  return {
    event_id: feedEventId(`${row.agent_id} ${row.publisher_domain} ${row.verified_at}`, row.verified_at),
    event_type: 'authorization.granted',
    entity_type: 'authorization',
    entity_id: row.publisher_domain,
    payload: authorizationPayload(row, agentUrl),
    actor: 'registry',
    created_at: row.verified_at,
  }
}

/** The agent of the rows that follow: a reader that begins now knows the same agents as one that has followed since they were found. */
function discoveredEvent(agentUrl: string, { agent_id, verified_at }: AuthorizationRow): object {
  return {
    event_id: feedEventId(`${agent_id} ${verified_at}`, verified_at),
    event_type: 'agent.discovered',
    entity_type: 'agent',
    entity_id: agentUrl,
    payload: { agent_url: agentUrl },
    actor: 'registry',
    created_at: verified_at,
  }
}

async function eventPage(
  db: Db,
  request: { readonly position: readonly string[]; readonly limit: number; readonly wants: Wants },
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
