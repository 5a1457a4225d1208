import { presentBrand } from '../../domain/registry/present-brand.ts'
import { presentProperty } from '../../domain/registry/present-property.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { findShownManager } from '../../store/directory/directory-sources.ts'
import { findEntry } from '../../store/registry/registry-entries.ts'
import { Discoverer } from '../directory/discover.ts'
import { type AnswerCache, createAnswerCache } from './answer-cache.ts'
import type { RegistryDeps } from './deps.ts'
import type { OutboundGate } from './outbound-gate.ts'

/** What was found of a domain, or why there is nothing. */
export type Resolved =
  | { readonly found: object }
  | { readonly found: undefined; readonly status: 'not_found' | 'unreachable' | 'malformed' }

/** Finds brands and publishers by their domains. */
export interface EntityResolver {
  brand(
    domain: string,
    caller: string,
    options: { readonly brandId?: string | undefined; readonly fresh: boolean },
  ): Promise<Resolved>
  property(domain: string, caller: string): Promise<Resolved>
}

/** As long as brand.json files are cached; what could not be read is fetched again after a minute. */
const KEEP_MS = 15 * 60_000
const KEEP_FAILURE_MS = 60_000
const MOST_KEPT = 1_000

/**
 * The publisher's or brand's own file counts first, then a manager's file, then what a platform identity saved. Files come under the outbound
 * policy, through the gate, and answers are cached.
 */
export function createEntityResolver(deps: RegistryDeps, gate: OutboundGate): EntityResolver {
  const live: AnswerCache<Resolved> = createAnswerCache({
    most: MOST_KEPT,
    keepMs: (answer) => (answer.found ? KEEP_MS : KEEP_FAILURE_MS),
  })
  return {
    async brand(domain, caller, { brandId, fresh }) {
      const now = deps.clock()
      const resolution = await gate(caller, () => deps.brands.resolve(domain, { brandId, now, fresh }))
      if (resolution.ok) return { found: presentBrand(resolution.brand) }
      const saved = brandId === undefined ? await findEntry(deps.store.read, 'brand', domain) : undefined
      return saved ? { found: JSON.parse(saved.document) } : { found: undefined, status: resolution.reason }
    },
    async property(domain, caller) {
      const answer = await live.get(domain, deps.clock().getTime(), () => gate(caller, () => discover(deps, domain)))
      if (answer.found) return answer
      const saved = await findEntry(deps.store.read, 'property', domain)
      return saved ? { found: JSON.parse(saved.document) } : answer
    },
  }
}

async function discover(deps: RegistryDeps, domain: string): Promise<Resolved> {
  const discoverer = new Discoverer(deps.fetch)
  const discovery = await discoverer.discover(domain)
  const now = deps.clock().getTime()
  if (discovery.route) {
    const found = await inTurns(presentProperty(discovery.index, discovery.route, now))
    if (found) return { found }
  } else if (discovery.servesFile) return { found: undefined, status: 'malformed' }
  const claim = await findShownManager(deps.store.read, domain)
  const manager = claim?.manager_domain ?? undefined
  if (claim === undefined || manager === undefined) return { found: undefined, status: 'not_found' }
  const file = await discoverer.managerFile(manager)
  const source = { publisher: domain, method: claim.discovery_method, manager }
  const found = file && (await inTurns(presentProperty(file.index, source, now)))
  return found ? { found } : { found: undefined, status: 'unreachable' }
}
