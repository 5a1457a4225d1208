import { afterAll, beforeAll, describe } from 'vitest'
import { CommandLine } from '../../tools/agent/command-line.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { secretLinksContract } from '../e2e/secret-links-contract.ts'
import { type MakeDeployment, secretRotationContract } from '../e2e/secret-rotation-contract.ts'

let postgres: TestPostgres
let count = 0
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

describe("the deployment's secret, on PostgreSQL", () => {
  const make: MakeDeployment = async (environment) => {
    count += 1
    const database = await postgres.createDatabase(`secrets_${count}`)
    const line = new CommandLine({ SALES_AGENT_DATABASE: database, SALES_AGENT_LOG_LEVEL: 'error', ...environment })
    return Object.assign(line, { database })
  }
  secretRotationContract(make)
  secretLinksContract(make)
})
