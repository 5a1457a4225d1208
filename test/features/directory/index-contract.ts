import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseLookup } from '../../../src/domain/directory/lookup-query.ts'
import { readEnvelope } from '../../../src/features/directory/lookup.ts'
import type { SafeFetch } from '../../../src/platform/net/safe-fetch.ts'
import type { Store } from '../../../src/store/database.ts'
import { directoryId, registerAgents } from '../../../src/store/directory/directory-agents.ts'
import { findBody, replaceBody, saveBody } from '../../../src/store/directory/directory-documents.ts'
import { leaseDue } from '../../../src/store/directory/directory-leases.ts'
import { createDirectoryReader } from '../../../src/store/directory/directory-lookup.ts'
import { listDocumentClaims } from '../../../src/store/directory/document-claims.ts'
import { DAY, openDirectory, putWithoutFile, type TestDirectory } from '../../support/directory.ts'

const AGENT = 'https://agent.example'
const property = (fields: object) => ({
  property_type: 'website',
  name: 'S',
  identifiers: [{ type: 'domain', value: 'x.example' }],
  property_id: 'home',
  ...fields,
})
const entry = { url: AGENT, authorized_for: 'all', authorization_type: 'property_ids', property_ids: ['home'] }

/** What every engine must do alike: index, page in byte order, replace atomically, lease. */
export function directoryContract(engine: string, open: () => Promise<Store>): void {
  describe(`directory index on ${engine}`, () => {
    const files = new Map<string, object>()
    const fetch: SafeFetch = async (url) => {
      const file = files.get(url)
      const base = { url, contentType: 'application/json', etag: undefined, lastModified: undefined, retryAfter: undefined }
      return file
        ? { ...base, status: 200, body: Buffer.from(JSON.stringify(file)) }
        : { ...base, status: 404, body: Buffer.from('') }
    }
    const put = (domain: string, file: object) => files.set(`https://${domain}/.well-known/adagents.json`, file)
    let store: Store
    let directory: TestDirectory
    beforeAll(async () => {
      store = await open()
      directory = await openDirectory(fetch, { store })
    })
    afterAll(() => store.close())

    async function domains(query: object = {}): Promise<string[]> {
      const found: string[] = []
      let cursor: string | undefined
      do {
        const lookup = parseLookup({ agentUrl: AGENT, limit: 3, ...query, cursor }, directory.now())
        const envelope = await readEnvelope(createDirectoryReader(store.read), lookup, directory.now())
        found.push(...envelope.publishers.map((row) => row.publisher_domain))
        cursor = envelope.next_cursor ?? undefined
      } while (cursor !== undefined)
      return found
    }

    // Locales order dots, hyphens and digits otherwise.
    const tricky = ['a-b.example', 'a.b.example', 'a.example', 'a0.example', 'ab.example', 'a-c.b0.example']

    it('pages in byte order', async () => {
      put('manager.example', {
        properties: tricky.map((publisher_domain) => property({ publisher_domain })),
        authorized_agents: [entry],
      })
      await directory.add('manager.example')
      await putWithoutFile(store, tricky, directory.now())
      await directory.refresh(['manager.example'])
      expect(await domains()).toEqual([...tricky].sort((a, b) => (a < b ? -1 : 1)))
    })

    it('reads and dates the claims of a large file part by part, each once, with turns for others', async () => {
      const many = 1_300
      put('large.example', {
        properties: Array.from({ length: many }, (_, index) => property({ publisher_domain: `d${index}.large.example` })),
        authorized_agents: [
          { ...entry, url: 'https://large.example' },
          { ...entry, url: 'https://large.example/other' },
        ],
      })
      await directory.add('large.example')
      for (const _time of ['first', 'again']) {
        await directory.refresh(['large.example'])
        const document = directoryId('https://large.example/.well-known/adagents.json')
        const rows = await listDocumentClaims(store.read, document)
        expect(new Set(rows.map((row) => `${row.publisher_domain} ${row.agent_id}`)).size).toBe(2 * many)
        expect(rows).toHaveLength(2 * many)
        const dates = new Set(rows.map((row) => row.verified_at))
        expect([...dates]).toEqual([directory.now().toISOString()])
        await directory.pass(24 * 3_600_000)
      }
    })

    it('registers many agents with turns for others', async () => {
      const urls = Array.from({ length: 8_000 }, (_, index) => `https://many${index}.example/mcp`)
      let turns = 0
      await store.transaction(async (tx) => {
        const count = () => {
          turns++
          counting = setImmediate(count)
        }
        let counting = setImmediate(count)
        await registerAgents(tx, urls, directory.now())
        clearImmediate(counting)
      })
      expect(turns).toBeGreaterThanOrEqual(15)
    })

    it('revokes, tombstones, drops, and grows the agent’s version each time', async () => {
      const version = async () =>
        (
          await store.read
            .selectFrom('directory_agents')
            .select('version')
            .where('agent_url', '=', AGENT)
            .executeTakeFirstOrThrow()
        ).version
      const before = await version()
      const properties = tricky.map((publisher_domain) => property({ publisher_domain }))
      put('manager.example', {
        properties,
        authorized_agents: [entry],
        revoked_publisher_domains: [{ publisher_domain: 'a.example', revoked_at: '2026-01-01T00:00:00Z' }],
      })
      await directory.refresh(['manager.example'])
      expect(await domains({ status: ['revoked'] })).toEqual(['a.example'])
      expect(await domains()).toHaveLength(tricky.length - 1)
      expect(await domains({ status: ['authorized', 'revoked'] })).toHaveLength(tricky.length)
      const after = await version()
      expect(after).toBeGreaterThan(before)
      await directory.pass(24 * 3_600_000)
      await directory.refresh(['manager.example'])
      expect(await domains({ status: ['revoked'] })).toEqual([])
      expect(await version()).toBeGreaterThan(after)
    })

    it('own files win, and rows run out after seven days', async () => {
      put('ab.example', { properties: [property({})], authorized_agents: [entry] })
      await directory.add('ab.example')
      await directory.refresh(['ab.example'])
      expect((await directory.rows(AGENT))['ab.example']).toBe('direct - 1/1 authorized')
      expect(await domains({ since: directory.now().toISOString() })).toContain('ab.example')
      await directory.pass(7 * DAY)
      expect(await directory.rows(AGENT)).toEqual({})
    })

    it('keeps the text of a file of any length as it is', async () => {
      const of = (text: string | undefined) => store.transaction((tx) => saveBody(tx, 'long', text))
      const kept = () => findBody(store.read, 'long')
      // Half of a surrogate pair at the end of a part would be lost.
      for (const text of ['', 'a', `${'a'.repeat(499_999)}${'\u{1f600}'.repeat(400_000)}é`, 'b'.repeat(1_000_000)]) {
        await of(text)
        expect((await kept()) === text).toBe(true)
      }
      await store.transaction((tx) => replaceBody(tx, 'long', 'c'))
      expect(await kept()).toBe('c')
      await of(undefined)
      await store.transaction((tx) => replaceBody(tx, 'long', 'd'))
      expect(await kept()).toBeUndefined()
    })

    it('hands each due publisher to one worker', async () => {
      await directory.add(...Array.from({ length: 40 }, (_, index) => `due${index}.example`))
      const lease = (owner: string) =>
        store.transaction((tx) => leaseDue(tx, { owner, now: directory.now(), leaseMs: 60_000, limit: 15 }))
      const handed = (await Promise.all(['a', 'b', 'c', 'd'].map(lease))).flat()
      expect(new Set(handed).size).toBe(handed.length)
      expect(handed.length).toBeGreaterThanOrEqual(15)
    })
  })
}
