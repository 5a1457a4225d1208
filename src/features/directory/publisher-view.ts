import { isObject } from '../../protocol/is-object.ts'
import type { Db } from '../../store/database.ts'
import { listAttempts } from '../../store/directory/directory-attempts.ts'
import { findDocumentById } from '../../store/directory/directory-documents.ts'
import { findExclusion } from '../../store/directory/directory-exclusions.ts'
import { findPublisher } from '../../store/directory/directory-publishers.ts'
import { listEventsOf } from '../../store/directory/registry-events.ts'
import type { DirectoryDocumentRow, DirectoryPublisherRow } from '../../store/directory/rows.ts'
import { wellKnownUrl } from './fetch-adagents.ts'
import { type ExplainedClaim, explain } from './why.ts'

const HOSTING_MODES = {
  inline: 'self',
  pointer: 'self_redirected',
  invalid: 'self_invalid',
  absent: 'none',
  unknown: 'none',
} as const satisfies Record<DirectoryPublisherRow['serves'], string>

/** Changes that one answer shows, where the directory records them. */
const HISTORY = 50

/**
 * All that the directory knows of one publisher: where its file is, how the last visits went, who is authorised by which file, and why
 * nobody is. Undefined for a domain that the directory has never heard of. Source: AdCP registry (publisher lookup).
 */
export async function publisherView(db: Db, domain: string, now: Date): Promise<object | undefined> {
  const publisher = await findPublisher(db, domain)
  const { claims, not_listed_because, notes } = await explain(db, domain, now)
  if (!publisher && claims.length === 0 && !(await findExclusion(db, domain))) return undefined
  const end = publisher?.route_document_id ? await findDocumentById(db, publisher.route_document_id) : undefined
  const attempts = await listAttempts(db, domain)
  const rows = claims.map(({ agent_url: url, ...claim }) => ({ url, ...claim }))
  return {
    domain,
    adagents_valid: publisher === undefined || publisher.serves === 'unknown' ? null : end?.content === 'inline',
    discovery_method: publisher?.route_method ?? null,
    manager_domain: publisher?.route_manager ?? null,
    hosting: hostingOf(domain, publisher, end),
    authorized_agents: rows.filter(counts),
    // Whoever reads `authorized_agents` by its name must find none of these there.
    other_claims: rows.filter((row) => !counts(row)),
    not_listed_because,
    notes,
    attempts: attempts.map(({ attempted_at, result, reason }) => ({ attempted_at, result, reason })),
    next_attempt_at: publisher?.next_attempt_at ?? null,
    history: (await listEventsOf(db, domain, HISTORY)).map(({ created_at: at, event_type, payload }) => ({
      at,
      event_type,
      agent_url: agentOf(payload),
    })),
  }
}

/** Whether a claim is an authorisation that lookups show: neither the mark of a revocation, nor an entry that does not count. */
function counts({ shown, status }: Pick<ExplainedClaim, 'shown' | 'status'>): boolean {
  return shown && status === 'authorized'
}

function hostingOf(domain: string, publisher: DirectoryPublisherRow | undefined, end: DirectoryDocumentRow | undefined): object {
  return {
    mode: HOSTING_MODES[publisher?.serves ?? 'unknown'],
    expected_url: wellKnownUrl(domain),
    resolved_url: end?.url ?? null,
    last_validated: end?.verified_at ?? null,
    ...(publisher?.pointer_pending && { pending_url: publisher.pointer_pending }),
  }
}

function agentOf(payload: string): string | null {
  const value: unknown = JSON.parse(payload)
  return isObject(value) && typeof value.agent_url === 'string' ? value.agent_url : null
}
