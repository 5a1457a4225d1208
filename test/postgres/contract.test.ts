import { afterAll, beforeAll } from 'vitest'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { storeContract } from '../store/contract.ts'
import { versionedCacheContract } from '../store/versioned-cache-contract.ts'

let postgres: TestPostgres
let shared: string

beforeAll(async () => {
  postgres = await startPostgres()
  shared = await postgres.createDatabase('marks')
})
afterAll(() => postgres.stop())

storeContract('PostgreSQL', async () => openPostgres(await postgres.createDatabase('contract')))
versionedCacheContract('PostgreSQL', () => openPostgres(shared))
