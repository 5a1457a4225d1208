import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { openDirectory, putWithoutFile } from '../support/directory.ts'

const AGENT = 'https://agent.example/mcp'

it('a reader that has seen enough ends a long list quietly', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'closed-pipe-'))
  try {
    const store = await openSqlite(join(folder, 'sales-agent.sqlite'))
    const domains = Array.from({ length: 5_000 }, (_, index) => `p${index}.example`)
    const file = {
      properties: domains.map((publisher_domain) => ({
        property_type: 'website',
        name: 'Site',
        property_id: 'home',
        identifiers: [{ type: 'domain', value: publisher_domain }],
        publisher_domain,
      })),
      authorized_agents: [{ url: AGENT, authorized_for: 'all', authorization_type: 'property_ids', property_ids: ['home'] }],
    }
    const directory = await openDirectory(
      async (url) => ({
        url,
        status: 200,
        body: Buffer.from(JSON.stringify(file)),
        contentType: 'application/json',
        etag: undefined,
        lastModified: undefined,
        retryAfter: undefined,
      }),
      { store },
    )
    await putWithoutFile(store, domains, directory.now())
    await directory.add('m.example')
    await directory.refresh(['m.example'])
    await store.close()
    const program = new URL('../../src/cli/sales-agent.ts', import.meta.url).pathname
    const command = `"${process.execPath}" --import tsx "${program}" directory lookup ${AGENT} --json --data "${folder}" | head -c 500`
    const { stdout, stderr } = await promisify(execFile)('bash', ['-o', 'pipefail', '-c', command])
    expect(stdout).toHaveLength(500)
    expect(stderr).not.toMatch(/EPIPE|error/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}, 120_000)
