import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Db } from './database.ts'
import type { Tables } from './tables.ts'

const DIALECTS: Readonly<Record<'sqlite' | 'postgres', Dialect>> = {
  sqlite: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  postgres: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
}

/**
 * Hands statements to one connection as they come. Kysely's own executor takes a lock on the connection for each of them: on SQLite that costs more
 * than the statement, on PostgreSQL it holds a statement back until the one before it has ended.
 */
class StatementsOf extends DefaultQueryExecutor {
  readonly #connection: DatabaseConnection

  constructor(
    dialect: Pick<Dialect, 'createQueryCompiler'>,
    adapter: ReturnType<Dialect['createAdapter']>,
    connection: DatabaseConnection,
  ) {
    super(dialect.createQueryCompiler(), adapter, { provideConnection: (use) => use(connection) })
    this.#connection = connection
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#connection.executeQuery<R>(query)
  }
}

/** Makes query builders over connections of one store, which share their compiled statements. */
export function kyselyOver(engine: 'sqlite' | 'postgres'): (connection: DatabaseConnection) => Db {
  const dialect = DIALECTS[engine]
  const adapter = dialect.createAdapter()
  const driver = dialect.createDriver()
  return (connection) =>
    new Kysely<Tables>({ config: { dialect }, dialect, driver, executor: new StatementsOf(dialect, adapter, connection) })
}
