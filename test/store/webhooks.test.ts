import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { webhookContract } from './webhook-contract.ts'

webhookContract('SQLite', () => openSqlite(join(mkdtempSync(join(tmpdir(), 'sales-agent-webhooks-')), 'store.sqlite')))
