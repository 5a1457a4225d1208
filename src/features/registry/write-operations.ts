import { randomUUID } from 'node:crypto'
import { presentAgent } from '../../domain/registry/present-agent.ts'
import { createRateLimit, rateLimited } from '../../platform/net/rate-limit.ts'
import { appendEvent } from '../../store/directory/registry-events.ts'
import { recordCrawlRequest, saveEntry } from '../../store/registry/registry-entries.ts'
import type { RegistryEntryRow } from '../../store/registry/rows.ts'
import { addDomains, requestRefresh } from '../directory/crawl-list.ts'
import { type Arguments, agentOf, domainOf, textOf } from './arguments.ts'
import type { NoteChange, RegistryDeps } from './deps.ts'
import type { Writers } from './operations.ts'
import type { OutboundGate } from './outbound-gate.ts'
import { registerAgent } from './register-agent.ts'

/** AdCP registry: one crawl of a domain in five minutes, thirty an hour for a caller. */
const CRAWL_PAUSE_SECONDS = 300
const CRAWLS = { limit: 30, windowSeconds: 3600, scope: 'global' as const }
const WITH_DETAILS = { health: true, details: true }

/** Operations that change something, each for a platform identity. */
export function writeOperations(deps: RegistryDeps, gate: OutboundGate): Writers {
  const { store, clock } = deps
  const limitCrawls = createRateLimit({
    name: 'registry-crawls',
    what: 'requests for crawls',
    ...CRAWLS,
    counters: deps.counters,
  })
  const save = async (kind: RegistryEntryRow['kind'], domain: string, document: object, owner: string, note: NoteChange) => {
    const now = clock()
    const entry = { kind, domain, entry_id: randomUUID(), document: JSON.stringify(document), owner, saved_at: now.toISOString() }
    const row = await store.transaction(async (tx) => {
      const saved = await saveEntry(tx, entry)
      await note(tx, domain)
      const type = `${kind}.${saved.revision === 1 ? 'created' : 'updated'}`
      await appendEvent(
        tx,
        { type, entityType: kind, entityId: domain, payload: { revision: saved.revision }, actor: owner },
        now,
      )
      return saved
    })
    const message = row.revision === 1 ? `saved ${domain}` : `saved revision ${row.revision} of ${domain}`
    return { success: true, id: row.entry_id, domain, revision_number: row.revision, message }
  }
  return {
    async registerAgent(args, identity, note) {
      agentOf(args, 'agent_url')
      const { row, isNew } = await gate(identity.id, () => registerAgent(deps, textOf(args, 'agent_url'), identity, note))
      return { status: isNew ? 201 : 200, body: presentAgent(row, WITH_DETAILS) }
    },
    async requestCrawl(args, identity, note) {
      const domain = domainOf(args, 'domain')
      await limitCrawls(identity.id)
      const crawlRequestId = randomUUID()
      const now = clock()
      const request = { domain, crawlRequestId, requestedBy: identity.id, now, pauseMs: CRAWL_PAUSE_SECONDS * 1000 }
      const waitMs = await store.transaction(async (tx) => {
        const wait = await recordCrawlRequest(tx, request)
        if (wait !== undefined) return wait
        await note(tx, domain)
        const payload = { crawl_request_id: crawlRequestId }
        await appendEvent(
          tx,
          { type: 'publisher.crawl_requested', entityType: 'publisher', entityId: domain, payload, actor: identity.id },
          now,
        )
        return undefined
      })
      if (waitMs !== undefined) {
        const terms = { limit: 1, windowSeconds: CRAWL_PAUSE_SECONDS, scope: 'global' as const }
        throw rateLimited(`a crawl of ${domain} was asked for less than five minutes ago`, waitMs / 1000, terms)
      }
      await addDomains({ store, clock }, [domain])
      await requestRefresh({ store, clock }, [domain])
      return {
        status: 202,
        body: { crawl_request_id: crawlRequestId, domain, message: `${domain} is next in line to be crawled` },
      }
    },
    async saveBrand(args, { id: owner }, note) {
      const domain = domainOf(args, 'domain')
      const brand = {
        canonical_id: domain,
        canonical_domain: domain,
        brand_name: textOf(args, 'brand_name'),
        relationship_trust: 'unverifiable',
        ...(args.brand_manifest !== undefined && { brand_manifest: args.brand_manifest }),
        source: 'community',
        live_brand_json: false,
      }
      return { status: 200, body: await save('brand', domain, brand, owner, note) }
    },
    async saveProperty(args, { id: owner }, note) {
      const domain = domainOf(args, 'publisher_domain')
      return { status: 200, body: await save('property', domain, savedProperty(domain, args), owner, note) }
    },
  }
}

/** What was saved of a publisher, in the form in which it is answered (schemas/registry-openapi.json, Property). */
function savedProperty(domain: string, { authorized_agents, properties, contact }: Arguments): object {
  const listed: readonly object[] = Array.isArray(properties) ? properties : []
  return {
    publisher_domain: domain,
    source: 'hosted',
    verified: false,
    authorized_agents,
    properties: listed.map((property, index) => ({ id: `saved_${index + 1}`, identifiers: [], tags: [], ...property })),
    ...(contact !== undefined && { contact }),
  }
}
