import type { AdServerBackend } from '../../src/ad-serving/backend.ts'
import type { DeliveryRow } from '../../src/domain/ad-serving/delivery-row.ts'
import type {
  Association,
  DesiredCreative,
  LineSettings,
  OrderKey,
  OrderSettings,
  ServingState,
} from '../../src/domain/ad-serving/desired-order.ts'
import type { ObservedOrder, ObservedState } from '../../src/domain/ad-serving/observed-order.ts'
import type { LineRef } from '../../src/domain/ad-serving/step.ts'

export interface MemoryLine {
  id: string
  externalId?: string
  state: ObservedState
  settings: Partial<LineSettings>
  associations: Association[]
}

export interface MemoryOrder {
  id: string
  key: OrderKey
  state: ObservedState
  settings: OrderSettings
  /** Why it was rejected. */
  reason?: string
  lines: MemoryLine[]
  creatives: { id: string; externalId: string; contentVersion: string; content: DesiredCreative }[]
}

/** An ad server in memory: what is in it can be changed behind the back of the agent, and it can be out of order. */
export interface MemoryAdServer {
  readonly backend: AdServerBackend
  readonly orders: MemoryOrder[]
  /** Calls that changed something, in order, e.g. `putLine pkg_1`. */
  readonly calls: string[]
  readonly delivered: DeliveryRow[]
  /** While set, every call throws it. */
  down: Error | undefined
}

const COPY = <T>(value: T): T => structuredClone(value)

export function createMemoryAdServer(overrides: Partial<AdServerBackend> = {}): MemoryAdServer {
  const server: Omit<MemoryAdServer, 'backend'> = { orders: [], calls: [], delivered: [], down: undefined }
  let ids = 0
  const nextId = (kind: string) => `${kind}-${++ids}`
  const find = ({ tenantId, externalId }: OrderKey) =>
    server.orders.filter(({ key }) => key.tenantId === tenantId && key.externalId === externalId)
  const get = (key: OrderKey) => {
    const [order] = find(key)
    if (!order) throw new Error(`no order ${key.externalId}`)
    return order
  }
  const lineIn = (order: MemoryOrder, ref: LineRef) =>
    order.lines.find(({ id, externalId }) => (ref.id === undefined ? externalId === ref.externalId : id === ref.id))
  const getLine = (key: OrderKey, ref: LineRef) => {
    const line = lineIn(get(key), ref)
    if (!line) throw new Error(`no line ${ref.externalId}`)
    return line
  }
  const reach = (call?: string) => {
    if (server.down) throw server.down
    if (call !== undefined) server.calls.push(call)
  }
  const backend: AdServerBackend = {
    name: 'memory',
    description: 'An ad server in memory.',
    simulated: true,
    capabilities: {
      booking: 'at_once',
      pricing: ['cpm', 'vcpm', 'cpc', 'flat_rate'],
      pacing: ['even', 'asap', 'front_loaded'],
      targeting: ['geo_countries', 'device_type', 'frequency_cap', 'keyword_targets'],
      changesLines: true,
      pauses: true,
      ends: true,
      creatives: true,
      dissociates: true,
      reports: { by: 'creative', period: 'hour' },
    },
    async check() {
      reach()
    },
    async listInventory() {
      reach()
      return { units: [{ id: 'u1', name: 'Home', kind: 'ad_unit', sizes: ['300x250'] }] }
    },
    async forecast(_tenantId, queries) {
      reach()
      return queries.map(({ productId, impressions }) => ({ productId, available: impressions, sufficient: true }))
    },
    async observe(key): Promise<ObservedOrder | undefined> {
      reach()
      const [order, ...others] = find(key)
      if (!order) return undefined
      const { id, state, settings, lines, creatives, reason } = order
      const open = others.filter((other) => other.state !== 'ended')
      return COPY({
        id,
        state,
        settings,
        lines,
        ...(reason !== undefined && { reason }),
        creatives: creatives.map(({ content: _content, ...rest }) => rest),
        ...(open.length > 0 && { duplicateIds: open.map((other) => other.id) }),
      })
    },
    async putOrder(key, settings) {
      reach(`putOrder ${key.externalId}`)
      const [order] = find(key)
      if (order) order.settings = COPY(settings)
      else
        server.orders.push({
          id: nextId('o'),
          key: COPY(key),
          state: overrides.capabilities?.booking === 'reviewed' ? 'waiting' : 'active',
          settings: COPY(settings),
          lines: [],
          creatives: [],
        })
    },
    async setOrderState(key, state: ServingState, duplicateId) {
      reach(`setOrderState ${state}`)
      const order = duplicateId === undefined ? get(key) : server.orders.find(({ id }) => id === duplicateId)
      if (order) order.state = state
    },
    async putCreative(key, creative) {
      reach(`putCreative ${creative.externalId}`)
      const { creatives } = get(key)
      const { externalId, contentVersion } = creative
      const known = creatives.find((one) => one.externalId === externalId)
      if (known) Object.assign(known, { contentVersion, content: COPY(creative) })
      else creatives.push({ id: nextId('c'), externalId, contentVersion, content: COPY(creative) })
    },
    async putLine(key, ref, settings) {
      reach(`putLine ${ref.externalId}`)
      const order = get(key)
      const line = lineIn(order, ref)
      if (line) line.settings = COPY(settings)
      else
        order.lines.push({
          id: nextId('l'),
          externalId: ref.externalId,
          state: 'paused',
          settings: COPY(settings),
          associations: [],
        })
    },
    async associate(key, ref, associations) {
      reach(`associate ${ref.externalId}`)
      const order = get(key)
      for (const { creativeExternalId: id } of associations)
        if (!order.creatives.some(({ externalId }) => externalId === id)) throw new Error(`no creative ${id}`)
      getLine(key, ref).associations = COPY([...associations])
    },
    async setLineState(key, ref, state) {
      reach(`setLineState ${ref.externalId} ${state}`)
      getLine(key, ref).state = state
    },
    async report({ orderExternalIds }) {
      reach()
      const lines = server.orders
        .filter(({ key }) => orderExternalIds.includes(key.externalId))
        .flatMap(({ lines: all }) => all.map(({ externalId }) => externalId))
      return { rows: COPY(server.delivered.filter(({ lineExternalId }) => lines.includes(lineExternalId))) }
    },
    ...overrides,
  }
  return Object.assign(server, { backend })
}
