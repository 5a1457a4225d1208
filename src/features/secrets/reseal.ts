import type { DeploymentSecrets } from '../../security/secrets/deployment-secrets.ts'
import type { Db, Store } from '../../store/database.ts'
import { listSealedTexts, replaceSealedText, type SealedText } from '../../store/secrets/sealed-texts.ts'
import { type SealedColumn, sealedColumns } from './sealed-columns.ts'

/** Texts of one transaction: a running server waits for it at most some milliseconds. */
const BATCH = 100

/** What of a store is not sealed under the current secret. */
export interface SealedCount {
  /** Sealed under an earlier secret that is known. */
  readonly earlier: number
  /** Cannot be opened: changed, or sealed under a secret that is not known. */
  readonly unreadable: number
}

interface Outdated {
  readonly column: SealedColumn
  readonly found: SealedText
  /** The text under the current secret; undefined when it cannot be opened. */
  readonly text: string | undefined
}

/**
 * Seals everything of the store under the current secret that is sealed under another, in batches. May be interrupted at any point and run by several processes
 * at once: what is done stays done, and a text that changed meanwhile is sealed by who changed it. Gives how many texts were changed.
 */
export async function resealStore(store: Pick<Store, 'read' | 'transaction'>, secrets: DeploymentSecrets): Promise<number> {
  let changed = 0
  for (const column of sealedColumns(secrets))
    for await (const batch of outdated(store.read, column)) {
      const ready = batch.flatMap(({ found, text }) => (text === undefined ? [] : [{ found, text }]))
      if (ready.length === 0) continue
      changed += await store.transaction(async (tx) => {
        let count = 0
        for (const { found, text } of ready) if (await replaceSealedText(tx, column, found, text)) count += 1
        return count
      })
    }
  return changed
}

/** Counts what is not sealed under the current secret. */
export async function countOutdated(db: Db, secrets: DeploymentSecrets): Promise<SealedCount> {
  let [earlier, unreadable] = [0, 0]
  for (const column of sealedColumns(secrets))
    for await (const batch of outdated(db, column))
      for (const { text } of batch) {
        if (text === undefined) unreadable += 1
        else earlier += 1
      }
  return { earlier, unreadable }
}

/** The texts of a column that are not sealed under the current secret, in batches. */
async function* outdated(db: Db, column: SealedColumn): AsyncGenerator<readonly Outdated[]> {
  let after: SealedText | undefined
  for (;;) {
    const page: readonly SealedText[] = await listSealedTexts(db, column, { prefix: column.prefix(), after, limit: BATCH })
    const batch = page.flatMap((found) => {
      const cells = Object.fromEntries(Object.entries(found.cells).map(([name, cell]) => [name, String(cell)]))
      const text = column.reseal(found.text, cells)
      return text === found.text ? [] : [{ column, found, text }]
    })
    if (batch.length > 0) yield batch
    if (page.length < BATCH) return
    after = page.at(-1)
  }
}
