import pino from 'pino'
import { serveStdio } from '../../../src/doors/mcp/stdio.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'
import { dispatchByName } from './door.ts'
import { issueTasks } from './tasks.ts'

/** A process that serves the door's test tasks over stdio; its log goes to stderr. */
const connection = serveStdio({
  dispatch: async (call) =>
    call.tool === 'get_products'
      ? {
          ok: true,
          payload: { authorization: call.credentials.authorization, transport: call.transport, meta: call.meta ?? null },
          replayed: false,
        }
      : dispatchByName(call),
  listTasks: async () => issueTasks,
  schemas: new Schemas(),
  serverInfo: { name: 'test-agent', version: '0.0.1' },
  key: process.argv[2],
  log: pino(pino.destination(2)),
  newRequestId: () => 'r-1',
})
await connection.closed
