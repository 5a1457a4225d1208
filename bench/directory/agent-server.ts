import { startServer } from '../../src/compose/server.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { createLog } from '../../src/platform/log.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'

// The real server over the seeded data folder named on the command line, without its rate limit.
const contracts = loadContracts()
const unlimited = { requests: 1_000_000_000, requestsPerAddress: 1_000_000_000 }
const config = loadConfig(contracts.base.schemas, {
  environment: {},
  flags: { data: process.argv[2], port: 0, directory: unlimited },
})
const server = await startServer(config, { contracts, log: createLog('silent') })
console.log(`port ${server.port}`)
