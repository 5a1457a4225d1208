import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import { FRESHNESS } from '../../../src/domain/directory/freshness.ts'
import { addDomains } from '../../../src/features/directory/crawl-list.ts'
import { crawl } from '../../../src/features/directory/crawler.ts'
import { importMirror, listDirectoryMirrors, removeMirror } from '../../../src/operator/directory/mirrors.ts'
import type { OperatorContext } from '../../../src/operator/operator-context.ts'
import type { FakeWeb } from '../../support/fake-web/fake-web.ts'
import { performAs } from '../../support/operator.ts'
import { AGENT, PUBLISHER, startRegistryWorld } from '../../support/registry-world.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const SOURCE = 'https://directory.example'
let web: FakeWeb
let agent: TestAgent
let other: TestAgent
let operator: OperatorContext
const folder = mkdtempSync(join(tmpdir(), 'mirrors-'))

beforeAll(async () => {
  web = await startRegistryWorld()
  other = await startAgent({ safeFetch: web.fetch(), flags: { directory: { feed: true, export: true } } })
  agent = await startAgent({ safeFetch: web.fetch() })
  operator = operatorOn(agent.server.store, agent.config)
  const deps = {
    store: other.server.store,
    fetch: web.fetch(),
    clock: () => new Date(),
    random: () => 0.5,
    limits: FRESHNESS,
    worker: 'test',
    warn: () => undefined,
  }
  await addDomains(deps, [PUBLISHER])
  await crawl(deps, { concurrency: 1 })
})
afterAll(async () => {
  await agent?.stop()
  await other?.stop()
  await web?.close()
  rmSync(folder, { recursive: true, force: true })
})

const origin = (of: TestAgent) => of.url.replace('/mcp', '')
// biome-ignore lint/suspicious/noExplicitAny: bodies are judged by assertions
const mirrored = async (query = ''): Promise<any> =>
  (await fetch(`${origin(agent)}/api/registry/mirrors?agent_url=${encodeURIComponent(AGENT)}${query}`)).json()
const rowOf = (publisher_domain: string, fields: object = {}) =>
  JSON.stringify({ agent_url: AGENT, publisher_domain, updated_at: '2026-01-01T00:00:00Z', ...fields })
function snapshot(name: string, lines: readonly string[]): string {
  const file = join(folder, name)
  const text = `${lines.join('\n')}\n`
  writeFileSync(file, name.endsWith('.gz') ? gzipSync(text) : text)
  return file
}

it('takes over the snapshot of another node, with where it is from, and shows it in no lookup of its own', async () => {
  const response = await fetch(`${origin(other)}/api/registry/authorizations/snapshot`)
  const file = join(folder, 'node.ndjson.gz')
  writeFileSync(file, gzipSync(await response.text()))
  const syncCursor = response.headers.get('x-sync-cursor') ?? ''
  expect(await importMirror(operator, { file, source: `${SOURCE}/`, syncCursor })).toEqual({
    source: SOURCE,
    rows: 1,
    skipped: 0,
  })
  expect((await mirrored()).claims).toEqual([
    {
      publisher_domain: PUBLISHER,
      discovery_method: 'direct',
      manager_domain: null,
      properties_authorized: 1,
      properties_total: 1,
      verified_at: expect.any(String),
      file_form: 'official',
      source: SOURCE,
      imported_at: expect.any(String),
    },
  ])
  expect((await performAs(operator, '', listDirectoryMirrors, {})).items).toMatchObject([
    { source: SOURCE, row_count: 1, sync_cursor: syncCursor },
  ])
  expect((await fetch(`${origin(agent)}/v1/agents/${encodeURIComponent(AGENT)}/publishers`)).status).toBe(404)
  expect((await fetch(`${origin(agent)}/api/registry/agent?agent_url=${encodeURIComponent(AGENT)}`)).status).toBe(404)
})

it('a later snapshot replaces the earlier one; those of two directories stand side by side, a page at a time', async () => {
  const domains = Array.from({ length: 5_000 }, (_, n) => `p${String(n).padStart(4, '0')}.example`)
  await importMirror(operator, {
    file: snapshot(
      'later.ndjson',
      domains.map((domain) => rowOf(domain)),
    ),
    source: SOURCE,
  })
  await importMirror(operator, {
    file: snapshot('second.ndjson.gz', [rowOf('p0000.example'), 'no JSON']),
    source: 'https://second.example',
  })
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { claims: { publisher_domain: string; source: string }[]; next_cursor: string | null } = await mirrored(
      `&limit=999${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    seen.push(...page.claims.map(({ publisher_domain, source }) => `${publisher_domain} ${source}`))
    cursor = page.next_cursor
  }
  expect(seen).toEqual([
    `p0000.example ${SOURCE}`,
    'p0000.example https://second.example',
    ...domains.slice(1).map((each) => `${each} ${SOURCE}`),
  ])
  const stored = await agent.server.store.read.selectFrom('directory_mirror_rows').select('generation').execute()
  expect(stored).toHaveLength(5_001)
})

it('what is no snapshot leaves the earlier one, and a removed one leaves nothing', async () => {
  const before = (await mirrored()).claims
  const production = { ...operator, config: { ...operator.config, mode: 'production' as const } }
  for (const [file, source, field] of [
    [snapshot('bad.ndjson', ['{}', '[]']), SOURCE, 'file'],
    [join(folder, 'missing.ndjson'), SOURCE, 'file'],
    [snapshot('long.ndjson', [`{"a":"${'x'.repeat(1_100_000)}"}`]), SOURCE, 'file'],
    [snapshot('good.ndjson', [rowOf('a.example')]), 'http://directory.example', 'source'],
  ] as const) {
    await expect(importMirror(production, { file, source })).rejects.toMatchObject({ code: 'INVALID_REQUEST', field })
  }
  const cut = snapshot('cut.ndjson.gz', [rowOf('a.example')])
  writeFileSync(cut, readFileSync(cut).subarray(0, -12))
  const plain = join(folder, 'plain.ndjson.gz')
  writeFileSync(plain, rowOf('a.example'))
  for (const [file, message] of [
    [cut, 'ends before its gzip data do'],
    [plain, 'is no gzip data'],
    [join(folder, 'missing.ndjson'), 'is not there'],
  ] as const)
    await expect(importMirror(operator, { file, source: SOURCE })).rejects.toThrow(`${file} ${message}`)
  expect((await mirrored()).claims).toEqual(before)
  const near = { file: snapshot('near.ndjson', [rowOf('near.example')]), source: 'http://127.0.0.1:3100' }
  expect(await importMirror(operator, near)).toMatchObject({ source: near.source, rows: 1 })
  await performAs(operator, '', removeMirror, { source: near.source })
  await performAs(operator, '', removeMirror, { source: SOURCE })
  expect((await mirrored()).claims).toMatchObject([{ source: 'https://second.example' }])
  await expect(performAs(operator, '', removeMirror, { source: SOURCE })).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
})
