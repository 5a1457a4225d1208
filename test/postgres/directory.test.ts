import { afterAll, beforeAll } from 'vitest'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { directoryContract } from '../features/directory/index-contract.ts'
import { nodeContract } from '../features/directory/node-contract.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

directoryContract('PostgreSQL', async () => openPostgres(await postgres.createDatabase('directory')))
nodeContract('PostgreSQL', async () => openPostgres(await postgres.createDatabase('node')))
