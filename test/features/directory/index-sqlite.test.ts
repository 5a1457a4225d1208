import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'
import { directoryContract } from './index-contract.ts'
import { nodeContract } from './node-contract.ts'

const open = () => openSqlite(join(mkdtempSync(join(tmpdir(), 'directory-contract-')), 'store.sqlite'))
directoryContract('SQLite', open)
nodeContract('SQLite', open)
