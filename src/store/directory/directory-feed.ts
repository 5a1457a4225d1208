import { fileForm } from '../../domain/directory/file-form.ts'
import { eachInTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { chunksInTurns } from '../chunks.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import type { AuthorizationRow } from './directory-snapshot.ts'
import { type EndReason, endReasons } from './ended-rows.ts'
import { appendEvents, expireCursors, type NewRegistryEvent } from './registry-events.ts'
import type { DirectoryClaimRow } from './rows.ts'

/** What lookups showed for one agent and publisher before a change, and what they show after it. */
export interface ShownChange {
  readonly before: DirectoryClaimRow | undefined
  readonly after: DirectoryClaimRow | undefined
}

/**
 * Turns the record of changes on or off for every process on this store. A record begins with the next change; what was authorised before is in the snapshot that
 * a reader without a cursor starts with. What changed while there was none is in no event, so a record that begins anew expires the cursors of an earlier one.
 */
export async function setRecording(tx: Db, on: boolean): Promise<void> {
  if (!on) {
    await tx.deleteFrom('registry_feed').where('name', '=', 'directory').execute()
    return
  }
  const begun = await tx
    .insertInto('registry_feed')
    .values({ name: 'directory', sequence: 1 })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name')
    .execute()
  if (begun.length > 0) await expireCursors(tx)
}

const recordOfChanges = hotQuery([], (db) => db.selectFrom('registry_feed').select('name').where('name', '=', 'directory'))

export async function isRecording(db: Db): Promise<boolean> {
  return (await recordOfChanges(db, {})).rows.length > 0
}

/**
 * Appends the events of changed rows to the feed of the registry, in the transaction of the change, so that their numbers grow in the order
 * of commits: agents that are seen first, authorisations, agents that are seen last. Source: AdCP registry (change feed).
 */
export async function recordChanges(tx: Db, changes: readonly ShownChange[], now: Date): Promise<void> {
  const urls = await agentUrls(tx, [...new Set(changes.flatMap(({ before, after }) => (after ?? before)?.agent_id ?? []))])
  const short = await shortForms(tx, [...new Set(changes.flatMap(({ after }) => after?.document_id ?? []))])
  const isEnded = ({ before, after }: ShownChange) => before?.shown === 'authorized' && after === undefined
  const whyEnded = await endReasons(
    tx,
    changes.filter(isEnded).flatMap(({ before }) => before ?? []),
  )
  const events: NewRegistryEvent[] = []
  const moved = new Map<string, { granted: number; revoked: number }>()
  await eachInTurns(changes, (change) => {
    const row = change.after ?? change.before
    const agentUrl = row && urls.get(row.agent_id)
    const event = agentUrl === undefined ? undefined : authorizationEvent(change, agentUrl, { short, whyEnded })
    if (!event || !row) return
    events.push(event)
    const counts = moved.get(row.agent_id) ?? { granted: 0, revoked: 0 }
    if (event.type === 'authorization.granted') counts.granted += 1
    if (event.type === 'authorization.revoked') counts.revoked += 1
    moved.set(row.agent_id, counts)
  })
  const first: NewRegistryEvent[] = []
  const last: NewRegistryEvent[] = []
  for (const [agentId, { granted, revoked }] of moved) {
    const agentUrl = urls.get(agentId) ?? ''
    const now = granted + revoked === 0 ? 0 : await countAuthorized(tx, agentId, granted + 1)
    if (granted > 0 && revoked === 0 && now <= granted) first.push(agentEvent('agent.discovered', agentUrl))
    const isGone = revoked > 0 && now === 0 && !(await isListed(tx, agentId))
    if (isGone) last.push(agentEvent('agent.removed', agentUrl))
  }
  await appendEvents(tx, [...first, ...events, ...last], now)
}

/** Notes that the file of a publisher is new or says something else, when changes are recorded. */
export async function recordFile(tx: Db, domain: string, kind: 'discovered' | 'changed', now: Date): Promise<void> {
  if (!(await isRecording(tx))) return
  const payload = { publisher_domain: domain, domain, source: 'adagents_json' }
  const type = `publisher.adagents_${kind}`
  await appendEvents(tx, [{ type, entityType: 'publisher', entityId: domain, payload, actor: 'registry' }], now)
}

/** The registry's form of an authorisation (AuthorizationEventPayload), with the provenance that the directory has. */
export function authorizationPayload(row: AuthorizationRow, agentUrl: string): object {
  return {
    agent_url: agentUrl,
    agent_url_canonical: agentUrl,
    publisher_domain: row.publisher_domain,
    authorization_type: 'property_ids',
    authorized_for: null,
    property_ids: JSON.parse(row.property_ids),
    discovery_method: row.discovery_method,
    manager_domain: row.manager_domain,
    properties_authorized: row.properties_authorized,
    properties_total: row.properties_total,
    signing_keys_pinned: row.signing_keys_pinned === 1,
    file_form: fileForm(row),
  }
}

/** Those of some files that name their agents in the short form. */
async function shortForms(db: Db, documentIds: readonly string[]): Promise<ReadonlySet<string>> {
  const short = new Set<string>()
  for await (const chunk of chunksInTurns(documentIds)) {
    const rows = await db
      .selectFrom('directory_documents')
      .select('document_id')
      .where('document_id', 'in', chunk)
      .where('short_form', '=', 1)
      .execute()
    for (const { document_id } of rows) short.add(document_id)
  }
  return short
}

function authorizationEvent(
  { before, after }: ShownChange,
  agentUrl: string,
  { short, whyEnded }: { readonly short: ReadonlySet<string>; readonly whyEnded: (row: DirectoryClaimRow) => EndReason },
): NewRegistryEvent | undefined {
  const had = before?.shown === 'authorized' ? before : undefined
  const has = after?.shown === 'authorized' ? { ...after, short_form: short.has(after.document_id) ? 1 : 0 } : undefined
  if (has && !had) return eventOf('authorization.granted', has, () => authorizationPayload(has, agentUrl))
  if (had && has) {
    const changed = CHANGING.filter((column) => had[column] !== has[column])
    if (changed.length === 0) return undefined
    return eventOf('authorization.modified', has, () => ({ ...authorizationPayload(has, agentUrl), changed_fields: changed }))
  }
  if (!had) return undefined
  const { publisher_domain } = had
  const reason = after?.shown === 'revoked' ? 'revoked_by_publisher' : whyEnded(had)
  const payload = { agent_url: agentUrl, publisher_domain, authorization_type: 'property_ids', reason }
  return eventOf('authorization.revoked', had, () => payload)
}

/** What of a row a consumer acts on; the time of verification moves with every refresh. */
const CHANGING = [
  'discovery_method',
  'manager_domain',
  'property_ids',
  'properties_authorized',
  'properties_total',
  'signing_keys_pinned',
] as const satisfies (keyof DirectoryClaimRow)[]

function eventOf(
  type: string,
  { publisher_domain, property_ids: { length: size } }: DirectoryClaimRow,
  payload: () => object,
): NewRegistryEvent {
  return { type, entityType: 'authorization', entityId: publisher_domain, payload, size, actor: 'registry' }
}

function agentEvent(type: 'agent.discovered' | 'agent.removed', agentUrl: string): NewRegistryEvent {
  return { type, entityType: 'agent', entityId: agentUrl, payload: { agent_url: agentUrl }, actor: 'registry' }
}

async function agentUrls(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const urls = new Map<string, string>()
  for await (const chunk of chunksInTurns(ids)) {
    const rows = await db
      .selectFrom('directory_agents')
      .select(['agent_id', 'agent_url'])
      .where('agent_id', 'in', chunk)
      .execute()
    for (const { agent_id, agent_url } of rows) urls.set(agent_id, agent_url)
  }
  return urls
}

/** Whether the registry lists an agent by itself, so that it stays known when no publisher authorises it. */
async function isListed(db: Db, agentId: string): Promise<boolean> {
  const row = await db
    .selectFrom('registry_agents')
    .select('agent_id')
    .where('agent_id', '=', agentId)
    .where('listed', '=', 1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * The event of an agent that the registry stops to list: removed, or changed where publishers authorise it, since followers of the feed
 * drop the authorisations of an agent that is removed.
 */
export async function unlistedEvent(tx: Db, agentId: string): Promise<'agent.removed' | 'agent.profile_updated'> {
  return (await countAuthorized(tx, agentId, 1)) === 0 ? 'agent.removed' : 'agent.profile_updated'
}

/** Publishers that authorise an agent now, counted up to a bound. */
async function countAuthorized(db: Db, agentId: string, most: number): Promise<number> {
  const some = db
    .selectFrom('directory_claims')
    .select('publisher_domain')
    .where('agent_id', '=', agentId)
    .where('shown', '=', 'authorized')
    .limit(most)
    .as('some')
  const { rows } = await db
    .selectFrom(some)
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow()
  return Number(rows)
}
