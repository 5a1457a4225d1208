import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio'
import type { Logger } from 'pino'
import type { TransportCredentials } from '../../security/auth/transport-credentials.ts'
import type { MessageDispatchOptions } from './dispatch-message.ts'
import { createMcpServer, type ToolCallParams } from './server.ts'
import { createToolList } from './tools.ts'

export interface McpStdioOptions extends Omit<MessageDispatchOptions, 'checkCredentials'> {
  /** The one principal of this process, by key; undefined for a caller without credentials. */
  readonly key: string | undefined
  /** Must not write to stdout, which belongs to the protocol. */
  readonly log: Logger
  readonly newRequestId: () => string
  readonly input?: Readable
  readonly output?: Writable
}

export interface StdioConnection {
  close(): Promise<void>
  /** Resolves when the client has gone or `close` has finished. */
  readonly closed: Promise<void>
}

/**
 * Serves MCP over stdio, both eras, as one principal. There is no HTTP here, so refusals of the transport come as tool
 * results like every other error.
 */
export function serveStdio(options: McpStdioOptions): StdioConnection {
  const { dispatch, key, log, newRequestId } = options
  const credentials = stdioCredentials(key)
  const toolList = createToolList(options.contracts)
  const wire = new StdioServerTransport(options.input, options.output)
  const callTool = ({ name, arguments: args, _meta }: ToolCallParams) =>
    dispatch({
      requestId: newRequestId(),
      transport: 'stdio',
      tool: name,
      arguments: args ?? {},
      ...(_meta !== undefined && { meta: _meta }),
      credentials,
    })
  const server = () =>
    createMcpServer(
      {
        ...options,
        toolList,
        tasksOf: () => options.listTasks(credentials),
        readOf: () => async (tool) =>
          (await options.readNames({ requestId: newRequestId(), transport: 'stdio', tool, credentials })).named,
        callTool,
      },
      'unbound',
    )
  const connection = serveConnection(server, { transport: wire, onerror: (error) => log.warn({ err: error }, 'mcp stdio') })
  const closed = new Promise<void>((resolve) => {
    const onWireClose = wire.onclose
    wire.onclose = () => {
      onWireClose?.()
      resolve()
    }
  })
  return { close: () => connection.close(), closed }
}

/** The key in the form in which HTTP would have brought it. */
/** What a caller on stdio brings: the key of the process, if it has one. */
export function stdioCredentials(key: string | undefined): TransportCredentials {
  const authorization = key === undefined ? undefined : `Bearer ${key}`
  return {
    authorization,
    rawHeaders: authorization === undefined ? [] : ['Authorization', authorization],
    method: 'POST',
    target: '/mcp',
    body: undefined,
    remoteAddress: undefined,
  }
}
