import type { AuditEntry } from '../../domain/audit/entry.ts'
import type { Observation } from '../../domain/audit/observation.ts'
import { startBackgroundJob } from '../../platform/scheduler/background-job.ts'
import { SealedElsewhere, sealEntries, writeEntries, writeEntry } from '../../store/audit/audit.ts'
import type { Db, Store } from '../../store/database.ts'

/** The append-only log of every call that changes something or is refused. */
export interface Audit {
  /** Records a change in its own transaction: both are committed or neither is. */
  change(tx: Db, facts: AuditFacts): Promise<void>
  /** Takes note of a call that ended, when it was refused or replayed; written within a second. */
  ended(call: AuditFacts & AuditOutcome): void
  /** Resolves once everything noted so far is in the chains. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** Of a call of a task, or of another transport's act: then `task` is its area and name, e.g. `oauth.token`. */
export type AuditFacts = Pick<Observation, 'requestId' | 'transport' | 'task' | 'at'> &
  Partial<Pick<Observation, 'tenant' | 'principal' | 'credential' | 'account'>> & { readonly subject?: string }

export type AuditOutcome = Pick<Observation, 'outcome'> & Partial<Pick<Observation, 'replayed'>>

/** What a transport needs to audit its own changes and refusals. */
export type AuditNotes = Pick<Audit, 'change' | 'ended'>

export interface AuditOptions {
  readonly store: Store
  readonly onError: (error: unknown) => void
}

/** How long a refusal is buffered: many are written in one batch. */
const FLUSH_MS = 1000
/** Entries chained in one transaction. */
const SEAL_ENTRIES = 500
/** Refusals cached while the store is unreachable; what comes on top is counted by kind. */
const MAX_WAITING = 10_000

export function startAudit({ store, onError }: AuditOptions): Audit {
  const waiting = new Waiting()
  const look = async () => {
    const entries = waiting.take()
    try {
      if (entries.length > 0) await store.transaction((tx) => writeEntries(tx, entries), { isolation: 'read-committed' })
    } catch (error) {
      waiting.putBack(entries)
      throw error
    }
    return (await seal(store)) === SEAL_ENTRIES
  }
  const job = startBackgroundJob(look, FLUSH_MS, onError)
  const settled = async () => {
    job.wake()
    await job.idle()
  }
  return {
    change: (tx, facts) => writeEntry(tx, auditEntry(facts, 'ok')),
    ended(call) {
      if (call.outcome === 'ok' && !call.replayed) return
      waiting.add(auditEntry(call, call.outcome, call.replayed))
    },
    settled,
    async close() {
      await settled()
      await job.stop()
    },
  }
}

/**
 * Moves written entries into the chains, at most 500, and returns how many. Apart from the calls that write entries: a serialisable reader of them all would make those calls run
 * again.
 */
export async function seal(store: Store): Promise<number> {
  try {
    return await store.transaction((tx) => sealEntries(tx, SEAL_ENTRIES), { isolation: 'read-committed' })
  } catch (error) {
    if (error instanceof SealedElsewhere) return 0
    throw error
  }
}

/** The entry of a call with this outcome: `ok`, or the code of its refusal. */
export function auditEntry(facts: AuditFacts, outcome: string, replayed = false): AuditEntry {
  const { at, tenant = '', principal, credential, transport, requestId, task, account, subject } = facts
  return {
    at: at.toISOString(),
    tenant,
    ...(principal !== undefined && { principal }),
    ...(credential !== undefined && { credential }),
    transport,
    request: requestId,
    task,
    ...(account !== undefined && { account }),
    ...(subject !== undefined && { subject }),
    outcome,
    ...(replayed && { replay: true as const }),
  }
}

/** Entries on their way to the store. Those of unknown callers become one entry for each kind, so that a flood writes no more than a trickle. */
class Waiting {
  readonly #entries = new Map<string, AuditEntry>()

  add(entry: AuditEntry): void {
    const key = entry.principal === undefined || this.#entries.size >= MAX_WAITING ? kindOf(entry) : entry.request
    const known = this.#entries.get(key)
    this.#entries.set(key, known ? { ...known, count: (known.count ?? 1) + (entry.count ?? 1) } : entry)
  }

  take(): AuditEntry[] {
    const entries = [...this.#entries.values()]
    this.#entries.clear()
    return entries
  }

  putBack(entries: readonly AuditEntry[]): void {
    for (const entry of entries) this.add(entry)
  }
}

function kindOf({ tenant, principal, transport, task, subject, outcome }: AuditEntry): string {
  return JSON.stringify([tenant, principal, transport, task, subject, outcome])
}
