import type { ServingState } from '../../domain/ad-serving/desired-order.ts'
import type { Flight } from '../../domain/media-buy/flight.ts'
import { HeldInventory } from '../../domain/media-buy/held-inventory.ts'
import { type Holding, requireCapacity, reservationChanges } from '../../domain/media-buy/inventory.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { putHouseCreative, replaceHouseAssociations } from '../../store/house/house-creatives.ts'
import { findBundleFile } from '../../store/house/house-files.ts'
import {
  findHouseOrderByAnchor,
  type HouseOrderRow,
  listHouseLines,
  putHouseLine,
  putHouseOrder,
  setHouseState,
} from '../../store/house/house-orders.ts'
import { moveReservation } from '../../store/media-buy/inventory.ts'
import {
  currencyOf,
  type DirectLine,
  type DirectOrder,
  type HostedBundle,
  hostedBundleOf,
  orderSettingsOf,
  settingsOfDirectLine,
  termsOfDirectCreative,
  termsOfDirectLine,
} from './direct-order.ts'
import { creativeIdOf, lineIdOf, orderIdOf } from './house-ids.ts'
import type { AssociationDocument, CreativeDocument, LineDocument, OrderDocument } from './stored-documents.ts'

/** What direct orders are stored under: no media buy has an id that begins like this. */
export const DIRECT = 'direct:'

export interface DirectOrderParts {
  readonly now: Date
  /** IANA name. */
  readonly timeZone: string
  /** What a product has to sell a day and where it is shown; undefined for a product that does not exist. */
  productOf(productId: string): { readonly dailyCapacity: number; readonly places: readonly string[] } | undefined
}

/**
 * Writes a direct order, or changes the one of the same id: what it no longer names ends. Guaranteed lines hold inventory, as packages of buyers do.
 * Throws PRODUCT_NOT_FOUND, PRODUCT_UNAVAILABLE when a day would be sold twice, INVALID_REQUEST, INVALID_STATE for an order that has ended.
 */
export async function putDirectOrder(tx: Db, tenantId: string, order: DirectOrder, parts: DirectOrderParts): Promise<void> {
  const anchor = `${DIRECT}${order.order_id}`
  const orderId = orderIdOf(tenantId, anchor)
  const known = await findHouseOrderByAnchor(tx, tenantId, anchor)
  if (known?.state === 'ended')
    throw new AdcpError('INVALID_STATE', `direct order ${order.order_id} has ended; enter it under another id`, {
      field: 'order_id',
    })
  requireSense(order)
  const before = await documentsOf(tx, tenantId, orderId)
  const currency = currencyOf(order)
  const settings = orderSettingsOf(order)
  const document: OrderDocument = { settings }
  const row = { orderId, anchor, state: known?.state ?? ('active' as const), document: JSON.stringify(document) }
  await putHouseOrder(tx, tenantId, row, parts.now)
  const after = new Map<string, LineDocument>()
  for (const [index, line] of order.lines.entries()) {
    const lineId = lineIdOf(orderId, anchorOf(order.order_id, line))
    const product = parts.productOf(line.product_id)
    if (!product)
      throw new AdcpError('PRODUCT_NOT_FOUND', `there is no product ${line.product_id}`, { field: `lines[${index}].product_id` })
    const places = [...new Set([...product.places, line.product_id])]
    const lineDocument = lineDocumentOf(line, { currency, places, timeZone: parts.timeZone }, before.get(lineId))
    after.set(lineId, lineDocument)
    const { endsAt } = lineDocument.settings
    const lineRow = { lineId, orderId, anchor: anchorOf(order.order_id, line), state: 'active' as const, endsAt }
    await putHouseLine(tx, tenantId, { ...lineRow, document: JSON.stringify(lineDocument) }, parts.now)
    await putCreatives(tx, tenantId, { orderId, lineId, line, at: `lines[${index}]` }, parts.now)
  }
  const gone = [...before.keys()].filter((lineId) => !after.has(lineId))
  await setHouseState(tx, tenantId, { orderId, lineIds: gone }, 'ended', parts.now)
  await moveHoldings(tx, tenantId, [...before.values()], [...after.values()], parts)
  for (const lineId of gone) await release(tx, tenantId, orderId, lineId, parts.now)
}

/** Pauses, resumes or ends a direct order; one that ends gives back what it holds. Throws REFERENCE_NOT_FOUND, INVALID_STATE. */
export async function setDirectOrderState(
  tx: Db,
  tenantId: string,
  externalId: string,
  state: ServingState,
  now: Date,
): Promise<void> {
  const { orderId, state: current } = await getDirectOrder(tx, tenantId, externalId)
  if (current === 'ended' && state !== 'ended')
    throw new AdcpError('INVALID_STATE', `direct order ${externalId} has ended; enter it under another id`, { field: 'order_id' })
  await setHouseState(tx, tenantId, { orderId }, state, now)
  if (state !== 'ended') return
  const documents = await documentsOf(tx, tenantId, orderId)
  await moveHoldings(tx, tenantId, [...documents.values()], [], { productOf: () => undefined })
  for (const lineId of documents.keys()) await release(tx, tenantId, orderId, lineId, now)
}

/** Throws REFERENCE_NOT_FOUND. */
export async function getDirectOrder(db: Db, tenantId: string, externalId: string): Promise<HouseOrderRow> {
  const found = await findHouseOrderByAnchor(db, tenantId, `${DIRECT}${externalId}`)
  if (!found) throw new AdcpError('REFERENCE_NOT_FOUND', `${tenantId} has no direct order ${externalId}`, { field: 'order_id' })
  return found
}

function requireSense({ lines }: DirectOrder): void {
  const ids = new Set<string>()
  for (const [index, line] of lines.entries()) {
    const field = (name: string) => ({ field: `lines[${index}].${name}` })
    if (ids.has(line.line_id))
      throw new AdcpError('INVALID_REQUEST', `two lines have the id ${line.line_id}; give each its own`, field('line_id'))
    ids.add(line.line_id)
    if (Date.parse(line.ends_at) <= Date.parse(line.starts_at))
      throw new AdcpError('INVALID_REQUEST', `${line.ends_at} is not after starts_at (${line.starts_at})`, field('ends_at'))
    if ((line.priority ?? 'guaranteed') === 'guaranteed' && line.impressions === undefined)
      throw new AdcpError(
        'INVALID_REQUEST',
        'a guaranteed line needs a goal; give impressions, or priority standard or house',
        field('impressions'),
      )
  }
}

function anchorOf(orderId: string, { line_id }: DirectLine): string {
  return `${DIRECT}${orderId}/${line_id}`
}

function lineDocumentOf(
  line: DirectLine,
  context: { readonly currency: string; readonly places: readonly string[]; readonly timeZone: string },
  before: LineDocument | undefined,
): LineDocument {
  const settings = settingsOfDirectLine(line)
  const isHeld = settings.priority === 'guaranteed' && line.impressions !== undefined
  return {
    settings,
    terms: termsOfDirectLine(line, context),
    committedMicros: Math.max(before?.committedMicros ?? 0, settings.budgetMicros),
    ...(isHeld && { held: holdingOf(line.product_id, line.impressions, settings) }),
  }
}

function holdingOf(productId: string, reservedImpressions: number, { startsAt, endsAt }: Flight): Holding {
  return { productId, reservedImpressions, terms: { startsAt, endsAt } }
}

async function documentsOf(tx: Db, tenantId: string, orderId: string): Promise<Map<string, LineDocument>> {
  const lines = await listHouseLines(tx, tenantId, orderId)
  return new Map(
    lines.map(({ lineId, document }) => {
      const parsed: LineDocument = JSON.parse(document)
      return [lineId, parsed]
    }),
  )
}

/** A line with where it is in its order. */
interface PlacedLine {
  readonly orderId: string
  readonly lineId: string
  readonly line: DirectLine
  readonly at: string
}

async function putCreatives(tx: Db, tenantId: string, { orderId, lineId, line, at }: PlacedLine, now: Date): Promise<void> {
  const associations: { readonly creativeId: string; readonly document: string }[] = []
  for (const [index, creative] of line.creatives.entries()) {
    const bundle =
      creative.html5 && (await requireBundle(tx, tenantId, creative.html5.url, `${at}.creatives[${index}].html5.url`))
    const anchor = `${line.line_id}/${creative.creative_id}`
    const creativeId = creativeIdOf(orderId, anchor)
    const document: CreativeDocument = {
      externalId: creative.creative_id,
      contentVersion: '',
      terms: termsOfDirectCreative(creative, bundle),
    }
    await putHouseCreative(tx, tenantId, { creativeId, orderId, anchor, document: JSON.stringify(document) }, now)
    const association: AssociationDocument = {
      association: { creativeExternalId: creative.creative_id, weight: creative.weight ?? null, placementIds: null },
    }
    associations.push({ creativeId, document: JSON.stringify(association) })
  }
  await replaceHouseAssociations(tx, tenantId, lineId, associations)
}

/** Throws INVALID_REQUEST for an address that is no page of an archive hosted for this publisher. */
async function requireBundle(db: Db, tenantId: string, url: string, field: string): Promise<HostedBundle> {
  const bundle = hostedBundleOf(tenantId, url)
  if (bundle && (await findBundleFile(db, tenantId, bundle.bundleId, bundle.entryPoint)) !== undefined) return bundle
  throw new AdcpError(
    'INVALID_REQUEST',
    'is not the page of an HTML5 archive that is hosted here; host the archive (sales-agent creatives upload, or Host a file in the console) and send the address that this gives',
    { field },
  )
}

/** Moves what lines hold of the real inventory. Throws PRODUCT_UNAVAILABLE for the first day that would be sold twice. */
async function moveHoldings(
  tx: Db,
  tenantId: string,
  before: readonly LineDocument[],
  after: readonly LineDocument[],
  { productOf }: Pick<DirectOrderParts, 'productOf'>,
): Promise<void> {
  const heldBy = (documents: readonly LineDocument[]) => documents.flatMap(({ held }) => (held ? [held] : []))
  for (const [productId, changes] of reservationChanges(heldBy(before), heldBy(after))) {
    const held = new HeldInventory(await moveReservation(tx, { tenantId, pool: '' }, productId, changes))
    const index = after.findIndex(({ settings }) => settings.productId === productId)
    const product = productOf(productId)
    if (product) requireCapacity(productId, product.dailyCapacity, { changes, held }, `lines[${index}]`)
  }
}

/** A line that ended holds nothing any more. */
async function release(tx: Db, tenantId: string, orderId: string, lineId: string, now: Date): Promise<void> {
  const line = (await listHouseLines(tx, tenantId, orderId)).find((each) => each.lineId === lineId)
  if (!line) return
  const { held: _held, ...document }: LineDocument = JSON.parse(line.document)
  await putHouseLine(tx, tenantId, { ...line, document: JSON.stringify(document) }, now)
}
