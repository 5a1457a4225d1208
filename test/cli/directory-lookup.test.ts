import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { directoryCommand } from '../../src/cli/directory.ts'
import { table } from '../../src/cli/output.ts'
import { parseAdagents } from '../../src/domain/directory/adagents-file.ts'
import { FRESHNESS } from '../../src/domain/directory/freshness.ts'
import { indexFile } from '../../src/domain/directory/resolve.ts'
import { indexDocument } from '../../src/features/directory/index-document.ts'
import { findDocument, saveDocument } from '../../src/store/directory/directory-documents.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { putWithoutFile } from '../support/directory.ts'

const AGENT = 'https://agent.example/mcp'
const ROWS = 2_500

let data: string
let written: string[]
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'directory-lookup-'))
  written = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text))
    return true
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(data, { recursive: true, force: true })
})

/** Indexes a network of so many publishers as its refresh does. */
async function fill(rows: number): Promise<void> {
  const store = await openSqlite(join(data, 'sales-agent.sqlite'))
  const properties = Array.from({ length: rows }, (_, index) => ({
    property_type: 'website',
    name: 'S',
    property_id: 'home',
    identifiers: [{ type: 'domain', value: 'x.example' }],
    publisher_domain: `p${String(index).padStart(6, '0')}.example`,
  }))
  const agents = [{ url: AGENT, authorized_for: 'all', authorization_type: 'property_ids', property_ids: ['home'] }]
  const parsed = parseAdagents({ properties, authorized_agents: agents })
  if (!('file' in parsed) || parsed.file.kind !== 'inline') throw new Error('the file is not usable')
  const index = indexFile(parsed.file)
  const now = new Date()
  await putWithoutFile(
    store,
    properties.map(({ publisher_domain }) => publisher_domain),
    now,
  )
  await store.transaction(async (tx) => {
    const row = { ...(await findDocument(tx, 'https://m.example/a.json')), verified_at: now.toISOString(), fans_out: 1 }
    await saveDocument(tx, row)
    await indexDocument(tx, { row, index, holds: [], refreshMs: FRESHNESS.refreshMs }, undefined, now)
  })
  await store.close()
}

it('writes rows as a table and as JSON, page by page', async () => {
  await fill(ROWS)
  const program = (...args: string[]) => directoryCommand().parseAsync([...args, '--data', data], { from: 'user' })
  await program('lookup', AGENT)
  const lines = written.join('').trimEnd().split('\n')
  expect(lines).toHaveLength(ROWS + 2)
  expect(lines[0]).toMatch(/^publisher +method +manager +properties +status +verified$/)
  expect(lines.at(-1)).toMatch(/^p002499\.example +adagents_authoritative +m\.example +1\/1 +authorized +2/)
  written.length = 0
  await program('lookup', AGENT, '--json')
  const { items, next_cursor } = JSON.parse(written.join(''))
  expect([items.length, items[0].publisher_domain, next_cursor]).toEqual([ROWS, 'p000000.example', null])
  expect(written.length).toBeGreaterThan(ROWS / 1000)
})

it('says of an agent that nothing names where to look further', async () => {
  await fill(1)
  const lookup = (agent: string) => directoryCommand().parseAsync(['lookup', agent, '--data', data], { from: 'user' })
  await expect(lookup('https://other.example/mcp')).rejects.toMatchObject({
    code: 'REFERENCE_NOT_FOUND',
    message: expect.stringContaining('"sales-agent directory why AGENT_URL DOMAIN" says what was read of a publisher'),
  })
})

it('a table has as many rows as there are, beyond what a call takes as arguments', () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => [String(index)])
  expect(table(['row'], rows)).toHaveLength(200_002)
})

it('lists, removes, blocks and exports, and says why', async () => {
  await fill(3)
  const program = async (...args: string[]) => {
    written.length = 0
    const printed: string[] = []
    const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
    await directoryCommand().parseAsync([...args, '--data', data], { from: 'user' })
    log.mockRestore()
    return [...printed, ...written].join('\n')
  }
  expect(JSON.parse(await program('stats', '--json'))).toMatchObject({ authorized: 3, agents: 1, publishers: { absent: 3 } })
  expect(await program('list')).toMatch(/^domain +serves[^\n]*\n[^\n]*\np000000\.example +absent +none/)
  expect(await program('why', AGENT, 'p000000.example', '--offline')).toMatch(
    /^p000000\.example is listed for https:\/\/agent\.example\/mcp\nshown: https:\/\/m\.example\/a\.json/,
  )
  await program('block', 'p000000.example', '--reason', 'spam')
  await program('remove', 'p000001.example')
  expect(await program('why', AGENT, 'p000000.example', '--offline')).toMatch(/is not listed[^\n]*\n- blocked on [^\n]*: spam/)
  expect(process.exitCode).toBe(1)
  process.exitCode = undefined
  expect(JSON.parse(await program('list', '--excluded', '--json')).items).toMatchObject([
    { publisher_domain: 'p000000.example', kind: 'blocked', reason: 'spam' },
    { publisher_domain: 'p000001.example', kind: 'removed' },
  ])
  await program('export', '--out', join(data, 'all.ndjson'))
  expect(
    readFileSync(join(data, 'all.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).publisher_domain),
  ).toEqual(['p000002.example'])
  await program('unblock', 'p000000.example')
  expect(JSON.parse(await program('stats', '--json'))).toMatchObject({ authorized: 1, excluded: { removed: 1 } })
  // The manager's file speaks for it again once its own address has answered that it has none.
  expect(await program('why', AGENT, 'p000000.example', '--offline')).toContain('has not answered yet whether it has a file')
  process.exitCode = undefined
  expect(await program('list')).toMatch(/\np000000\.example +unknown/)
})
