import pino from 'pino'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { serveStdio } from '../../../src/transports/mcp/stdio.ts'
import { dispatchForStdio, namesForStdio } from './mcp-test-server.ts'
import { issueTasks } from './tasks.ts'

/** A process that serves the test tasks over stdio; its log goes to stderr. */
const connection = serveStdio({
  dispatch: dispatchForStdio,
  listTasks: async () => ({ tasks: issueTasks, authenticated: true }),
  readNames: namesForStdio,
  contracts: loadContracts(),
  serverInfo: { name: 'test-agent', version: '0.0.1' },
  key: process.argv[2],
  log: pino(pino.destination(2)),
  newRequestId: () => 'r-1',
})
await connection.closed
