import type pg from 'pg'

/** SQLSTATE (PostgreSQL appendix A). */
const WORDS: Readonly<Record<string, string>> = {
  '25006': 'the database is read-only',
  '42501': 'the role may not write',
  '53100': 'the disk is full',
  '58030': 'the disk reports an error',
  XX001: 'a page is damaged',
  XX002: 'an index is damaged',
}

/**
 * Why the database takes no writes; undefined when it does. A statement that changes no row asks for the right to write, and a message to the log of changes,
 * which nothing reads, is written to the disk with its commit.
 */
export async function postgresWriteFault(pool: pg.Pool): Promise<string | undefined> {
  try {
    await pool.query("UPDATE auth_failures SET failures = failures WHERE bucket = ''")
    await pool.query("SELECT pg_logical_emit_message(true, 'sales-agent', 'readyz')")
    return undefined
  } catch (error) {
    return (error instanceof Error && 'code' in error && WORDS[String(error.code)]) || 'a write failed'
  }
}
