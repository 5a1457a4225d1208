import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ActivationKey, Standing } from '../../domain/signal/deployment.ts'
import { activationMinutes } from '../../domain/signal/destination.ts'
import { indexSignals } from '../../domain/signal/search-signals.ts'
import { type DataProvider, type SignalDocument, signalOf } from '../../domain/signal/signal.ts'
import type { ActivationOrder, SignalSet, SignalSource } from './signal-source.ts'

/** Where the imported signals lie. */
export interface SignalFiles {
  /** Grows with every import. */
  revision(tenantId: string): Promise<number>
  load(tenantId: string): Promise<{
    readonly revision: number
    readonly providers: readonly DataProvider[]
    readonly signals: readonly SignalDocument[]
    readonly removed: readonly SignalDocument[]
  }>
}

/** Publishers whose import is cached. */
const MAX_CACHED = 64

/** The targeting key under which a sales agent takes a segment. */
const AGENT_KEY = 'adcp_segment'

/**
 * The default source: the signals that the publisher imported, and deliveries that are simulated. Nothing is sent to a platform; a segment is
 * live when the minutes that the import states for the platform have passed. Deterministic: the same order gets the same key.
 */
export function createImportedSignals(files: SignalFiles): SignalSource {
  const cache = new LRUCache<string, { revision: number; name: string; signalSet: SignalSet }>({ max: MAX_CACHED })
  return {
    name: 'imported signals',
    description: 'Built-in: the signals of the import file. Deliveries to platforms are simulated, nothing is sent to them.',
    simulated: true,
    async load({ tenantId, name }) {
      const known = cache.get(tenantId)
      if (known && known.name === name && known.revision === (await files.revision(tenantId))) return known.signalSet
      const { revision, ...loaded } = await files.load(tenantId)
      const signalSet = signalSetOf(loaded, name)
      cache.set(tenantId, { revision, name, signalSet })
      return signalSet
    },
    activate: async (orders, now) => orders.map((order) => standingOf(order, now)),
    standing: async (orders, now) => orders.map((order) => standingOf(order, now)),
    deactivate: async () => {},
  }
}

function signalSetOf(
  { providers, signals, removed }: Omit<Awaited<ReturnType<SignalFiles['load']>>, 'revision'>,
  publisherName: string,
): SignalSet {
  const read = (documents: readonly SignalDocument[]) => documents.map((document) => signalOf(document, providers, publisherName))
  const offered = read(signals)
  const used = new Set(offered.map(({ providerDomain }) => providerDomain))
  return {
    index: indexSignals(offered),
    providers: providers.filter(({ domain }) => used.has(domain)),
    byId: new Map(offered.map((signal) => [signal.segmentId, signal])),
    withdrawn: new Map(read(removed).map((signal) => [signal.segmentId, signal])),
  }
}

function standingOf(order: ActivationOrder, now: Date): Standing {
  const minutes = activationMinutes(order.signal, order.destination)
  if (minutes === undefined) return { state: 'failed', reason: 'the signal is no longer offered there' }
  const readyAt = Date.parse(order.requestedAt) + minutes * 60_000
  if (readyAt > now.getTime()) return { state: 'pending', readyAt: new Date(readyAt).toISOString() }
  return { state: 'live', key: keyOf(order) }
}

/** Platforms target by the id of a segment, sales agents by a key and its value (AdCP core/activation-key). */
function keyOf({ signal, destination, buyer }: ActivationOrder): ActivationKey {
  if (destination.type === 'agent') return { type: 'key_value', key: AGENT_KEY, value: signal.segmentId }
  const { platform, account } = destination
  const shared = signal.document.platforms?.find((offer) => offer.platform.toLowerCase() === platform.toLowerCase())?.segment_id
  if (shared !== undefined) return { type: 'segment_id', segment_id: shared }
  const text = JSON.stringify([signal.segmentId, platform.toLowerCase(), account ?? null, buyer])
  return { type: 'segment_id', segment_id: `seg_${uuidOf(text)}` }
}

/** A UUID that follows from a text (RFC 9562 §5.8, version 8). */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}
