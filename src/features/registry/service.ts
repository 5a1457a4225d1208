import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { type Config, publicOrigin } from '../../config/config.ts'
import type { Counters } from '../../platform/net/rate-limit.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { type BackgroundJob, startBackgroundJob } from '../../platform/scheduler/background-job.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import type { Store } from '../../store/database.ts'
import type { AuditNotes } from '../audit/audit.ts'
import type { BrandResolver } from '../brands/resolve-brand.ts'
import { directoryFetch } from '../directory/service.ts'
import type { RegistryDeps } from './deps.ts'
import type { OwnAgents } from './own-agents.ts'
import { createRegistry, type Registry } from './registry.ts'
import { registryUpkeep } from './upkeep.ts'

export interface RegistryParts {
  readonly store: Store
  readonly schemas: Schemas
  readonly brands: BrandResolver
  /** Default: the directory's. */
  readonly safeFetch: SafeFetch | undefined
  readonly counters: Counters | undefined
  readonly audit: AuditNotes
  readonly own: Pick<OwnAgents, 'offerOf'>
  readonly clock: () => Date
  readonly log: Logger
}

export interface RegistryService {
  readonly registry: Registry
  /** Checks what is due. */
  readonly upkeep: BackgroundJob
}

/** How often the registry checks what is due: health of agents, new ones in the directory, its own tenants. */
const UPKEEP_MS = 30_000
/** Outbound checks in a minute, from one address: AdCP registry. */
const RESOLVES = 60
const BULKS = 20
const WRITES = 60

/** What the registry works with, from a configuration. */
export function registryDeps(
  config: Config,
  parts: Pick<RegistryParts, 'store' | 'schemas' | 'brands' | 'safeFetch' | 'counters' | 'clock'>,
): RegistryDeps {
  const { store, brands, clock, counters } = parts
  return {
    store,
    brands,
    clock,
    counters,
    fetch: parts.safeFetch ?? directoryFetch(config),
    // The validator is made when it is first needed, not while the server starts.
    checkAdagents: (document) => parts.schemas.validator('adagents.json')(document),
    isTask: (tool) => Object.hasOwn(parts.schemas.manifest.tools, tool),
    random: Math.random,
    worker: randomUUID(),
  }
}

/** The registry of a running server. Agents of others are called when the server also crawls publishers. */
export function startRegistry(config: Config, parts: RegistryParts): RegistryService {
  const { log, own, schemas, audit } = parts
  const deps = registryDeps(config, parts)
  const { requestsPerAddress: reads, windowSeconds } = config.directory
  const origin = publicOrigin(config)
  // Only https addresses can be published; while developing, the registry shows them as they are.
  const isPublishable = origin.startsWith('https:') || config.mode === 'development'
  const upkeep = registryUpkeep(deps, {
    own: isPublishable ? { origin, ...own } : undefined,
    callsOthers: config.directory.crawl,
  })
  const job = startBackgroundJob(upkeep, UPKEEP_MS, (error) => log.error({ err: error }, 'the upkeep of the registry failed'))
  job.wake()
  return {
    registry: createRegistry(deps, schemas, { reads, resolves: RESOLVES, bulks: BULKS, writes: WRITES, windowSeconds }, audit),
    upkeep: job,
  }
}
