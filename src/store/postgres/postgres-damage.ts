import type pg from 'pg'
import type { Damage } from '../database.ts'

/** What PostgreSQL knows of damaged pages: it counts those whose checksum was wrong when it read them, if checksums are on. */
export async function postgresDamage(pool: pg.Pool): Promise<Damage> {
  const { rows } = await pool.query<{ failures: string | null; last: Date | null }>(
    'SELECT checksum_failures AS failures, checksum_last_failure AS last FROM pg_stat_database WHERE datname = current_database()',
  )
  const [row] = rows
  const { rows: settings } = await pool.query<{ data_checksums: string }>('SHOW data_checksums')
  if (settings[0]?.data_checksums !== 'on') {
    const covers = 'PostgreSQL keeps no data checksums (pg_checksums --enable): a damaged page shows only when it cannot be read'
    return { found: [], covers }
  }
  const failures = Number(row?.failures ?? 0)
  const found =
    failures === 0 ? [] : [`${failures} pages had a wrong checksum, the last at ${row?.last?.toISOString() ?? 'an unknown time'}`]
  return { found, covers: 'PostgreSQL checks the checksum of every page that it reads' }
}
