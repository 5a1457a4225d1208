import type { LineSettings, OrderKey, ServingState } from '../../domain/ad-serving/desired-order.ts'
import { type ManualLine, type ManualOrder, type ManualWork, manualWork } from '../../domain/ad-serving/manual-order.ts'
import type { ObservedOrder } from '../../domain/ad-serving/observed-order.ts'
import { PACINGS } from '../../domain/media-buy/order-request.ts'
import type { PricingModel } from '../../domain/product/pricing-option.ts'
import type { TargetingOverlay } from '../../domain/product/targeting-overlay.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { AdServerBackend, InventoryPage } from '../backend.ts'
import type { BackendSetup } from '../backend-setup.ts'
import { plannedAvailability } from '../planned-availability.ts'
import { type ManualOptions, type ManualProduct, readManualOptions } from './manual-options.ts'

/** A person can enter any price. For prices whose cost does not follow from counts, such as flat rates, the imported delivery holds its spend. */
const PRICING = ['cpm', 'vcpm', 'cpc', 'cpv', 'cpcv', 'flat_rate'] as const satisfies readonly PricingModel[]

/** What ad servers commonly target by, so that a person can enter it. */
const TARGETING = [
  ...['geo_countries', 'geo_countries_exclude', 'geo_regions', 'geo_regions_exclude', 'geo_metros', 'geo_metros_exclude'],
  ...['geo_postal_areas', 'geo_postal_areas_exclude', 'device_type', 'device_type_exclude', 'device_platform', 'language'],
  ...['daypart_targets', 'keyword_targets', 'negative_keywords', 'frequency_cap'],
] as readonly (keyof TargetingOverlay)[]

/** Work that one reason names. */
const MOST_NAMED = 10

/**
 * An ad server without an API: orders lie in our store as a sheet of work, people enter them and say so, and report what was delivered. What is there is
 * what was ordered; what a person has not confirmed yet is named as the reason that an order waits for. Throws CONFIGURATION_ERROR for wrong options.
 */
export function createManualBackend({ name, options: given, manual }: BackendSetup): AdServerBackend {
  const options = optionsOf(given)
  const changeLine = (key: OrderKey, externalId: string, change: (line: ManualLine) => ManualLine) =>
    manual.change(key, (order) => {
      const found = required(order, key)
      if (!found.lines.some((line) => line.externalId === externalId))
        throw new Error(`line ${externalId} of order ${key.externalId} was not written yet`)
      return { ...found, lines: found.lines.map((line) => (line.externalId === externalId ? change(line) : line)) }
    })
  return {
    name,
    description: 'An ad server without an API: people enter the orders of a sheet, and import what was delivered.',
    simulated: false,
    capabilities: {
      // A buy is confirmed when a person has entered its lines: until then its task is submitted.
      booking: 'reviewed',
      pricing: PRICING,
      pacing: PACINGS,
      targeting: TARGETING,
      changesLines: true,
      pauses: true,
      ends: true,
      creatives: false,
      dissociates: false,
      reports: { by: 'line', period: 'day' },
    },
    requireKeepable({ productId }) {
      if (!Object.hasOwn(options.products, productId))
        throw new AdcpError('PRODUCT_UNAVAILABLE', `${productId} is not set up in its ad server yet; choose another product`, {
          field: 'product_id',
        })
    },
    async check() {},
    listInventory: async () => inventoryOf(options),
    forecast: async (_tenantId, queries) => plannedAvailability(queries),
    async observe(key) {
      const order = await manual.find(key)
      return order && observed(order)
    },
    putOrder: (key, settings) =>
      manual.change(key, (before) => ({ key, state: before?.state ?? 'active', lines: before?.lines ?? [], settings })),
    setOrderState: (key, state) => manual.change(key, (order) => ({ ...required(order, key), state })),
    async putCreative() {},
    putLine: (key, { externalId }, settings) => {
      const { units, sizes = [] } = productOf(options, settings)
      return manual.change(key, (order) => withLine(required(order, key), externalId, { settings, units, sizes }))
    },
    async associate() {},
    setLineState: (key, { externalId }, state: ServingState) => changeLine(key, externalId, (line) => ({ ...line, state })),
    report: async ({ tenantId, orderExternalIds, since }) => ({
      rows: await manual.delivery(tenantId, orderExternalIds, since),
    }),
  }
}

function optionsOf(options: Readonly<Record<string, unknown>>): ManualOptions {
  try {
    return readManualOptions(options)
  } catch (error) {
    throw new AdcpError('CONFIGURATION_ERROR', error instanceof Error ? error.message : String(error))
  }
}

function productOf({ products }: ManualOptions, { productId }: LineSettings): ManualProduct {
  const found = Object.hasOwn(products, productId) ? products[productId] : undefined
  if (found) return found
  throw new AdcpError(
    'CONFIGURATION_ERROR',
    `adServer.options.products has no "${productId}"; name its units: where people book it`,
  )
}

function required(order: ManualOrder | undefined, { externalId }: OrderKey): ManualOrder {
  if (order) return order
  throw new Error(`order ${externalId} was not written yet`)
}

function withLine(
  order: ManualOrder,
  externalId: string,
  content: Pick<ManualLine, 'settings' | 'units' | 'sizes'>,
): ManualOrder {
  const isNew = !order.lines.some((line) => line.externalId === externalId)
  const fresh: ManualLine = { ...content, externalId, state: 'paused', entered: [], live: [] }
  return {
    ...order,
    lines: isNew
      ? [...order.lines, fresh]
      : order.lines.map((line) => (line.externalId === externalId ? { ...line, ...content } : line)),
  }
}

function inventoryOf({ products }: ManualOptions): InventoryPage {
  const units = Object.values(products).flatMap(({ units, sizes = [] }) => units.map((unit) => [unit, sizes] as const))
  return {
    units: [...new Map(units)].map(([unit, sizes]) => ({
      ...{ id: unit, name: unit, kind: 'ad_unit' },
      ...(sizes.length > 0 && { sizes }),
    })),
  }
}

/** The order as it was written. A creative is on a line when a person said so, and only of a line that was entered. */
function observed(order: ManualOrder): ObservedOrder {
  const work = manualWork(order)
  const entered = order.lines.filter((line) => line.entered.length > 0)
  const creatives = new Map(
    entered.flatMap(({ live }) => live.map((one) => [`${one.externalId} ${one.contentVersion}`, { ...one, id: one.externalId }])),
  )
  return {
    id: order.key.externalId,
    state: order.state,
    settings: order.settings,
    lines: order.lines.map((line) => ({
      id: line.externalId,
      externalId: line.externalId,
      // What was never entered waits for a person. A line that is not active yet is brought to its state first.
      state: line.entered.length === 0 && line.state === 'active' ? 'waiting' : line.state,
      settings: line.settings,
      associations: line.entered.length === 0 ? [] : line.live.map((one) => ({ creativeExternalId: one.externalId })),
    })),
    creatives: [...creatives.values()],
    ...(work.length > 0 && { reason: reasonOf(work) }),
  }
}

function reasonOf(work: readonly ManualWork[]): string {
  const named = work.slice(0, MOST_NAMED).map(({ task, line }) => `${task} ${line.externalId}`)
  const rest = work.length > named.length ? ` and ${work.length - named.length} more` : ''
  return `to be entered by hand (sales-agent adservers sheet --orders): ${named.join(', ')}${rest}`
}
