import { type Compilable, type CompiledQuery, type QueryResult, type RawBuilder, sql } from 'kysely'
import type { Db } from './database.ts'

/** Runs a statement with these values. */
export type HotQuery<Name extends string, Row> = (
  db: Db,
  values: Readonly<Record<Name, string | number | null>>,
) => Promise<QueryResult<Row>>

/** A statement that is short and frequent, with its values. */
export class HotStatement<Row> implements CompiledQuery<Row> {
  readonly query: CompiledQuery<Row>['query']
  readonly queryId: CompiledQuery<Row>['queryId']
  readonly sql: string
  readonly parameters: readonly unknown[]

  constructor({ query, queryId, sql }: CompiledQuery<Row>, parameters: readonly unknown[]) {
    this.query = query
    this.queryId = queryId
    this.sql = sql
    this.parameters = parameters
  }
}

/** Placeholder of a named value where a column takes text. */
export interface NamedValue<Name extends string> {
  (name: Name): string
  /** Placeholder of one where a column takes another type. */
  of<T>(name: Name): RawBuilder<T>
}

interface Statement<Name extends string, Row> {
  readonly query: CompiledQuery<Row>
  /** For each parameter the value that it takes; undefined for a constant of the statement. */
  readonly names: readonly (Name | undefined)[]
}

/**
 * A statement that runs with every call: built and compiled once for each engine, because Kysely takes longer to write SQL
 * than SQLite takes to run it. `build` gets a function that represents a named value; everything else is a constant.
 */
export function hotQuery<const Name extends string, Row>(
  names: readonly Name[],
  build: (db: Db, value: NamedValue<Name>) => Compilable<Row>,
): HotQuery<Name, Row> {
  const statements = new WeakMap<object, Statement<Name, Row>>()
  // No constant of a statement starts with NUL.
  const mark = (name: Name) => `\0${name}`
  const value = Object.assign(mark, { of: <T>(name: Name) => sql<T>`${mark(name)}` })
  const compile = (db: Db): Statement<Name, Row> => {
    const query = build(db, value).compile()
    return { query, names: query.parameters.map((parameter) => names.find((name) => parameter === `\0${name}`)) }
  }
  return (db, values) => {
    // Transactions and the pool of one store share the adapter of their engine.
    const { adapter } = db.getExecutor()
    const statement = statements.get(adapter) ?? compile(db)
    statements.set(adapter, statement)
    const parameters = statement.query.parameters.map((constant, index) => {
      const name = statement.names[index]
      return name === undefined ? constant : values[name]
    })
    return db.executeQuery(new HotStatement(statement.query, parameters))
  }
}
