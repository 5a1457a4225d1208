import { afterAll, beforeAll } from 'vitest'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { callerFaultsContract } from '../e2e/caller-faults-contract.ts'

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

callerFaultsContract('PostgreSQL', async () => ({ database: await postgres.createDatabase('faults') }), 2)
