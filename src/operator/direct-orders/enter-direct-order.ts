import type { DirectDifference } from '../../ad-serving/house/direct-difference.ts'
import type { DirectOrder } from '../../ad-serving/house/direct-order.ts'
import { orderSettingsOf } from '../../ad-serving/house/direct-order.ts'
import { type DirectOrderParts, putDirectOrder, type WrittenDirectOrder } from '../../ad-serving/house/direct-orders.ts'
import { directRecordOf } from '../../ad-serving/house/direct-record.ts'
import { DIRECT } from '../../ad-serving/house/stored-direct-order.ts'
import { adsOrigin } from '../../config/ads-settings.ts'
import { publicOrigin } from '../../config/config.ts'
import { timeZoneOf } from '../../domain/identity/publisher-settings.ts'
import { microsToAmount } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Validate } from '../../protocol/schemas.ts'
import type { Db } from '../../store/database.ts'
import { findHouseOrderByAnchor } from '../../store/house/house-orders.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { createProductCache } from '../../store/product/product-cache.ts'
import { auditedStore, tryOut } from '../audited-store.ts'
import { type ImportFile, readDocument } from '../imports/import-document.ts'
import type { OperatorContext } from '../operator-context.ts'
import { type ShownDirectOrder, showDirectOrder } from './direct-orders.ts'

/** What entering a direct order would come to. Budgets are in units of `currency`; null: not limited. */
export interface DirectOrderConsequences {
  readonly order_id: string
  /** Of the order as it is; 0: it would be entered anew. */
  readonly revision: number
  readonly changed: boolean
  readonly currency: string
  readonly budget_before: number | null
  readonly budget_after: number | null
  readonly differences: readonly DirectDifference[]
  /** Impressions that guaranteed lines would hold more of each product; less than 0: that others can have. */
  readonly held: readonly { readonly product_id: string; readonly impressions: number }[]
  readonly warnings: readonly string[]
}

/**
 * Enters an order that the publisher's people sold, or changes the one of the same id, from a file (schemas/direct-order.json). Throws INVALID_REQUEST with one
 * issue a problem, PRODUCT_NOT_FOUND, PRODUCT_UNAVAILABLE when a day would be sold twice, INVALID_STATE for an order that has ended, CONFLICT for another revision than
 * the one that is given (0: it has to be new).
 */
export async function enterDirectOrder(
  context: OperatorContext,
  tenantId: string,
  file: ImportFile,
  revision?: number,
): Promise<ShownDirectOrder> {
  const { order, parts, known } = await prepare(context, tenantId, file)
  const task = known === 0 ? 'direct-orders.put' : 'direct-orders.change'
  const audited = auditedStore(context, { task, tenant: tenantId, subject: order.order_id })
  // Without a revision from the caller, the one just read: it chose the name in the audit log, so an order that somebody enters meanwhile is a conflict.
  await audited.transaction((tx) => putDirectOrder(tx, tenantId, order, { ...parts, revision: revision ?? known }))
  return showDirectOrder(context, tenantId, order.order_id)
}

/** What entering an order, or changing it, would come to: it is tried, and nothing of it is stored. Throws what entering would throw. */
export async function previewDirectOrder(
  context: OperatorContext,
  tenantId: string,
  file: ImportFile,
  revision?: number,
): Promise<DirectOrderConsequences> {
  const { order, parts, known } = await prepare(context, tenantId, file)
  const written = await tryOut(context, (tx) => putDirectOrder(tx, tenantId, order, { ...parts, revision }))
  const { before, after, differences, heldChanges } = written
  const lines = before ? (await showDirectOrder(context, tenantId, order.order_id)).lines : []
  return {
    order_id: order.order_id,
    revision: known,
    changed: before === undefined || differences.length > 0,
    currency: after.currency ?? '',
    budget_before: before ? budgetOf(before) : null,
    budget_after: budgetOf(after),
    differences,
    held: [...heldChanges].map(([product_id, impressions]) => ({ product_id, impressions })),
    warnings: warningsOf(written, lines, context.clock()),
  }
}

/** What entering an order and trying it out begin with; `known`: the revision that is stored, 0 for a new order. */
async function prepare(context: OperatorContext, tenantId: string, file: ImportFile) {
  const order = readOrder(context, file)
  const parts = await partsOf(context, tenantId)
  return { order, parts, known: await revisionOf(context.store.read, tenantId, order.order_id) }
}

async function partsOf(
  { store, config, clock, actor }: OperatorContext,
  tenantId: string,
): Promise<Omit<DirectOrderParts, 'revision'>> {
  const tenant = await findTenant(store.read, tenantId)
  if (!tenant) throw new AdcpError('REFERENCE_NOT_FOUND', `there is no publisher ${tenantId}`, { field: 'tenant' })
  const origin = publicOrigin(config)
  const { byId } = await createProductCache(`${origin}/mcp`).get(store.read, tenant, undefined)
  return {
    now: clock(),
    person: actor.credential,
    timeZone: timeZoneOf(tenant.settings, config.ads.timeZone),
    filesOrigin: adsOrigin(config.ads, origin),
    productOf(productId: string) {
      const product = byId.get(productId)
      if (!product) return undefined
      const places = (product.offer.placements ?? []).map(({ placement_id }) => placement_id)
      return { dailyCapacity: product.selling.dailyCapacity, places }
    },
  }
}

async function revisionOf(db: Db, tenantId: string, orderId: string): Promise<number> {
  const known = await findHouseOrderByAnchor(db, tenantId, `${DIRECT}${orderId}`)
  return known ? directRecordOf(known).revision : 0
}

/** Null for an order with a line without a goal, which costs what it delivers. */
function budgetOf(order: DirectOrder): number | null {
  if (order.lines.some(({ impressions }) => impressions === undefined)) return null
  return microsToAmount(orderSettingsOf(order).budgetMicros)
}

/** What a person should know before the change is made: lines that end, are over, or have delivered their new goal. */
function warningsOf({ before, after }: WrittenDirectOrder, delivered: ShownDirectOrder['lines'], now: Date): string[] {
  const impressionsOf = (id: string) => delivered.find(({ line_id }) => line_id === id)?.impressions ?? 0
  const remaining = new Set(after.lines.map(({ line_id }) => line_id))
  const gone = (before?.lines ?? []).filter(({ line_id }) => !remaining.has(line_id))
  return [
    ...gone.map(({ line_id: id }) => `${id} ends: it is not served any more, after ${impressionsOf(id)} impressions`),
    ...after.lines.flatMap(({ line_id: id, ends_at: end, impressions: goal }) => {
      if (Date.parse(end) <= now.getTime()) return [`${id} is over: its flight ended at ${end}`]
      const had = impressionsOf(id)
      return goal !== undefined && had >= goal
        ? [`${id} has delivered ${had} impressions, its goal of ${goal}: it is not served any more`]
        : []
    }),
  ]
}

function readOrder({ schemas }: OperatorContext, file: ImportFile): DirectOrder {
  const validate = schemas.validator('own:direct-order.json')
  return readDocument(file, (value) => {
    const problems: { readonly pointer: string; readonly message: string }[] = []
    return isOrder(value, validate, problems) ? { ok: true, file: value } : { ok: false, problems }
  })
}

/** The schema describes {@link DirectOrder}. */
function isOrder(
  value: unknown,
  validate: Validate,
  problems: { readonly pointer: string; readonly message: string }[],
): value is DirectOrder {
  problems.push(...validate(value))
  return problems.length === 0
}
