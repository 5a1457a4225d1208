// A no-op tool behind the MCP SDK 1.x, served statelessly as its documentation shows: a server and a transport a request.
import { createServer } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

function newServer() {
  const server = new McpServer({ name: 'no-op', version: '1.0.0' })
  server.registerTool('noop', { description: 'Does nothing' }, () => ({ content: [{ type: 'text', text: 'done' }] }))
  return server
}

createServer(async (request, response) => {
  const server = newServer()
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  response.on('close', () => {
    transport.close()
    server.close()
  })
  await server.connect(transport)
  await transport.handleRequest(request, response)
}).listen(Number(process.argv[2]), '127.0.0.1')
