import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dropOldRows, importSnapshot } from '../../../src/features/directory/import-snapshot.ts'
import type { SafeFetch } from '../../../src/platform/net/safe-fetch.ts'
import type { Store } from '../../../src/store/database.ts'
import { deleteMirror, listMirrors, pageMirrorRows } from '../../../src/store/directory/directory-mirrors.ts'
import { findByIdentifier } from '../../../src/store/directory/identified-properties.ts'
import {
  addSubscriber,
  deleteSubscriber,
  endAttempt,
  leaseSubscriber,
  listDueSubscribers,
  listSubscribers,
} from '../../../src/store/registry/feed-subscribers.ts'
import { openDirectory, putWithoutFile, type TestDirectory } from '../../support/directory.ts'

const AGENT = 'https://agent.example'
const MANAGER = 'manager.example'
const BUNDLE = 'com.example.app'
// Locales order these otherwise than bytes do.
const DOMAINS = ['a-b.example', 'a.b.example', 'a.example', 'ab.example']
const FILE = {
  properties: DOMAINS.map((publisher_domain) => ({
    property_id: 'app',
    property_type: 'mobile_app',
    name: 'App',
    identifiers: [{ type: 'ios_bundle', value: BUNDLE }],
    publisher_domain,
  })),
  authorized_agents: [{ url: AGENT, authorized_for: 'all', authorization_type: 'property_ids', property_ids: ['app'] }],
}

/** What every engine must do alike beside the index: look up identifiers, hold mirrors, hand feed subscribers out. */
export function nodeContract(engine: string, open: () => Promise<Store>): void {
  describe(`identifiers, mirrors and subscribers on ${engine}`, () => {
    const fetch: SafeFetch = async (url) => {
      const isFile = url === `https://${MANAGER}/.well-known/adagents.json`
      const body = Buffer.from(isFile ? JSON.stringify(FILE) : '')
      const head = { etag: undefined, lastModified: undefined, retryAfter: undefined, contentType: 'application/json' }
      return { ...head, url, body, status: isFile ? 200 : 404 }
    }
    let store: Store
    let directory: TestDirectory
    beforeAll(async () => {
      store = await open()
      directory = await openDirectory(fetch, { store })
    })
    afterAll(async () => {
      await directory?.close()
      await store?.close()
    })

    it('finds properties by an identifier in byte order, and since when their publisher authorises', async () => {
      await directory.add(MANAGER)
      await putWithoutFile(store, DOMAINS, directory.now())
      const since = directory.now().toISOString()
      await directory.refresh([MANAGER])
      const found = await findByIdentifier(store.read, { type: 'ios_bundle', value: BUNDLE, limit: 10 })
      expect(found.map(({ publisher_domain }) => publisher_domain)).toEqual(DOMAINS)
      expect(found[0]).toMatchObject({ property_id: 'app', agent_url: AGENT })
      expect(await findByIdentifier(store.read, { type: 'ios_bundle', value: BUNDLE.toUpperCase(), limit: 10 })).toEqual([])
      await directory.pass(60_000)
      await directory.refresh([MANAGER])
      const claims = await store.read.selectFrom('directory_claims').select(['granted_at', 'verified_at']).execute()
      expect(new Set(claims.map(({ granted_at }) => granted_at))).toEqual(new Set([since]))
      expect(claims[0]?.verified_at).toBe(directory.now().toISOString())
    })

    it('replaces a mirror by the next snapshot of its source, and leaves those of others', async () => {
      const take = (source: string, domains: readonly string[]) =>
        importSnapshot({ store, audited: store, clock: directory.now }, { source, text: lines(domains) })
      const one = 'https://one.example'
      const two = 'https://two.example'
      await take(one, [...DOMAINS].reverse())
      await take(two, ['a.example'])
      expect(await take(one, ['ab.example', 'a.example'])).toEqual({ rows: 2, skipped: 0 })
      const page = async (after: readonly [string, string], limit: number) =>
        (await pageMirrorRows(store.read, { agentUrl: AGENT, after, limit })).rows.map((row) => [
          row.publisher_domain,
          row.source,
        ])
      expect(await page(['', ''], 2)).toEqual([
        ['a.example', one],
        ['a.example', two],
      ])
      expect(await page(['a.example', two], 2)).toEqual([['ab.example', one]])
      expect((await listMirrors(store.read)).map(({ source, row_count }) => [source, row_count])).toEqual([
        [one, 2],
        [two, 1],
      ])
      expect(await store.transaction((tx) => deleteMirror(tx, one))).toBe(true)
      expect(await store.transaction((tx) => deleteMirror(tx, one))).toBe(false)
      await dropOldRows(store)
      const left = await store.read.selectFrom('directory_mirror_rows').select('publisher_domain').execute()
      expect(left).toEqual([{ publisher_domain: 'a.example' }])
    })

    it('hands a subscriber of the feed to one sender at a time, and keeps its place', async () => {
      const now = directory.now()
      const until = new Date(now.getTime() + 60_000)
      const state = { position: 0, failures: 0, last_status: null, last_error: null, types: null }
      const times = { next_attempt_at: now.toISOString(), added_at: now.toISOString() }
      const row = { subscriber_id: 'sub', tenant_id: null, url: 'https://hook.example', query: null, ...state, ...times }
      await store.transaction((tx) => addSubscriber(tx, row))
      const due = (last: number) => listDueSubscribers(store.read, last, now, 10)
      expect(await due(0)).toEqual([])
      expect(await due(5)).toEqual([row])
      const lease = () => store.transaction((tx) => leaseSubscriber(tx, row, until), { isolation: 'read-committed' })
      const leased = await Promise.all([lease(), lease()])
      expect(leased.filter(Boolean)).toHaveLength(1)
      expect(await due(5)).toEqual([])
      const sent = { position: 5, last_status: 204, next_attempt_at: now.toISOString() }
      await store.transaction((tx) => endAttempt(tx, row, until, sent))
      // The end of an attempt whose lease is over changes nothing.
      await store.transaction((tx) => endAttempt(tx, row, until, { position: 1 }))
      expect(await listSubscribers(store.read, null)).toEqual([{ ...row, ...sent }])
      expect(await store.transaction((tx) => deleteSubscriber(tx, null, 'sub'))).toBe(true)
    })
  })
}

async function* lines(domains: readonly string[]): AsyncGenerator<string> {
  for (const publisher_domain of domains) yield `${JSON.stringify({ agent_url: AGENT, publisher_domain })}\n`
}
