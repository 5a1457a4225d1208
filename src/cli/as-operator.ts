import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import { auditEntry } from '../features/audit/audit.ts'
import { writeEntries } from '../store/audit/audit.ts'
import type { Store } from '../store/database.ts'

/** What an operator does with a command: `task` is its group and name, `subject` the id of what it is about. */
export interface OperatorAct {
  readonly task: string
  /** Absent: for the whole deployment. */
  readonly tenant?: string
  readonly account?: string
  readonly subject?: string
}

/**
 * A store that writes the act down in the audit log together with its first change: both stand or neither. Who: `operator`, with the
 * account of the operating system that ran the command as credential.
 */
export function asOperator(store: Store, act: OperatorAct): Store {
  const facts = {
    ...act,
    requestId: randomUUID(),
    transport: 'cli',
    at: new Date(),
    principal: 'operator',
    credential: osAccount(),
  }
  let isWritten = false
  return {
    engine: store.engine,
    read: store.read,
    dataVersion: () => store.dataVersion(),
    async transaction(work, options) {
      const result = await store.transaction(async (tx) => {
        const result = await work(tx)
        if (!isWritten) await writeEntries(tx, [auditEntry(facts, 'ok')])
        return result
      }, options)
      isWritten = true
      return result
    },
    ping: () => store.ping(),
    pools: () => store.pools(),
    close: () => store.close(),
  }
}

/** In a container the account may have no name. */
function osAccount(): string {
  try {
    return `os:${userInfo().username}`
  } catch {
    return `os:${process.getuid?.() ?? 'unknown'}`
  }
}
