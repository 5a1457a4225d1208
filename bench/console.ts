import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { startPostgres } from '../tools/agent/postgres.ts'
import { measureQuestions, startMeasuredPublisher, type Taken } from './console/publisher.ts'
import { type DatabaseResult, line, markdown, rowsOf } from './console/report.ts'

// Measures every page of the console and every list of the admin API with few orders and with many: npm run bench:console --
// [--sizes 1000,10000,100000] [--samples 15] [--postgres] [--markdown FILE]. There is a product for each ten orders. `--postgres` measures on PostgreSQL too.

const { values: options } = parseArgs({
  options: {
    markdown: { type: 'string' },
    postgres: { type: 'boolean', default: false },
    sizes: { type: 'string', default: '1000,10000,100000' },
    samples: { type: 'string', default: '15' },
  },
})
const sizes = options.sizes.split(',').map(Number)
const samples = Number(options.samples)
const results = [await measureDatabase('SQLite')]
if (options.postgres) {
  const postgres = await startPostgres()
  try {
    results.push(await measureDatabase('PostgreSQL', await postgres.createDatabase('console')))
  } finally {
    await postgres.stop()
  }
}
if (options.markdown !== undefined)
  await writeFile(options.markdown, markdown(new Date().toISOString().slice(0, 10), sizes, samples, results))
if (results.some(({ rows }) => rows.some(({ isMet }) => !isMet))) process.exitCode = 1

async function measureDatabase(database: string, url?: string): Promise<DatabaseResult> {
  const publisher = await startMeasuredPublisher(url)
  try {
    const taken: ReadonlyMap<string, Taken>[] = []
    for (const orders of sizes) {
      const started = performance.now()
      await publisher.grow(orders)
      console.log(`${database}: grown to ${orders} orders in ${((performance.now() - started) / 1000).toFixed(1)} s`)
      taken.push(await measureQuestions(publisher.questions, samples))
    }
    const rows = rowsOf(taken)
    for (const row of rows) console.log(line(row))
    return { database, rows }
  } finally {
    await publisher.stop()
  }
}
