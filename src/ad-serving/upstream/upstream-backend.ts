import type { BackendCapabilities } from '../../domain/ad-serving/capabilities.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { AdServerBackend } from '../backend.ts'
import type { BackendSetup } from '../backend-setup.ts'
import { SNIPPET_FORMATS } from './creative-snippet.ts'
import { upstreamApi } from './upstream-api.ts'
import { observeOrder } from './upstream-observe.ts'
import { readUpstreamOptions, type UpstreamOptions } from './upstream-options.ts'
import { getOrderId, idOf, orderTurns, pathOf, type Upstream } from './upstream-parts.ts'
import { upstreamForecast, upstreamInventory, upstreamReport } from './upstream-reading.ts'
import { putCreative, putLine, putOrder } from './upstream-writes.ts'

/** What the API has no way to do is not in here, and refused when a buyer orders it. */
const CAPABILITIES: Readonly<Record<UpstreamOptions['sells'], BackendCapabilities>> = {
  guaranteed: {
    booking: 'reviewed',
    pricing: ['cpm'],
    pacing: ['even'],
    targeting: [],
    formats: SNIPPET_FORMATS,
    changesLines: false,
    pauses: false,
    ends: false,
    creatives: true,
    dissociates: false,
    reports: { by: 'line', period: 'total' },
  },
  non_guaranteed: {
    booking: 'at_once',
    pricing: ['cpm'],
    pacing: ['even'],
    targeting: [],
    changesLines: false,
    pauses: false,
    ends: false,
    creatives: false,
    dissociates: false,
    reports: { by: 'line', period: 'total' },
  },
}

/**
 * An ad server behind the HTTP API of a seller: orders, line items, creatives and delivery below `/v1`, with a bearer key and a network code. The API
 * stores no ids of ours: orders are found by their names, which end with ours; ids of lines and creatives are remembered here, and what was added without
 * being remembered (a crash) is found again as the line of the same product that nothing knows.
 */
export function createUpstreamBackend(setup: BackendSetup): AdServerBackend {
  const options = readUpstreamOptions(setup.options)
  const { call, credentials, name, ids, clock } = setup
  const api = upstreamApi({ call, credentials, at: options, key: 'apiKey' })
  const creativeApi = options.creatives && upstreamApi({ call, credentials, at: options.creatives, key: 'creativesApiKey' })
  const up: Upstream = { options, api, creativeApi, ids, clock, inTurn: orderTurns() }
  const capabilities = CAPABILITIES[options.sells]
  return {
    name,
    description: `Books ${options.sells} orders of network ${options.network} over HTTP.`,
    simulated: false,
    capabilities,
    async check() {
      if (!(await api.find('/v1/inventory'))) throw new Error('the API has no /v1/inventory')
      if (creativeApi && !(await creativeApi.find('/v1/formats'))) throw new Error('the creative ad server has no /v1/formats')
    },
    listInventory: () => upstreamInventory(up),
    forecast: (_tenantId, queries) => upstreamForecast(up, queries),
    observe: (order) => observeOrder(up, order),
    putOrder: (order, settings) => up.inTurn(order, () => putOrder(up, order, settings)),
    setOrderState: async (_order, state) => requireActive(state),
    putCreative: (order, creative) => up.inTurn(order, () => putCreative(up, order, creative)),
    putLine: (order, { externalId }, settings) => up.inTurn(order, () => putLine(up, order, externalId, settings)),
    associate: (order, line, associations) =>
      up.inTurn(order, async () => {
        const known = await ids.list(order)
        const orderId = await getOrderId(up, order)
        const lineId = idOf(known, 'line', line.externalId)
        for (const { creativeExternalId } of associations) {
          const creativeId = idOf(known, 'creative', creativeExternalId)
          if (lineId === undefined || creativeId === undefined)
            throw new Error(`${line.externalId} or its creative is not there yet`)
          await api.send('POST', `${pathOf(orderId)}/lineitems/${encodeURIComponent(lineId)}/creative-attach`, {
            creative_id: creativeId,
          })
        }
      }),
    setLineState: async (_order, _line, state) => requireActive(state),
    report: (request) => upstreamReport(up, request),
  }
}

/** Orders and lines serve from their approval on. */
function requireActive(state: string): void {
  if (state === 'active') return
  const message = `this ad server cannot set an order or a line to ${state}; somebody does it there`
  throw new AdcpError('UNSUPPORTED_FEATURE', message)
}
