// A no-op tool behind the MCP SDK 2.x: createMcpHandler makes a server a request. It speaks the web's Request and Response,
// so the shortest bridge from node:http stands around it.
import { createServer } from 'node:http'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'

const port = Number(process.argv[2])
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'no-op', version: '1.0.0' })
  server.registerTool('noop', { description: 'Does nothing' }, () => ({ content: [{ type: 'text', text: 'done' }] }))
  return server
})

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const { method, headers, url } = request
  const body = method === 'POST' ? Buffer.concat(chunks) : undefined
  const answer = await handler.fetch(new Request(`http://127.0.0.1:${port}${url}`, { method, headers, body }))
  const bytes = Buffer.from(await answer.arrayBuffer())
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), 'content-length': bytes.length }).end(bytes)
}).listen(port, '127.0.0.1')
