import type { Config } from '../../config/config.ts'
import { pendingMigrations, unknownMigrations } from '../../store/database.ts'
import { migrations } from '../../store/migrations/index.ts'
import { migrateStore, openStore, storeExists, storeName } from '../../store/open.ts'

/** Brings the schema of the store up to date, under a lock. Gives the migrations applied now. */
export async function migrateSchema(config: Config): Promise<{ readonly store: string; readonly applied: readonly string[] }> {
  return { store: storeName(config), applied: await migrateStore(config) }
}

export interface SchemaState {
  readonly store: string
  readonly isUpToDate: boolean
  /** Migrations of this program that the store lacks. */
  readonly pending: readonly string[]
  /** Migrations of the store that this program does not know: a newer version made them. */
  readonly unknown: readonly string[]
}

/** Compares the schema of the store with that of this program; changes nothing. A store that does not exist lacks every migration. */
export async function compareSchema(config: Config): Promise<SchemaState> {
  const { pending, unknown } = (await storeExists(config))
    ? await compare(config)
    : { pending: Object.keys(migrations), unknown: [] }
  return { store: storeName(config), isUpToDate: pending.length + unknown.length === 0, pending, unknown }
}

async function compare(config: Config) {
  const store = await openStore(config, { create: false, migrate: false })
  try {
    return { pending: await pendingMigrations(store.read), unknown: await unknownMigrations(store.read) }
  } finally {
    await store.close()
  }
}
