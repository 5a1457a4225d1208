import { sql } from 'kysely'
import type { Store } from '../../src/store/database.ts'

/** Every row of every table as one text: `table` and the row as JSON. */
export async function storedTexts({ read }: Pick<Store, 'read'>): Promise<readonly { table: string; text: string }[]> {
  const tables = await read.introspection.getTables({ withInternalKyselyTables: true })
  const all = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql<object>`select * from ${sql.table(name)}`.execute(read)
      return rows.map((row) => ({ table: name, text: JSON.stringify(row) }))
    }),
  )
  return all.flat()
}

/** The names of tables that hold a text, as it is or in another spelling. */
export async function tablesWith(store: Pick<Store, 'read'>, secret: string): Promise<readonly string[]> {
  const bytes = Buffer.from(secret)
  const spellings = [secret, bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex'), encodeURIComponent(secret)]
  const rows = await storedTexts(store)
  return [...new Set(rows.filter(({ text }) => spellings.some((each) => text.includes(each))).map(({ table }) => table))]
}
