import { afterAll, beforeAll } from 'vitest'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { storeContract } from '../store/contract.ts'
import { markedMemoryContract } from '../store/marked-memory-contract.ts'

let postgres: TestPostgres
let shared: string

beforeAll(async () => {
  postgres = await startPostgres()
  shared = await postgres.createDatabase('marks')
})
afterAll(() => postgres.stop())

storeContract('PostgreSQL', async () => openPostgres(await postgres.createDatabase('contract')))
markedMemoryContract('PostgreSQL', () => openPostgres(shared))
