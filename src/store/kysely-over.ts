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
import type { ChangeOrigin } from '../domain/account/account-change.ts'
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
  readonly changeOrigin: ChangeOrigin
  readonly #connection: DatabaseConnection

  constructor(
    dialect: Pick<Dialect, 'createQueryCompiler'>,
    adapter: ReturnType<Dialect['createAdapter']>,
    connection: DatabaseConnection,
    changeOrigin: ChangeOrigin,
  ) {
    super(dialect.createQueryCompiler(), adapter, { provideConnection: (use) => use(connection) })
    this.#connection = connection
    this.changeOrigin = changeOrigin
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#connection.executeQuery<R>(query)
  }
}

/** Who brings about what is changed through a handle of the store; of one that says nothing, the server itself. */
export function changeOriginOf(db: Db): ChangeOrigin {
  const executor = db.getExecutor()
  return executor instanceof StatementsOf ? executor.changeOrigin : 'seller_system'
}

/** Makes query builders over connections of one store, which share their compiled statements. `origin`: who brings about what is changed through one. */
export function kyselyOver(engine: 'sqlite' | 'postgres'): (connection: DatabaseConnection, origin?: ChangeOrigin) => Db {
  const dialect = DIALECTS[engine]
  const adapter = dialect.createAdapter()
  const driver = dialect.createDriver()
  return (connection, origin = 'seller_system') => {
    const executor = new StatementsOf(dialect, adapter, connection, origin)
    return new Kysely<Tables>({ config: { dialect }, dialect, driver, executor })
  }
}
