import { loadConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { Schemas } from '../../src/protocol/schemas.ts'
import { startServer } from '../../src/start-server.ts'

// The real server over the seeded data folder named on the command line, without its rate limit.
const schemas = new Schemas()
const unlimited = { requests: 1_000_000_000, requestsPerAddress: 1_000_000_000 }
const config = loadConfig(schemas, { environment: {}, flags: { data: process.argv[2], port: 0, directory: unlimited } })
const server = await startServer(config, { schemas, log: createLog('silent') })
console.log(`port ${server.port}`)
