import { TEST_CHANGE } from '../../domain/audit/change-type.ts'
import type { AuditEntry } from '../../domain/audit/entry.ts'
import { currentAct, currentActs } from '../../domain/audit/former-acts.ts'
import { eventTypeFilter } from '../../domain/registry/event-types.ts'
import { readLinks } from '../../store/audit/audit.ts'
import type { Db } from '../../store/database.ts'

/** What a subscriber of a publisher's changes has taken, and wants. */
interface Place {
  readonly tenantId: string
  readonly subscriberId: string
  readonly position: number
  /** Comma-separated; null: every change. */
  readonly types: string | null
}

/** Changes of a publisher after a place in its audit log: what succeeded and was no repetition. */
export async function changesAfter(db: Db, { tenantId, subscriberId, position, types }: Place, limit: number) {
  const { links, isCut } = await readLinks(db, tenantId, position, limit)
  const wants = eventTypeFilter(types?.split(',').flatMap(currentActs).join(','))
  const events = links.flatMap(({ seq, entry }) => {
    const change: AuditEntry = JSON.parse(entry)
    const isTest = change.task === TEST_CHANGE
    if (change.outcome !== 'ok' || change.replay) return []
    return (isTest ? change.subject === subscriberId : wants(currentAct(change.task))) ? [presentChange(seq, change)] : []
  })
  return { events, position: links.at(-1)?.seq ?? position, hasMore: isCut }
}

function presentChange(number: number, { at, task, principal, credential, transport, account, subject }: AuditEntry) {
  return {
    number,
    at,
    act: task,
    principal: principal ?? null,
    credential: credential ?? null,
    transport,
    account: account ?? null,
    subject: subject ?? null,
  }
}
