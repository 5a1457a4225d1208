import { fileForm } from '../../domain/directory/file-form.ts'
import { feedEventId } from '../../domain/registry/feed-event-id.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../store/database.ts'
import { type AuthorizationRow, pageAuthorizations, type SnapshotPosition } from '../../store/directory/directory-snapshot.ts'

/** Rows of one read, between which other work runs: some ten milliseconds. */
const PAGE = 1_000

/** Every authorisation in force as lines of JSON (NDJSON), up to a thousand at a time. Source: AdCP registry (authorizations/snapshot). */
export async function* authorizationLines(db: Db): AsyncGenerator<string> {
  let after: SnapshotPosition | undefined
  do {
    const { agents, next } = await pageAuthorizations(db, after, PAGE)
    const text = agents.map(({ agentUrl, rows }) => linesOf(agentUrl, rows)).join('')
    if (text !== '') yield text
    await yieldToEventLoop()
    after = next
  } while (after !== undefined)
}

/** The same rows as objects, for answers about one agent, in their order. */
export function presentAuthorizations(agentUrl: string, rows: readonly AuthorizationRow[]): readonly object[] {
  return rows.map((row) => JSON.parse(linesOf(agentUrl, [row])))
}

/**
 * The registry's rows of the authorisations of one agent, with the provenance that the directory has. What is the same in every row is written
 * once: a million rows are written as text, not built as objects.
 */
function linesOf(agentUrl: string, rows: readonly AuthorizationRow[]): string {
  const address = JSON.stringify(agentUrl)
  const agent = `,"agent_url":${address},"agent_url_canonical":${address},"property_rid":null,"property_id_slug":null,"publisher_domain":`
  return rows.map((row) => lineOf(agent, row)).join('')
}

const FIXED =
  ',"authorized_for":null,"evidence":"adagents_json","disputed":false,"created_by":null,"expires_at":null,"signing_keys":null,"override_applied":false,"override_reason":null'

function lineOf(agent: string, row: AuthorizationRow): string {
  const { publisher_domain, verified_at } = row
  const id = feedEventId(`${row.agent_id} ${publisher_domain}`, verified_at)
  const at = JSON.stringify(verified_at)
  const manager = row.manager_domain === null ? 'null' : JSON.stringify(row.manager_domain)
  // The ids of properties are JSON already.
  return `{"id":"${id}"${agent}${JSON.stringify(publisher_domain)}${FIXED},"created_at":${at},"updated_at":${at},"discovery_method":${JSON.stringify(row.discovery_method)},"manager_domain":${manager},"properties_authorized":${row.properties_authorized},"properties_total":${row.properties_total},"signing_keys_pinned":${row.signing_keys_pinned === 1},"file_form":"${fileForm(row)}","property_ids":${row.property_ids}}\n`
}
