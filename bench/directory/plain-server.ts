import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

// The floor: plain node:http answering the bytes of the file named on the command line, or a 304 to /304.
const body = readFileSync(process.argv[2] ?? '')
const server = createServer((request, response) => {
  if (request.url === '/304') response.writeHead(304, { ETag: '"x"', 'Cache-Control': 'public, max-age=60' }).end()
  else response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(`port ${typeof address === 'object' ? address?.port : ''}`)
})
