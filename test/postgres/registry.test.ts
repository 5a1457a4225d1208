import { afterAll, beforeAll } from 'vitest'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { registryContract } from '../features/registry/registry-contract.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

registryContract('PostgreSQL', async () => openPostgres(await postgres.createDatabase('registry')))
