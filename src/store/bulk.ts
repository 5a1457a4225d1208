import { createHash } from 'node:crypto'
import { AdcpError } from '../protocol/errors.ts'

/** A value as both engines give it. */
export type Value = string | number | null
export type Row = readonly Value[]

export interface BulkTable {
  readonly name: string
  /** Columns that are stored, not generated, in the order of their names. */
  readonly columns: readonly string[]
}

/** All tables of a store within one transaction: what is read is of one moment, what is written is there at its end or not at all. */
export interface Bulk {
  /** Tables of the program without the migrator's, each after those that it refers to. */
  tables(): Promise<readonly BulkTable[]>
  /** All rows of a table in batches of a few megabytes. */
  rows(table: BulkTable): AsyncIterable<readonly Row[]>
  insert(table: BulkTable, rows: readonly Row[]): Promise<void>
  /** Takes every row out. */
  clear(table: BulkTable): Promise<void>
}

/** The content of a table: its number of rows, and a sum over them that does not depend on their order. */
export interface TableSum {
  readonly table: string
  readonly rows: number
  readonly checksum: string
}

/** A batch holds at most so many rows and about so many bytes: bodies of files are megabytes, nonces a few bytes. */
export const BATCH_ROWS = 500
export const BATCH_BYTES = 4_000_000

/** Adds rows up, one after the other. */
export class Summing {
  #rows = 0
  #sum = 0n

  add(row: Row): void {
    this.#rows += 1
    this.#sum += createHash('sha256').update(JSON.stringify(row)).digest().readBigUInt64BE()
  }

  of(table: string): TableSum {
    return { table, rows: this.#rows, checksum: BigInt.asUintN(64, this.#sum).toString(16).padStart(16, '0') }
  }
}

/** Collects rows and gives them in batches. */
export async function* batchesOf(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = []
  let bytes = 0
  for await (const row of rows) {
    batch.push(row)
    bytes += row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0)
    if (batch.length < BATCH_ROWS && bytes < BATCH_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

/** Sums of a table as it is. */
export async function sumOf(store: Bulk, table: BulkTable): Promise<TableSum> {
  const sum = new Summing()
  for await (const batch of store.rows(table)) for (const row of batch) sum.add(row)
  return sum.of(table.name)
}

/** Rows that migrations themselves may put into a table: a counter at its start, for instance. */
const MOST_INITIAL_ROWS = 10

/**
 * The first table that holds something. Rows of an empty store are few and the same in every one, so the `initial` sums, those of a store
 * that was just made, tell them from a deployment's.
 */
export async function firstFilled(store: Bulk, initial: ReadonlyMap<string, TableSum>): Promise<string | undefined> {
  for (const table of await store.tables()) {
    const sum = new Summing()
    let rows = 0
    for await (const batch of store.rows(table)) {
      for (const row of batch) sum.add(row)
      rows += batch.length
      if (rows > MOST_INITIAL_ROWS) return table.name
    }
    if (rows > 0 && sum.of(table.name).checksum !== initial.get(table.name)?.checksum) return table.name
  }
  return undefined
}

/** Sums of all tables. */
export async function sumsOf(store: Bulk): Promise<ReadonlyMap<string, TableSum>> {
  const sums = new Map<string, TableSum>()
  for (const table of await store.tables()) sums.set(table.name, await sumOf(store, table))
  return sums
}

export interface CopyProgress {
  readonly table: string
  readonly rows: number
}

/**
 * Copies every table, in place of what a new store holds, and reads the target back. Throws when a table of one is missing in the other, or when the content of the target is
 * not what was read: then the target's transaction must not be committed.
 */
export async function copyTables(
  from: Bulk,
  to: Bulk,
  onProgress: (progress: CopyProgress) => void,
): Promise<readonly TableSum[]> {
  const sources = new Map((await from.tables()).map((table) => [table.name, table]))
  const targets = await to.tables()
  const names = (tables: Iterable<string>) => [...tables].sort().join(', ')
  if (names(sources.keys()) !== names(targets.map(({ name }) => name)))
    throw new AdcpError('CONFIGURATION_ERROR', 'the two stores have different tables')
  for (const target of [...targets].reverse()) await to.clear(target)
  const sums: TableSum[] = []
  for (const target of targets) {
    const source = sources.get(target.name)
    if (!source || source.columns.join() !== target.columns.join())
      throw new AdcpError('CONFIGURATION_ERROR', `${target.name} has different columns`)
    const read = new Summing()
    let rows = 0
    for await (const batch of from.rows(source)) {
      for (const row of batch) read.add(row)
      await to.insert(target, batch)
      rows += batch.length
      onProgress({ table: target.name, rows })
    }
    const expected = read.of(target.name)
    const written = await sumOf(to, target)
    if (written.rows !== expected.rows || written.checksum !== expected.checksum) {
      const alike = written.rows === expected.rows ? ', with another checksum' : ''
      throw new AdcpError(
        'CONFIGURATION_ERROR',
        `${target.name} was not copied correctly: ${expected.rows} rows were read, ${written.rows} are in the target${alike}`,
      )
    }
    sums.push(expected)
  }
  return sums
}
