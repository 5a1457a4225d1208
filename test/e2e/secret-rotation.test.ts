import { describe } from 'vitest'
import { CommandLine } from '../../tools/agent/command-line.ts'
import { secretLinksContract } from './secret-links-contract.ts'
import { type MakeDeployment, secretRotationContract } from './secret-rotation-contract.ts'

describe("the deployment's secret, on SQLite", () => {
  const make: MakeDeployment = async (environment) => new CommandLine({ SALES_AGENT_LOG_LEVEL: 'error', ...environment })
  secretRotationContract(make)
  secretLinksContract(make)
})
