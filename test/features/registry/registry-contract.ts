import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { capabilityFacet, channelFacet, typeFacet } from '../../../src/domain/registry/agent-profile.ts'
import { listOwnAgents } from '../../../src/features/registry/own-agents.ts'
import { newAgentRow } from '../../../src/features/registry/probe.ts'
import { discoverAgents, recordProbe, refreshDueAgents } from '../../../src/features/registry/refresh-agents.ts'
import type { SafeFetch } from '../../../src/platform/net/safe-fetch.ts'
import type { Store } from '../../../src/store/database.ts'
import { registerAgents } from '../../../src/store/directory/directory-agents.ts'
import { appendEvent, dropEvents, pageEvents } from '../../../src/store/directory/registry-events.ts'
import { addTenant } from '../../../src/store/identity/tenants.ts'
import {
  type AgentPosition,
  addRegistryAgents,
  deleteRegistryAgent,
  findRegistryAgent,
  listAgentsOfSource,
  pageRegistryAgents,
  registryAgentId,
} from '../../../src/store/registry/registry-agents.ts'
import { findEntry, recordCrawlRequest, saveEntry } from '../../../src/store/registry/registry-entries.ts'
import { leaseDueAgents } from '../../../src/store/registry/registry-leases.ts'
import { countAgents, countPublishers, pagePublishers } from '../../../src/store/registry/registry-lookups.ts'

const HOUR = 3_600_000
const urlOf = (index: number) => `https://a${String(index).padStart(3, '0')}.contract.example/mcp`

/** What every engine must do alike: search and page, lease, discover, keep health, tell the feed. */
export function registryContract(engine: string, open: () => Promise<Store>): void {
  describe(`registry on ${engine}`, () => {
    let store: Store
    let time = Date.parse('2026-05-01T00:00:00Z')
    /** Agents that answer; the others are away. */
    const online = new Set<string>()
    const fetch: SafeFetch = async (url, request) => {
      if (!online.has(url)) throw new Error('away')
      const message = JSON.parse(String(request.post?.body))
      const odd = Number(/a(\d+)/.exec(url)?.[1]) % 2 === 1
      const results: Record<string, object> = {
        initialize: {},
        'tools/list': { tools: [{ name: 'get_products' }, ...(odd ? [{ name: 'get_signals' }] : [])] },
        'tools/call': {
          structuredContent: {
            supported_protocols: ['media_buy'],
            media_buy: { portfolio: { primary_channels: [odd ? 'ctv' : 'display', 'NOT A CHANNEL'] } },
          },
        },
      }
      const body = Buffer.from(JSON.stringify({ id: message.id, result: results[message.method] }))
      return {
        status: 200,
        url,
        body,
        contentType: 'application/json',
        etag: undefined,
        lastModified: undefined,
        retryAfter: undefined,
      }
    }
    const deps = () => ({ store, fetch, clock: () => new Date(time), random: () => 0.5, worker: 'one', isTask: () => true })
    const agentAt = (index: number) => findRegistryAgent(store.read, registryAgentId(urlOf(index)))
    const refreshAll = async () => {
      while ((await refreshDueAgents(deps())).more);
    }
    const found = async (...facets: string[]) => {
      const agents: string[] = []
      let after: AgentPosition | undefined
      do {
        const page = await pageRegistryAgents(store.read, { facets, after, limit: 3 })
        agents.push(...page.agents.map((each) => each.agent_url))
        after = page.next
      } while (after !== undefined)
      return agents
    }

    beforeAll(async () => {
      store = await open()
    })
    afterAll(() => store.close())

    it('meets the agents of the directory index, and lists those that answer', async () => {
      const urls = Array.from({ length: 20 }, (_, index) => urlOf(index))
      await store.transaction((tx) => registerAgents(tx, urls, new Date(time)))
      expect(await discoverAgents(deps(), '')).toBeUndefined()
      await discoverAgents(deps(), '')
      expect(await found('')).toEqual([])
      expect(await agentAt(3)).toMatchObject({ source: 'discovered', listed: 0, health: 'unknown', domain: 'contract.example' })
      for (const url of urls.slice(0, 10)) online.add(url)
      time += HOUR
      await refreshAll()
      expect((await found('')).toSorted()).toEqual(urls.slice(0, 10))
      expect(await agentAt(12)).toMatchObject({ listed: 0, failures: 1, error: 'it does not answer as an MCP server' })
    })

    it('finds by one word and by several, page by page, each agent once', async () => {
      const odd = [1, 3, 5, 7, 9].map(urlOf)
      expect((await found(channelFacet('ctv'))).toSorted()).toEqual(odd)
      expect(
        (await found(capabilityFacet('get_products'), channelFacet('ctv'), capabilityFacet('get_signals'))).toSorted(),
      ).toEqual(odd)
      expect(await found(capabilityFacet('get_signals'), channelFacet('display'))).toEqual([])
      expect(await found(channelFacet('NOT A CHANNEL'))).toEqual([])
    })

    it('leases to one process at a time, and again when the lease has run out', async () => {
      time += 7 * HOUR
      const lease = (owner: string, limit = 4) =>
        store.transaction((tx) => leaseDueAgents(tx, { owner, now: new Date(time), leaseMs: 60_000, limit }))
      const [first, second] = [await lease('a'), await lease('b')]
      const taken = [...first, ...second].map((row) => row.agent_id)
      expect(new Set(taken).size).toBe(8)
      time += 61_000
      expect((await lease('c', 100)).map((row) => row.agent_id)).toEqual(expect.arrayContaining(taken))
      time += 61_000
      await refreshAll()
    })

    it('keeps an agent that is away on its pages for a week, says so, and takes it back', async () => {
      const url = urlOf(1)
      online.delete(url)
      for (const [hours, health, listed] of [
        [7, 'failing', 1],
        [1, 'failing', 1],
        [2, 'offline', 1],
        [24 * 7, 'offline', 0],
      ] as const) {
        time += hours * HOUR
        await refreshAll()
        expect(await agentAt(1), `${hours} ${health}`).toMatchObject({ health, listed })
        expect((await found('')).includes(url)).toBe(listed === 1)
      }
      online.add(url)
      time += 25 * HOUR
      await refreshAll()
      expect(await agentAt(1)).toMatchObject({ health: 'online', listed: 1, failures: 0, failing_since: null })
      const { events } = await pageEvents(store.read, { after: undefined, limit: 1000, wants: () => true })
      expect(events.filter((event) => event.entity_id === url).map((event) => event.event_type)).toEqual([
        'agent.discovered',
        'agent.health_changed',
        'agent.health_changed',
        'agent.removed',
        'agent.discovered',
      ])
    })

    it('numbers events without a gap under writers at the same time, and drops old ones with their cursors', async () => {
      const { position } = await pageEvents(store.read, { after: undefined, limit: 1000, wants: () => true })
      const event = (index: number) =>
        ({ type: 'brand.created', entityType: 'brand', entityId: `b${index}`, payload: {}, actor: 'x' }) as const
      await Promise.all(
        Array.from({ length: 12 }, (_, index) => store.transaction((tx) => appendEvent(tx, event(index), new Date(time)))),
      )
      const page = await pageEvents(store.read, { after: position, limit: 100, wants: (type) => type === 'brand.created' })
      expect(page.events.map((each) => Number(each.sequence))).toEqual(
        Array.from({ length: 12 }, (_, index) => position + index + 1),
      )
      time += HOUR
      await store.transaction((tx) => appendEvent(tx, event(99), new Date(time)))
      await store.transaction((tx) => dropEvents(tx, new Date(time)))
      await expect(pageEvents(store.read, { after: position, limit: 10, wants: () => true })).rejects.toThrow('cursor_expired')
      expect((await pageEvents(store.read, { after: undefined, limit: 10, wants: () => true })).events).toHaveLength(1)
    })

    it('saves an entry for its owner alone, and takes a crawl of a domain once in its pause', async () => {
      const entry = {
        kind: 'brand',
        domain: 'owned.example',
        entry_id: 'e1',
        document: '{}',
        owner: 'a/b',
        saved_at: new Date(time).toISOString(),
      } as const
      expect((await store.transaction((tx) => saveEntry(tx, entry))).revision).toBe(1)
      expect(await store.transaction((tx) => saveEntry(tx, { ...entry, entry_id: 'e2', document: '{"a":1}' }))).toMatchObject({
        revision: 2,
        entry_id: 'e1',
      })
      await expect(store.transaction((tx) => saveEntry(tx, { ...entry, owner: 'c/d' }))).rejects.toThrow('another caller')
      expect((await findEntry(store.read, 'brand', 'owned.example'))?.document).toBe('{"a":1}')
      const ask = () =>
        store.transaction((tx) =>
          recordCrawlRequest(tx, {
            domain: 'c.example',
            crawlRequestId: 'r',
            requestedBy: 'a/b',
            now: new Date(time),
            pauseMs: 300_000,
          }),
        )
      const waits = await Promise.all([ask(), ask(), ask()])
      expect(waits.filter((wait) => wait === undefined)).toHaveLength(1)
      time += 300_000
      expect(await ask()).toBeUndefined()
    })

    it('keeps the own tenants by what they serve, and nothing of an address of before', async () => {
      const tenant = { tenantId: 'acme', name: 'Acme News', domain: 'acme.example' }
      await store.transaction((tx) => addTenant(tx, tenant, new Date(time)))
      await store.transaction((tx) => addTenant(tx, { ...tenant, tenantId: 'globex', domain: 'globex.example' }, new Date(time)))
      let protocols = ['media_buy']
      const own = (origin: string, tasks = ['get_products', 'echo']) => ({ origin, offerOf: async () => ({ tasks, protocols }) })
      const ownAgents = async () =>
        (await listAgentsOfSource(store.read, 'own', '', 10))
          .map((row) => `${row.domain} ${row.agent_url} ${row.types}`)
          .toSorted()
      await listOwnAgents(store, own('https://old.example'), new Date(time))
      await listOwnAgents(store, own('https://ads.example'), new Date(time))
      expect(await ownAgents()).toEqual([
        'acme.example https://ads.example/mcp ["sales"]',
        'globex.example https://ads.example/t/globex/mcp ["sales"]',
      ])
      expect((await found(typeFacet('sales'))).filter((url) => /old|ads/.test(url))).toHaveLength(2)
      protocols = ['media_buy', 'signals']
      await listOwnAgents(store, own('https://ads.example'), new Date(time))
      expect(await found(typeFacet('signals'))).toHaveLength(2)
      const { events } = await pageEvents(store.read, {
        after: undefined,
        limit: 1000,
        wants: (type) => type.startsWith('agent.'),
      })
      expect(events.filter((event) => event.entity_id === 'https://old.example/mcp').map((event) => event.event_type)).toEqual([
        'agent.discovered',
        'agent.removed',
      ])
      // A look at some tenants forgets nobody whose turn comes later.
      const part = (after: string) => listOwnAgents(store, own('https://new.example'), new Date(time), after, 1)
      const addresses = async () => (await listAgentsOfSource(store.read, 'own', '', 10)).map((row) => row.agent_url).toSorted()
      expect(await part('')).toBe('acme')
      expect(await addresses()).toEqual([
        'https://ads.example/mcp',
        'https://ads.example/t/globex/mcp',
        'https://new.example/mcp',
      ])
      expect(await part('acme')).toBe('globex')
      expect(await part('globex')).toBeUndefined()
      expect(await addresses()).toEqual(['https://new.example/mcp', 'https://new.example/t/globex/mcp'])
      await listOwnAgents(store, own('https://ads.example', ['echo']), new Date(time))
      for (const row of await listAgentsOfSource(store.read, 'own', '', 10))
        await store.transaction((tx) => deleteRegistryAgent(tx, row.agent_id))
    })

    it('counts, lists publishers, and forgets an agent whole', async () => {
      expect(await countAgents(store.read)).toEqual({ all: 10, some: 10 })
      expect(await countPublishers(store.read)).toEqual({ all: 0, some: 0 })
      expect(await pagePublishers(store.read, '', 10)).toEqual([])
      await store.transaction((tx) => deleteRegistryAgent(tx, registryAgentId(urlOf(2))))
      expect(await found('')).not.toContain(urlOf(2))
      const row = newAgentRow(urlOf(2), {
        source: 'registered',
        registered_by: 'a/b',
        nextCheckAt: undefined,
        now: new Date(time),
      })
      expect(row && (await store.transaction((tx) => addRegistryAgents(tx, [row])))).toHaveLength(1)
      const gone = { ok: false, reason: 'away' } as const
      expect(await store.transaction((tx) => recordProbe(tx, 'nobody', gone, deps()))).toBeUndefined()
    })
  })
}
