import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'

const LOCKS = '/proc/locks'

// Without its lock, the first program that opens and closes the file beside the server (the shell of SQLite) takes it for unused and unlinks its journals.
it.skipIf(!existsSync(LOCKS))(
  'a store that is open keeps its lock on the file while more connections to it are opened',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'foreign-connection-'))
    const path = join(folder, 'store.sqlite')
    const store = await openSqlite(path)
    try {
      const mine = new RegExp(` ${process.pid} [0-9a-f]+:[0-9a-f]+:${statSync(path).ino} `)
      expect(readFileSync(LOCKS, 'utf8')).toMatch(mine)
    } finally {
      await store.close()
      rmSync(folder, { recursive: true })
    }
  },
)
