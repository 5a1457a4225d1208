import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { constants, createGzip } from 'node:zlib'
import { authorizationLines } from '../../src/features/directory/export.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { seedStore } from './seed.ts'

// Exports a seeded directory as the HTTP route does, gzipped NDJSON, to nowhere. A process of its own seeds, so that memory here is the export's.
const rows = Number(process.argv[2] ?? 1_000_000)
const seed = process.argv[3]
if (seed !== undefined) {
  await seedStore(seed, 'store.sqlite', { rows, agents: 1_000 })
  process.exit()
}
const folder = mkdtempSync(join(tmpdir(), 'directory-export-bench-'))
execFileSync(process.execPath, ['--import', 'tsx', fileURLToPath(import.meta.url), String(rows), folder])
const store = await openSqlite(join(folder, 'store.sqlite'))
const beforeMb = process.memoryUsage().rss / 1024 ** 2
let bytes = 0
let peakMb = 0
const nowhere = new Writable({
  write(piece: Buffer, _encoding, done) {
    bytes += piece.length
    peakMb = Math.max(peakMb, process.memoryUsage().rss / 1024 ** 2)
    done()
  },
})
const started = performance.now()
await pipeline(Readable.from(authorizationLines(store.read)), createGzip({ level: constants.Z_BEST_SPEED }), nowhere)
const seconds = (performance.now() - started) / 1000
await store.close()
rmSync(folder, { recursive: true, force: true })
console.log(JSON.stringify({ rows, seconds, megabytes: bytes / 1e6, grownMb: peakMb - beforeMb }))
