import type { DeliveryRow } from '../../domain/ad-serving/delivery-row.ts'
import type {
  Association,
  DesiredCreative,
  LineSettings,
  OrderKey,
  OrderSettings,
} from '../../domain/ad-serving/desired-order.ts'
import type { Assets } from '../../domain/creative/assets.ts'
import type { Format } from '../../domain/creative/formats/format.ts'
import type { FormatKey } from '../../domain/creative/formats/format-id.ts'
import { PACINGS } from '../../domain/media-buy/order-request.ts'
import { sameValue } from '../../domain/same-value.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db, Store } from '../../store/database.ts'
import { putEmbeddedCreatives, replaceEmbeddedAssociations } from '../../store/embedded/creatives.ts'
import { replaceEmbeddedFileUses } from '../../store/embedded/files.ts'
import { requireEmbeddedList } from '../../store/embedded/lists.ts'
import {
  type EmbeddedLineRow,
  findEmbeddedOrderByAnchor,
  listEmbeddedLines,
  putEmbeddedLine,
  putEmbeddedOrder,
  setEmbeddedState,
} from '../../store/embedded/orders.ts'
import { embeddedReportMarks } from '../../store/embedded/reports.ts'
import type { AdServerBackend, InventoryPage } from '../backend.ts'
import { EMBEDDED } from '../external-id.ts'
import { plannedAvailability } from '../planned-availability.ts'
import { KEPT_PRICING } from './billing.ts'
import { creativeTermsOf } from './creative-terms.ts'
import { creativeIdOf, lineIdOf, orderIdOf } from './embedded-ids.ts'
import { reportHours } from './embedded-report.ts'
import type { FetchCreativeFile } from './files/fetch-creative-file.ts'
import { type HostedTerms, hostContent, linkedContent } from './files/host-content.ts'
import { storeFilesOf } from './files/store-files.ts'
import { requireCountable } from './frequency.ts'
import { listsOfLine } from './line-lists.ts'
import { committedMicros, KEPT_CHANNELS, KEPT_FORMATS, type KnownPlaces, keptTargeting, lineTermsOf } from './line-terms.ts'
import { observeEmbeddedOrder } from './observe-order.ts'
import type { AssociationDocument, CreativeDocument, LineDocument, OrderDocument } from './stored-documents.ts'

export interface EmbeddedBackendParts {
  readonly store: Store
  readonly clock: () => Date
  /** Fetches files of creatives, to host them; absent: they stay where buyers put them. */
  readonly fetchFile?: FetchCreativeFile | undefined
  /** Whether the country and the region of a visitor are known. */
  readonly places: KnownPlaces
  /** How often counted delivery goes into the ledger. */
  readonly reportEveryMs: number
  /** How often that of an order goes there while someone reads it. */
  readonly liveEveryMs: number
  /** IANA time zone of the dayparts of a publisher. */
  timeZoneOf(tenantId: string): Promise<string>
  /** Ids of the placements that a product is shown on; tags may name the product itself too. */
  placesOf(tenantId: string, productId: string): Promise<readonly string[]>
  /** The format that a creative names, where the publisher knows it. */
  formatOf(tenantId: string, formatId: FormatKey): Promise<Format | undefined>
  /** Placements of a publisher. */
  listInventory(tenantId: string): Promise<InventoryPage>
}

/** The ad server of this program itself, as orders are reconciled with it: what is written here is what decisions are made on. */
export function createEmbeddedBackend(parts: EmbeddedBackendParts): AdServerBackend {
  const { store, clock } = parts
  const write = writing(store)
  return {
    name: EMBEDDED,
    description: 'Embedded ad server: what is sold is served by this program, and reports count what was shown.',
    simulated: false,
    capabilities: {
      booking: 'at_once',
      pricing: KEPT_PRICING,
      pacing: PACINGS,
      targeting: keptTargeting(parts.places),
      dailyCaps: true,
      countsByCreative: true,
      formats: KEPT_FORMATS,
      channels: KEPT_CHANNELS,
      changesLines: true,
      pauses: true,
      ends: true,
      creatives: true,
      dissociates: true,
      reports: { by: 'creative', period: 'hour', everyMs: parts.reportEveryMs },
    },
    requireKeepable: ({ targeting }) => requireCountable(targeting?.frequency_cap),
    check: () => store.ping(),
    listInventory: (tenantId) => parts.listInventory(tenantId),
    forecast: async (_tenantId, queries) => plannedAvailability(queries),
    observe: (order) => observeEmbeddedOrder(store.read, order),
    putOrder: (order, settings) => write((tx) => putOrder(tx, order, settings, clock())),
    setOrderState: ({ tenantId, externalId }, state) =>
      write((tx) => setEmbeddedState(tx, tenantId, { orderId: orderIdOf(tenantId, externalId) }, state, clock())),
    putCreative: (order, creative) => putCreative(parts, order, creative),
    putLine: (order, { externalId }, settings) => putLine(parts, order, externalId, settings),
    associate: (order, { externalId }, associations) => associate(store, order, externalId, associations),
    setLineState: ({ tenantId, externalId }, line, state) => {
      const orderId = orderIdOf(tenantId, externalId)
      const lineIds = [lineIdOf(orderId, line.externalId)]
      return write((tx) => setEmbeddedState(tx, tenantId, { orderId, lineIds }, state, clock()))
    },
    async report({ tenantId, orderExternalIds, since }) {
      return { rows: wholeFlights(await reportHours(store.read, tenantId, orderExternalIds, clock().getTime()), since) }
    },
    liveReports: {
      everyMs: parts.liveEveryMs,
      marks(tenantId, anchors) {
        const endedBefore = new Date(clock().getTime() - LATEST_EVENT_MS)
        return embeddedReportMarks(store.read, tenantId, { anchors, endedBefore })
      },
    },
  }
}

/** Lines that delivered since a day, with all of their hours: what an hour is charged follows from the hours before it, so rows of two moments do not add up. */
function wholeFlights(rows: readonly DeliveryRow[], since: string): DeliveryRow[] {
  const lines = new Set(rows.filter(({ period }) => period >= since).map(({ lineExternalId }) => lineExternalId))
  return rows.filter(({ lineExternalId }) => lines.has(lineExternalId))
}

/** Events of an ad count for six hours after its decision; a day is more than enough for clocks that differ. */
const LATEST_EVENT_MS = 86_400_000

/** Writes without waiting for the disk: the reconciler finds out what a crash of the machine forgot, and writes it again. */
function writing({ transaction }: Store) {
  return (work: (tx: Db) => Promise<void>): Promise<void> => transaction(work, { durability: 'lazy' })
}

/** A new order is active. */
async function putOrder(tx: Db, { tenantId, externalId }: OrderKey, settings: OrderSettings, now: Date): Promise<void> {
  const orderId = orderIdOf(tenantId, externalId)
  const known = await findEmbeddedOrderByAnchor(tx, tenantId, externalId)
  const document: OrderDocument = { settings }
  const row = { orderId, anchor: externalId, state: known?.state ?? ('active' as const), document: JSON.stringify(document) }
  await putEmbeddedOrder(tx, tenantId, row, now)
}

/** A creative that nothing can be served of is stored as rejected, so that the rest of its order serves, and its buyer learns why. */
async function putCreative(
  parts: EmbeddedBackendParts,
  { tenantId, externalId }: OrderKey,
  { externalId: anchor, contentVersion, ...creative }: DesiredCreative,
): Promise<void> {
  const { store, clock } = parts
  const orderId = orderIdOf(tenantId, externalId)
  const creativeId = creativeIdOf(orderId, anchor)
  const served = await servedOf(parts, tenantId, creative, orderId)
  const document: CreativeDocument =
    'rejection' in served
      ? { externalId: anchor, contentVersion, rejection: served.rejection }
      : { externalId: anchor, contentVersion, terms: served.terms }
  await writing(store)(async (tx) => {
    await replaceEmbeddedFileUses(tx, tenantId, creativeId, 'rejection' in served ? [] : served.fileIds)
    await putEmbeddedCreatives(tx, tenantId, [{ creativeId, orderId, anchor, document: JSON.stringify(document) }], clock())
  })
}

/** What is served of a creative, its files hosted or linked, or why nothing is. Throws when a file cannot be fetched for now. */
async function servedOf(
  parts: EmbeddedBackendParts,
  tenantId: string,
  { name, formatId, assets }: Pick<DesiredCreative, 'name' | 'formatId' | 'assets'>,
  orderId: string,
): Promise<HostedTerms | { readonly rejection: string }> {
  // Assets were held to their schema when the buyer sent them.
  const wanted = creativeTermsOf({ name, formatId, assets: assets as Assets, tags: [] }, await parts.formatOf(tenantId, formatId))
  if (!wanted) return { rejection: NOTHING_TO_SHOW }
  try {
    const { fetchFile, store, clock } = parts
    return fetchFile
      ? await hostContent(wanted, { fetchFile, storeFile: storeFilesOf(store, tenantId, clock), sender: orderId })
      : linkedContent(wanted)
  } catch (error) {
    if (error instanceof AdcpError && error.code === 'CREATIVE_REJECTED') return { rejection: error.message }
    throw error
  }
}

const NOTHING_TO_SHOW =
  'it has nothing that the ad server of the publisher shows: send an image, HTML, a script, a video file, a VAST address or a native title, in a format of known size'

/** A new line is paused and shows nothing. */
async function putLine(
  { store, clock, placesOf, timeZoneOf }: EmbeddedBackendParts,
  { tenantId, externalId }: OrderKey,
  lineExternalId: string,
  settings: LineSettings,
): Promise<void> {
  const orderId = orderIdOf(tenantId, externalId)
  const lineId = lineIdOf(orderId, lineExternalId)
  const places = [...new Set([...(await placesOf(tenantId, settings.productId)), settings.productId])]
  const timeZone = await timeZoneOf(tenantId)
  const needed = listsOfLine(settings.targeting, externalId)
  const lists = Object.fromEntries(needed.map(({ dimension, listKey }) => [dimension, listKey]))
  await writing(store)(async (tx) => {
    const order = await findEmbeddedOrderByAnchor(tx, tenantId, externalId)
    if (!order) throw new AdcpError('SERVICE_UNAVAILABLE', `order ${externalId} is not written yet`)
    const { settings: own }: OrderDocument = JSON.parse(order.document)
    const known = (await listEmbeddedLines(tx, tenantId, orderId)).find((line) => line.lineId === lineId)
    const before: LineDocument | undefined = known && JSON.parse(known.document)
    const document: LineDocument = {
      settings,
      terms: lineTermsOf(lineExternalId, settings, { currency: own.currency, places, timeZone, lists }),
      // What was charged under an earlier, larger budget stays charged.
      committedMicros: Math.max(before?.committedMicros ?? 0, committedMicros(settings)),
      ...dayLimitsOf(before, settings, clock()),
    }
    const row: EmbeddedLineRow = {
      lineId,
      orderId,
      anchor: lineExternalId,
      state: known?.state ?? 'paused',
      endsAt: settings.endsAt,
      document: JSON.stringify(document),
    }
    await putEmbeddedLine(tx, tenantId, row, clock())
    for (const { reference, ...list } of needed)
      await requireEmbeddedList(tx, tenantId, { ...list, reference: JSON.stringify(reference) }, settings.endsAt, clock())
  })
}

/** The limits by the day that a line has had, with the one that it gets now; nothing for one that never had any. */
function dayLimitsOf(before: LineDocument | undefined, { dailyCap }: LineSettings, now: Date): Pick<LineDocument, 'dayLimits'> {
  const past = before?.dayLimits ?? (before ? [{ from: '', ...before.settings.dailyCap }] : [])
  const { from: _from, ...last } = past.at(-1) ?? { from: '' }
  const next = dailyCap ?? {}
  const all = past.length > 0 && sameValue(last, next) ? past : [...past, { from: now.toISOString(), ...next }]
  return all.some((each) => Object.keys(each).length > 1) ? { dayLimits: all } : {}
}

function associate(
  store: Store,
  { tenantId, externalId }: OrderKey,
  lineExternalId: string,
  associations: readonly Association[],
): Promise<void> {
  const orderId = orderIdOf(tenantId, externalId)
  const lineId = lineIdOf(orderId, lineExternalId)
  const rows = associations.map((association) => {
    const document: AssociationDocument = { association }
    return { lineId, creativeId: creativeIdOf(orderId, association.creativeExternalId), document: JSON.stringify(document) }
  })
  return writing(store)((tx) => replaceEmbeddedAssociations(tx, tenantId, [lineId], rows))
}
