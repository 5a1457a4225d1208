import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Store } from './database.ts'
import { migrate } from './database.ts'
import type { Tables } from './tables.ts'

/** Serialisation failure and deadlock: the transaction can simply run again (PostgreSQL appendix A, class 40). */
const RETRYABLE = new Set(['40001', '40P01'])
const MAX_ATTEMPTS = 5

/**
 * Opens a PostgreSQL database by connection string. Integers of 64 bits are read as numbers: money in micros stays
 * below 2^53 (9 billion currency units).
 */
export async function openPostgres(url: string): Promise<Store> {
  const types = {
    getTypeParser: (oid: number, format?: string) =>
      oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
  }
  const pool = new pg.Pool({ connectionString: url, max: 10, types })
  // An idle connection that the server closes must not end the process; the next query reports it.
  pool.on('error', () => {})
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  await migrate(db)
  return {
    engine: 'postgres',
    read: db,
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await db.transaction().execute(work)
        } catch (error) {
          if (attempt >= MAX_ATTEMPTS || !RETRYABLE.has(codeOf(error))) throw error
        }
      }
    },
    async ping() {
      await pool.query('SELECT 1')
    },
    close: () => db.destroy(),
  }
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}
