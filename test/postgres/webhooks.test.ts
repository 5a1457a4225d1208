import { afterAll, beforeAll } from 'vitest'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { webhookContract } from '../store/webhook-contract.ts'

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

webhookContract('PostgreSQL', async () => openPostgres(await postgres.createDatabase('webhooks')))
