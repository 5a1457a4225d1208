import { randomUUID } from 'node:crypto'
import { readMirroredClaim } from '../../domain/directory/mirrored-claim.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Store } from '../../store/database.ts'
import { addMirrorRows, beginMirror, dropUncounted, finishMirror } from '../../store/directory/directory-mirrors.ts'
import type { DirectoryMirrorClaimRow } from '../../store/directory/rows.ts'

/** Rows of one transaction. */
const BATCH = 2_000
/** A row of a snapshot has some hundred bytes, or some thousand with the ids of many properties. */
const MAX_LINE = 1024 * 1024

export interface ImportRequest {
  /** Base address of the directory that the snapshot is of. */
  readonly source: string
  /** Cursor of its feed that follows the snapshot, where it was given. */
  readonly syncCursor?: string | undefined
  /** Text of the snapshot (NDJSON), in pieces of any size. */
  readonly text: AsyncIterable<string>
}

export interface ImportResult {
  readonly rows: number
  /** Lines that name no agent or no publisher. */
  readonly skipped: number
}

/**
 * Takes over the snapshot of another directory as a mirror. Its rows are marked with where they are from, and no lookup of this directory shows them; they
 * replace those of an earlier snapshot of the same directory at once, when the whole file has been read. Throws INVALID_REQUEST for what is
 * no snapshot, and leaves the earlier one then.
 */
export async function importSnapshot(
  { store, audited, clock }: { readonly store: Store; readonly audited: Store; readonly clock: () => Date },
  { source, syncCursor, text }: ImportRequest,
): Promise<ImportResult> {
  const generation = randomUUID()
  let batch: DirectoryMirrorClaimRow[] = []
  const counts = { rows: 0, skipped: 0 }
  await store.transaction((tx) => beginMirror(tx, source, generation))
  const write = async () => {
    const rows = batch
    batch = []
    await store.transaction((tx) => addMirrorRows(tx, rows))
    counts.rows += rows.length
  }
  for await (const line of linesOf(text)) {
    const read = readMirroredClaim(line)
    if ('reason' in read) {
      counts.skipped += 1
      continue
    }
    const { agent_url, publisher_domain, ...claim } = read.claim
    batch.push({ agent_url, publisher_domain, generation, claim: JSON.stringify(claim) })
    if (batch.length === BATCH) await write()
  }
  await write()
  if (counts.rows === 0 && counts.skipped > 0) {
    throw new AdcpError(
      'INVALID_REQUEST',
      'the file is no snapshot of authorisations: no line of it names an agent and a publisher',
      {
        field: 'file',
      },
    )
  }
  const imported = { imported_at: clock().toISOString(), sync_cursor: syncCursor ?? null, row_count: counts.rows }
  await audited.transaction(async (tx) => {
    if (await finishMirror(tx, source, generation, imported)) return
    throw new AdcpError('CONFLICT', `another import of ${source} has begun meanwhile`, { field: 'source' })
  })
  await dropOldRows(store)
  return counts
}

/** Drops what no mirror counts any more: earlier snapshots, and imports that did not end. */
export async function dropOldRows(store: Store): Promise<void> {
  while (await store.transaction((tx) => dropUncounted(tx)));
}

async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of text) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE) {
      throw new AdcpError('INVALID_REQUEST', `the file is no snapshot: a line has more than ${MAX_LINE} characters`, {
        field: 'file',
      })
    }
    for (const line of lines) if (line.trim() !== '') yield line
  }
  if (rest.trim() !== '') yield rest
}
