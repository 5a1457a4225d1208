import { randomUUID } from 'node:crypto'
import { auditEntry } from '../features/audit/audit.ts'
import { writeEntries } from '../store/audit/audit.ts'
import type { Db, Store } from '../store/database.ts'
import type { Change } from './act.ts'
import { changedMembers } from './changed-members.ts'
import type { OperatorContext } from './operator-context.ts'

/** What is done: `task` is the group and the name of the act, `subject` the id of what it is about. */
export interface OperatorAct {
  readonly task: string
  /** Absent: for the whole deployment. */
  readonly tenant?: string
  readonly account?: string
  readonly subject?: string
  /** What it was sent that the log names. */
  readonly sent?: Readonly<Record<string, Change>>
  /** Old and new value of what it changes. */
  readonly changes?: Readonly<Record<string, Change>>
  /** Whether `changes` is all that it changes. */
  readonly isWhole?: boolean
}

/**
 * A store that writes the act to the audit log in its first transaction: the change and its entry are committed together, or neither. The entry is built
 * at the end of the transaction, from what the act has noted by then; `watch` reads what it changes, before and after. An act that says all that it changes,
 * by `watch` or `noteAllChanges`, and changed nothing has no entry.
 */
export function auditedStore(
  { store, actor, clock }: OperatorContext,
  act: OperatorAct,
  watch: (tx: Db) => Promise<object | undefined> | undefined = () => undefined,
): Store {
  const { who: principal, credential, transport } = actor
  const of = { principal, credential, transport, requestId: randomUUID(), at: clock() }
  return notedStore(store, async (tx) => {
    const before = await watch(tx)
    return async () => {
      const after = await watch(tx)
      const { changes: noted, sent = {}, isWhole = false, ...about } = act
      const seen = (before ?? after) && changedMembers(before ?? {}, after ?? {})
      const changes = { ...sent, ...noted, ...seen }
      // What was sent beside is of the change: of a reason for nothing there is no entry.
      if ((isWhole || seen) && Object.keys({ ...noted, ...seen }).length === 0) return false
      const isEmpty = Object.keys(changes).length === 0
      const entry = auditEntry({ ...about, ...of }, 'ok')
      await writeEntries(tx, [isEmpty ? entry : { ...entry, changes }])
      return true
    }
  })
}

/**
 * A store that writes a note at the end of its first transaction that commits, begun at its start; when the note cannot be written, nothing of it is. While there is
 * nothing to note (`false`), the next transaction is asked. What is changed through it, the publisher's people change.
 */
export function notedStore(store: Store, begin: (tx: Db) => Promise<() => Promise<boolean>>): Store {
  let isWritten = false
  return storeOver(store, {
    read: store.read,
    async transaction(work, options) {
      const { result, isNoted } = await store.transaction(
        async (tx) => {
          const note = isWritten ? undefined : await begin(tx)
          const result = await work(tx)
          return { result, isNoted: note ? await note() : true }
        },
        { ...options, origin: 'seller_operator' },
      )
      isWritten = isNoted
      return result
    },
  })
}

/**
 * A store whose first transaction begins with a check, which reads through the store that it is given: what somebody saw before an act is still so when the act writes. What the check throws ends the
 * act, and nothing of it is stored.
 */
export function guardedStore(store: Store, check: (inside: Store) => Promise<void>): Store {
  return notedStore(store, async (tx) => {
    await check(storeOver(store, { read: tx, transaction: (work) => work(tx) }))
    return async () => true
  })
}

/** A store that keeps nothing: each transaction is rolled back after its work, with what it gave. */
export function forgetfulStore(store: Store): Store {
  return storeOver(store, { read: store.read, transaction: (work) => tryOut({ store }, work) })
}

/** A store with reads and transactions of its own; the rest is that of another. */
function storeOver(store: Store, own: Pick<Store, 'read' | 'transaction'>): Store {
  return {
    ...own,
    engine: store.engine,
    dataVersion: () => store.dataVersion(),
    ping: () => store.ping(),
    writeFault: () => store.writeFault(),
    findDamage: () => store.findDamage(),
    pools: () => store.pools(),
    close: () => store.close(),
  }
}

/** Writes the entry of an act that stores nothing else, before it does something outside of the store. */
export function logNow({ store }: Pick<OperatorContext, 'store'>): Promise<void> {
  return store.transaction(async () => undefined)
}

/** Ends a transaction of which nothing is to be stored. */
class RolledBack extends Error {}

/** What an act would come to: it is carried out in a transaction that is rolled back, so that nothing of it is stored or logged. Throws what the act throws. */
export async function tryOut<T>({ store }: Pick<OperatorContext, 'store'>, work: (tx: Db) => Promise<T>): Promise<T> {
  const results: T[] = []
  try {
    await store.transaction(async (tx) => {
      results.push(await work(tx))
      throw new RolledBack()
    })
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
  const result = results.at(-1)
  if (result === undefined) throw new Error('an act without a result')
  return result
}
