import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { storeContract } from './contract.ts'
import { markedMemoryContract } from './marked-memory-contract.ts'

storeContract('SQLite', () => openSqlite(join(mkdtempSync(join(tmpdir(), 'sales-agent-store-')), 'store.sqlite')))

const shared = join(mkdtempSync(join(tmpdir(), 'sales-agent-store-')), 'store.sqlite')
markedMemoryContract('SQLite', () => openSqlite(shared))
