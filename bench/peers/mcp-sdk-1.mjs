// A no-op tool behind the MCP SDK 1.x, served statelessly as its own example does (simpleStatelessStreamableHttp): its Express
// app, and a server and a transport for each request. JSON replies, which are faster than its default event streams.
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

function newServer() {
  const server = new McpServer({ name: 'no-op', version: '1.0.0' })
  server.registerTool('noop', { description: 'Does nothing' }, () => ({ content: [{ type: 'text', text: 'done' }] }))
  return server
}

const app = createMcpExpressApp()
app.post('/mcp', async (request, response) => {
  const server = newServer()
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  await server.connect(transport)
  response.on('close', () => {
    transport.close()
    server.close()
  })
  await transport.handleRequest(request, response, request.body)
})
app.listen(Number(process.argv[2]), '127.0.0.1')
