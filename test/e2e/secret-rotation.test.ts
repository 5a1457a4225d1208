import { describe } from 'vitest'
import { CommandLine } from './command-line.ts'
import { secretRotationContract } from './secret-rotation-contract.ts'

describe("the deployment's secret, on SQLite", () => {
  secretRotationContract(async (environment) => new CommandLine({ SALES_AGENT_LOG_LEVEL: 'error', ...environment }))
})
