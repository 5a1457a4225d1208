import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'
import { registryContract } from './registry-contract.ts'

const folder = mkdtempSync(join(tmpdir(), 'registry-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

registryContract('SQLite', () => openSqlite(join(folder, 'store.sqlite')))
