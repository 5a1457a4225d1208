import { setTimeout as sleep } from 'node:timers/promises'
import type { OrderKey } from '../../domain/ad-serving/desired-order.ts'
import { createTurns } from '../../platform/concurrency/turns.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { createAccessTokens, readServiceAccountKey } from '../../security/auth/service-account.ts'
import type { AdServerBackend } from '../backend.ts'
import type { BackendSetup } from '../backend-setup.ts'
import { associateGamCreatives } from './associate-creatives.ts'
import { createGamClient, GAM_ENDPOINT, GAM_SCOPE, type GamClient } from './client.ts'
import { GAM_FORMATS } from './creative-fields.ts'
import { forecastGamDelivery } from './gam-delivery-forecast.ts'
import { existingGamLines } from './gam-existing.ts'
import { existingGamDelivery, existingGamOrder } from './gam-existing-order.ts'
import { createGamForecast } from './gam-forecast.ts'
import { gamInventory } from './gam-inventory.ts'
import { putGamLine } from './gam-lines.ts'
import { type GamOptions, readGamOptions } from './gam-options.ts'
import { putGamOrder } from './gam-orders.ts'
import type { GamParts } from './gam-parts.ts'
import { gamReport } from './gam-report.ts'
import { setGamLineState, setGamOrderState } from './gam-states.ts'
import { gamUnitReport } from './gam-unit-report.ts'
import { GAM_PACING, requireGamKeepable } from './line-fields.ts'
import { GAM_PRICING } from './line-price.ts'
import { createLookups, type Lookups } from './lookups.ts'
import { textOf } from './messages.ts'
import { observeGamOrder } from './observe-order.ts'
import { observeGamOrders } from './observe-orders.ts'
import { createPace, type Pace } from './pace.ts'
import { gamMemory } from './remembered.ts'
import { createSoapClient, GAM_SOAP_ENDPOINT, GAM_SOAP_SCOPE } from './soap-client.ts'
import { GAM_SOAP_VERSION, soapVersionWarning } from './soap-version.ts'
import { gamDimensions, gamTargeting } from './targeting.ts'
import { putGamCreative } from './write-creative.ts'

/** For tests: how long to wait before a repetition, and how fast the network is called. */
export interface GamTiming {
  readonly pause: (ms: number) => Promise<void>
  readonly pace: Pace
}

/**
 * Google Ad Manager as orders are reconciled with it: orders and lines by its REST API v1, which reads creatives and does not write them; these are trafficked by hand, or by
 * its SOAP API where the options say so. The credentials are the key file of a service account. Throws CONFIGURATION_ERROR for wrong options.
 */
export function createGamBackend(setup: BackendSetup, { pause, pace }: GamTiming = googlesTiming()): AdServerBackend {
  const { name, call, clock } = setup
  const options = optionsOf(setup)
  const key = async () => {
    const file = await setup.credentials()
    if (file) return readServiceAccountKey(file)
    throw new Error(`there is no key of a service account; store it: sales-agent adservers credentials ${name} --file KEY.json`)
  }
  const tokens = createAccessTokens({ key, scope: GAM_SCOPE, call, clock })
  const endpoint = options.endpoint ?? GAM_ENDPOINT
  const client = createGamClient({ call, tokens, networkCode: options.network, endpoint, pause, pace })
  const { soapVersion = GAM_SOAP_VERSION } = options
  const soap = createSoapClient({
    ...{ call, pause, pace, networkCode: options.network },
    tokens: createAccessTokens({ key, scope: GAM_SOAP_SCOPE, call, clock }),
    endpoint: options.endpoint ?? GAM_SOAP_ENDPOINT,
    version: soapVersion,
  })
  const writes = options.creatives === 'api'
  const lookups = createLookups(client, options, async () => (await key()).clientEmail)
  // The API has no key that makes creating safe to repeat: in one process, one change of an order at a time; the lease of the order does the rest.
  const turns = createTurns()
  const inTurn = <T>({ tenantId, externalId }: OrderKey, work: () => Promise<T>) => turns(`${tenantId}/${externalId}`, work)
  const parts: GamParts = { client, soap, call, options, lookups, memory: gamMemory(setup.ids), clock }
  const forecast = createGamForecast({ ...parts, log: setup.log })
  return {
    name,
    description: `Google Ad Manager, network ${options.network}: orders and line items by the REST API, creatives ${writes ? 'by the SOAP API' : 'by hand'}.`,
    simulated: false,
    capabilities: {
      booking: options.approval === 'person' ? 'reviewed' : 'at_once',
      pricing: GAM_PRICING,
      pacing: GAM_PACING,
      targeting: gamDimensions(options),
      changesLines: true,
      changes: 'observed',
      pauses: true,
      ends: true,
      creatives: writes,
      dissociates: writes,
      ...(writes && { formats: GAM_FORMATS }),
      inventory: Object.keys(options.products),
      // Figures of the last 30 days are corrected, for invalid traffic.
      reports: { by: 'line', period: 'day', everyMs: 60 * 60_000, correctedDays: 30 },
    },
    requireKeepable: (settings) => requireGamKeepable(options, settings),
    async requireKnown({ productId, targeting }) {
      const product = Object.hasOwn(options.products, productId) ? options.products[productId] : undefined
      if (product && targeting) await gamTargeting(client.network, product, targeting, lookups)
    },
    check: () => check(client, lookups, options),
    warnings: () => [soapVersionWarning(soapVersion, clock())].filter((each) => each !== undefined),
    listInventory: (_tenantId, after) => gamInventory(client, after),
    forecast: (_tenantId, queries) => forecast(queries),
    forecastDelivery: (order) => forecastGamDelivery(parts, order),
    listLines: (after) => existingGamLines(parts, setup.tenantId, after),
    readOrder: (orderId) => existingGamOrder(parts, setup.tenantId, orderId),
    reportOrders: (request) => existingGamDelivery({ client, clock, pause }, request),
    observe: (order) => inTurn(order, () => observeGamOrder(parts, order)),
    observeAll: (orders) => observeGamOrders(parts, orders),
    putOrder: (order, settings) => inTurn(order, () => putGamOrder(parts, order, settings)),
    setOrderState: (order, state, duplicateId) => inTurn(order, () => setGamOrderState(parts, order, state, duplicateId)),
    putCreative: (order, creative) => (writes ? inTurn(order, () => putGamCreative(parts, order, creative)) : nothing()),
    putLine: (order, line, settings) => inTurn(order, () => putGamLine(parts, order, line, settings)),
    associate: (order, line, associations) =>
      writes ? inTurn(order, () => associateGamCreatives(parts, order, line, associations)) : nothing(),
    setLineState: (order, line, state) => inTurn(order, () => setGamLineState(parts, order, line, state)),
    report: (request) => gamReport({ ...parts, pause }, request),
    reportUnits: (request) => gamUnitReport({ client, lookups, pause }, request),
  }
}

function googlesTiming(): GamTiming {
  return { pause: sleep, pace: createPace(() => performance.now(), sleep) }
}

/** Nothing is written to the ad server: the order lists what a person has to do there by hand. */
async function nothing(): Promise<void> {}

function optionsOf({ options }: BackendSetup): GamOptions {
  try {
    return readGamOptions(options)
  } catch (error) {
    throw new AdcpError('CONFIGURATION_ERROR', error instanceof Error ? error.message : String(error))
  }
}

/** The key is taken, the network is the one that is named, and its user may be responsible for orders. */
async function check(client: GamClient, lookups: Lookups, { network }: GamOptions): Promise<void> {
  const found = await client.get(client.network)
  const code = textOf(found, 'networkCode')
  if (code !== network) throw new Error(`the network is ${code ?? 'without a code'}, not ${network}`)
  await lookups.trafficker()
}
