// The ceiling: node:http that reads a request and answers fixed bytes. Arguments: port, file with the reply, processes (default 1).
import cluster from 'node:cluster'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [port, file, processes = '1'] = process.argv.slice(2)

if (cluster.isPrimary && Number(processes) > 1) {
  for (let n = 0; n < Number(processes); n++) cluster.fork()
} else {
  const reply = readFileSync(file)
  const headers = { 'content-type': 'application/json', 'content-length': reply.length }
  createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, headers).end(reply))
  }).listen(Number(port), '127.0.0.1')
}
