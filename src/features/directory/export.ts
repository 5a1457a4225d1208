import { feedEventId } from '../../domain/registry/feed-event-id.ts'
import type { Db } from '../../store/database.ts'
import { type AuthorizationRow, pageAuthorizations, type SnapshotPosition } from '../../store/directory/directory-snapshot.ts'

/** Rows of one read: large enough that reading costs little beside writing, small enough that memory stays flat. */
const PAGE = 5_000

/** Every authorisation in force as lines of JSON (NDJSON), some thousand at a time. Source: AdCP registry (authorizations/snapshot). */
export async function* authorizationLines(db: Db): AsyncGenerator<string> {
  let after: SnapshotPosition | undefined
  do {
    const { rows, next } = await pageAuthorizations(db, after, PAGE)
    if (rows.length > 0) yield `${rows.map(lineOf).join('\n')}\n`
    after = next
  } while (after !== undefined)
}

/** The registry's row of an authorisation, with the provenance that the directory has. */
function lineOf(row: AuthorizationRow): string {
  const { agent_url, publisher_domain, verified_at } = row
  const head = {
    id: feedEventId(`${row.agent_id} ${publisher_domain}`, verified_at),
    agent_url,
    agent_url_canonical: agent_url,
    property_rid: null,
    property_id_slug: null,
    publisher_domain,
    authorized_for: null,
    evidence: 'adagents_json',
    disputed: false,
    created_by: null,
    expires_at: null,
    created_at: verified_at,
    updated_at: verified_at,
    signing_keys: null,
    override_applied: false,
    override_reason: null,
    discovery_method: row.discovery_method,
    manager_domain: row.manager_domain,
    properties_authorized: row.properties_authorized,
    properties_total: row.properties_total,
    signing_keys_pinned: row.signing_keys_pinned === 1,
  }
  // The ids are JSON already.
  return `${JSON.stringify(head).slice(0, -1)},"property_ids":${row.property_ids}}`
}
