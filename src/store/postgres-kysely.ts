import {
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type DialectAdapter,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { Db } from './database.ts'
import type { Tables } from './tables.ts'

const dialect: Dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
}

/** Makes query builders over connections of one store, which share their compiled statements. */
export function kyselyOver(): (connection: DatabaseConnection) => Db {
  const adapter: DialectAdapter = dialect.createAdapter()
  const compiler = dialect.createQueryCompiler()
  const driver = dialect.createDriver()
  return (connection) => {
    // Not Kysely's own provider of one connection: that one holds a statement back until the one before it has ended.
    const executor = new DefaultQueryExecutor(compiler, adapter, { provideConnection: (use) => use(connection) })
    return new Kysely<Tables>({ config: { dialect }, dialect, driver, executor })
  }
}
