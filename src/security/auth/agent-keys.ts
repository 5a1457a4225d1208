import type { AgentKeySource } from '../../domain/identity/agent-key-source.ts'
import { limitConcurrency } from '../../platform/concurrency/limit-concurrency.ts'
import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { SignatureFault } from '../signing/challenge.ts'
import { readJwks } from '../signing/jwk.ts'
import { type KeySource, keysFor, keysOfAgents, registeredKeys } from '../signing/keys.ts'
import { type FetchDocument, remoteKeys } from '../signing/remote-keys.ts'
import { registered } from './registered.ts'

export interface AgentKeysOptions {
  /** Registered sources of active agents. */
  readonly listSources: () => Promise<readonly AgentKeySource[]>
  readonly fetchDocument: FetchDocument
  /** Walks to the address of an agent's key set: from its brand's domain when that is registered, else from its URL. */
  readonly walkChain: (agentUrl: string, brandDomain: string) => Promise<string>
}

/** Fetches of key documents that run at once; more wait. */
const MAX_CONCURRENT_FETCHES = 8
const MAX_WAITING_FETCHES = 256

/** Fetches a second that unknown keyids may cause on average, whatever number of agents is registered. */
const FETCHES_PER_SECOND = 1

/**
 * Keys of all registered agents. Only registered agents count: a key found anywhere else proves nothing. What was fetched is
 * kept for each source while the source stays registered. An unknown `keyid` could be anybody's, so it makes us look at every
 * remote key set again: the more there are, the rarer that is.
 */
export function agentKeys(options: AgentKeysOptions): KeySource {
  const limited = limitConcurrency(
    MAX_CONCURRENT_FETCHES,
    MAX_WAITING_FETCHES,
    () => new Error('too many key sets are being fetched'),
  )
  let remote = 0
  const spacingSeconds = () => remote / FETCHES_PER_SECOND
  const bounded: AgentKeysOptions = {
    ...options,
    fetchDocument: (url, limits) => limited(() => options.fetchDocument(url, limits)),
  }
  const sources = registered(
    async () => {
      const listed = await options.listSources()
      remote = listed.filter(({ kind }) => kind !== 'jwks').length
      return listed
    },
    (source) => keysFor(source.tenantIds, open(source, bounded, spacingSeconds)),
  )
  return {
    async find(keyid, nowSeconds) {
      return keysOfAgents(await sources.list(nowSeconds)).find(keyid, nowSeconds)
    },
    async candidates(keyid, nowSeconds, known) {
      const listed = known ? (sources.known(nowSeconds) ?? []) : await sources.list(nowSeconds)
      return keysOfAgents(listed).candidates(keyid, nowSeconds, known)
    },
    cached: (keyid, nowSeconds) => keysOfAgents(sources.known(nowSeconds) ?? []).cached(keyid, nowSeconds),
  }
}

function open(
  { agentUrl, kind, value }: AgentKeySource,
  { fetchDocument, walkChain }: AgentKeysOptions,
  spacingSeconds: () => number,
): KeySource {
  if (kind === 'jwks_uri') return remoteKeys(agentUrl, async () => value, fetchDocument, spacingSeconds)
  if (kind === 'brand_json') return remoteKeys(agentUrl, () => walkChain(agentUrl, value), fetchDocument, spacingSeconds)
  const jwks = readJwks(foreignJsonIn(value))
  if (jwks) return registeredKeys(agentUrl, jwks)
  return {
    find: async () => {
      throw new SignatureFault('signature_key_unknown', 'registered JWKS is unreadable')
    },
  }
}
