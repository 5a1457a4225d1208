import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { CommandLine, type Served } from '../../tools/agent/command-line.ts'

const line = new CommandLine()
let server: Served
beforeAll(async () => {
  await line.run(['init', '--data', line.data, '--demo'])
  server = await line.serve([], { NODE_OPTIONS: `--require=${join(import.meta.dirname, 'report-scripts.cjs')}` })
})
afterAll(() => line.close())

/** Libraries that the server has loaded by now, and `validators` for what the build made of official schemas. */
async function loaded(): Promise<ReadonlySet<string>> {
  const before = reports().length
  process.kill(server.pid, 'SIGUSR2')
  const urls = await vi.waitUntil(() => reports()[before], 60_000)
  return new Set(
    urls
      .map((url) =>
        /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)|\/(validators)\/(?!own\/)[^/]+\/[^/]+\.cjs$|\/platform\/libraries\/(pdf-kit|read-excel-file|write-excel-file)\.js$/.exec(
          url,
        ),
      )
      .flatMap((found) => found?.[1] ?? found?.[2] ?? found?.[3] ?? []),
  )
}

function reports(): readonly (readonly string[])[] {
  const lines = server.output().split('\n').slice(0, -1)
  return lines.flatMap((each) => (each.startsWith('loaded ') ? [JSON.parse(each.slice('loaded '.length))] : []))
}

test.each([
  'undici',
  'a2a',
  'fast-xml-parser',
  'csv-parse',
  'yaml',
  'oidc-provider',
  'prom-client',
  'pg',
  'validators',
  'pdf-kit',
  'write-excel-file',
])('a server that nobody has asked anything has not loaded %s', async (library) => {
  const libraries = await loaded()
  expect(libraries).toContain('pino')
  expect(libraries).not.toContain(library)
})

test('the first message of an A2A client loads the A2A SDK', async () => {
  const card = await fetch(`${server.origin}/.well-known/agent-card.json`)
  expect(card.status).toBe(200)
  expect(await loaded()).toContain('a2a')
})
