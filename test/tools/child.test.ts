import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { freePort, startChild } from '../../tools/agent/child.ts'

const SERVER = `
  const server = require('node:http').createServer((request, response) => response.end('up'))
  server.listen(Number(process.argv[1]), '127.0.0.1', () => console.log('listening', process.pid))
  process.on('SIGTERM', () => { console.log('good bye'); process.exit(3) })
`
const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('sales-agent-child-'))

test('a child is up when it answers, tells what it wrote after its end too, and leaves nothing behind', async () => {
  const port = await freePort()
  const before = new Set(folders())
  const child = await startChild({
    command: [process.execPath, '-e', SERVER, String(port)],
    readyUrl: `http://127.0.0.1:${port}/`,
  })
  const own = folders().filter((name) => !before.has(name))
  expect(child.output()).toBe(`listening ${child.pid}\n`)
  expect(child.rssBytes()).toBeGreaterThan(1_000_000)
  expect(await child.end()).toEqual({ code: 3, signal: null })
  expect(child.output()).toBe(`listening ${child.pid}\ngood bye\n`)
  expect(own.length).toBeGreaterThan(0)
  // Tests beside this one start children as well: at least one of those that came is gone.
  expect(folders().filter((name) => own.includes(name)).length).toBeLessThan(own.length)
})

test('one that ends before it answers is an error that holds what it wrote', async () => {
  const command = [process.execPath, '-e', 'console.error("no such thing"); process.exit(1)']
  await expect(startChild({ command, readyUrl: `http://127.0.0.1:${await freePort()}/` })).rejects.toThrow(/no such thing/)
})
