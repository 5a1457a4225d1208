import type { CompiledQuery, QueryResult } from 'kysely'
import type pg from 'pg'
import { PostgresConnection, type StatementNames } from './postgres-connection.ts'
import { asStoreError } from './postgres-errors.ts'

interface Pipe {
  readonly connection: Promise<PostgresConnection>
  inFlight: number
}

/**
 * A few connections that the short statements of all calls share: none waits for a turn in the pool, and those that are asked for
 * at the same moment travel together in both directions. Each commits by itself. A long statement would hold up the others.
 */
export class PostgresPipes {
  readonly #pool: pg.Pool
  readonly #names: StatementNames
  readonly #pipes: (Pipe | undefined)[]

  /** Takes all connections of the pool, each when it is first needed. */
  constructor(pool: pg.Pool, names: StatementNames, connections: number) {
    this.#pool = pool
    this.#names = names
    this.#pipes = new Array<Pipe | undefined>(connections).fill(undefined)
  }

  async run<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const index = this.#idlest()
    const pipe = this.#pipes[index] ?? this.#open(index)
    pipe.inFlight++
    try {
      const connection = await pipe.connection
      try {
        return await connection.executeQuery<R>(query)
      } finally {
        if (connection.isBroken) await this.#drop(index, pipe)
      }
    } finally {
      pipe.inFlight--
    }
  }

  /** Ends the connections once their statements have. */
  async close(): Promise<void> {
    await Promise.all(this.#pipes.map((pipe, index) => pipe && this.#drop(index, pipe)))
    await this.#pool.end()
  }

  #idlest(): number {
    const loads = this.#pipes.map((pipe) => pipe?.inFlight ?? 0)
    return loads.indexOf(Math.min(...loads))
  }

  #open(index: number): Pipe {
    const pipe: Pipe = { connection: this.#connect(() => this.#drop(index, pipe)), inFlight: 0 }
    // The caller gets the error; the next one tries again.
    pipe.connection.catch(() => this.#forget(index, pipe))
    this.#pipes[index] = pipe
    return pipe
  }

  async #connect(onLost: () => void): Promise<PostgresConnection> {
    try {
      const client = await this.#pool.connect()
      client.once('error', onLost)
      return new PostgresConnection(client, this.#names)
    } catch (error) {
      throw asStoreError(error)
    }
  }

  async #drop(index: number, pipe: Pipe): Promise<void> {
    if (!this.#forget(index, pipe)) return
    const connection = await pipe.connection.catch(() => undefined)
    connection?.discard()
  }

  /** False when it was done before. */
  #forget(index: number, pipe: Pipe): boolean {
    if (this.#pipes[index] !== pipe) return false
    this.#pipes[index] = undefined
    return true
  }
}
