import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

// The floor: plain node:http that answers a fixed reply. Arguments: file of the body, file with its status and headers as JSON.
const [bodyFile = '', headFile = ''] = process.argv.slice(2)
const body = readFileSync(bodyFile)
const { status, headers }: { status: number; headers: string[] } = JSON.parse(readFileSync(headFile, 'utf8'))
const server = createServer((_request, response) => {
  response.writeHead(status, headers)
  response.end(status === 304 ? undefined : body)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(`port ${typeof address === 'object' ? address?.port : ''}`)
})
