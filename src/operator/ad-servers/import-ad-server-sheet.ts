import { importReport } from '../../ad-serving/reconcile/import-report.ts'
import { chargedMicros } from '../../domain/ad-serving/charged.ts'
import { type ManualLine, type ManualOrder, versionOf } from '../../domain/ad-serving/manual-order.ts'
import { makeDue } from '../../store/ad-serving/ad-server-orders.ts'
import { currentDelivery } from '../../store/ad-serving/delivery-ledger.ts'
import { findManualOrder, type ManualDay, saveManualDelivery, saveManualOrder } from '../../store/ad-serving/manual-orders.ts'
import { buysOfPackages } from '../../store/ad-serving/reported-lines.ts'
import type { Db } from '../../store/database.ts'
import type { ActContext } from '../act.ts'
import type { ImportFile } from '../imports/import-document.ts'
import { type FileProblem, importError } from '../imports/import-problems.ts'
import {
  type AdServerSheet,
  type DeliveredRow,
  type EnteredRow,
  type LiveRow,
  readAdServerSheet,
} from './read-ad-server-sheet.ts'
import { changedDelivery, changedOrders } from './sheet-changes.ts'
import { getBackend } from './show-ad-servers.ts'

/** What an import did. */
export interface ImportedSheet {
  readonly ad_server: string
  readonly kind: AdServerSheet['kind']
  /** Rows that say something. */
  readonly rows: number
  /** New or corrected rows in the ledger, for a sheet of delivery; of them those that correct another one. */
  readonly ledger_rows: number
  readonly ledger_corrected: number
}

/** Longest call, in milliseconds. */
const CALL_MS = 30_000
/** Media buys of one report. */
const MOST_BUYS = 100
/** Versions of a line that are remembered. */
const MOST_VERSIONS = 20

/**
 * Takes over what people did at an ad server without an API: lines that they entered, creatives that are on them, delivery that it counted. All of the
 * sheet or nothing. Throws INVALID_REQUEST that names each wrong line, REFERENCE_NOT_FOUND for an ad server that does not exist.
 */
export async function importAdServerSheet(
  context: ActContext,
  tenantId: string,
  { adServer, file }: { readonly adServer?: string | undefined; readonly file: ImportFile },
): Promise<ImportedSheet> {
  const { clock, services, store } = context
  const { name } = await getBackend(context, tenantId, adServer)
  const sheet = await readAdServerSheet(file, clock().toISOString().slice(0, 10))
  context.noteSubject(name)
  const before = sheet.kind === 'delivery' ? await revisionsOf(context, tenantId, sheet.rows) : new Map<string, number>()
  const buys = await store.transaction(async (tx) => {
    const lines = await manualLines(tx, { tenantId, adServer: name, file, rows: sheet.rows })
    if (sheet.kind === 'delivery') {
      const days = daysOf(sheet.rows, lines, file)
      context.noteAllChanges(await changedDelivery(tx, { tenantId, adServer: name }, days))
      await saveManualDelivery(tx, name, days)
    } else {
      const orders = sheet.kind === 'orders' ? entered(sheet.rows, lines, file) : shown(sheet.rows, lines)
      context.noteAllChanges(await changedOrders(tx, name, orders))
      for (const order of orders) await saveManualOrder(tx, name, order)
    }
    const ids = [...new Set([...lines.values()].map(({ order }) => order.key.externalId))]
    for (const mediaBuyId of ids) await makeDue(tx, tenantId, { adServer: name, mediaBuyId }, clock())
    return ids
  })
  const done = { ad_server: name, kind: sheet.kind, rows: sheet.rows.length }
  if (sheet.kind !== 'delivery') return { ...done, ledger_rows: 0, ledger_corrected: 0 }
  const { backends } = await services.adServers()
  const since = sheet.rows.map(({ day }) => day).sort()[0] ?? ''
  for (let at = 0; at < buys.length; at += MOST_BUYS) {
    const part = { tenantId, adServer: name, mediaBuyIds: buys.slice(at, at + MOST_BUYS), since, callMs: CALL_MS }
    await importReport({ store, clock, backends }, part)
  }
  // Counted by what is there, since a background job may have imported a part of it.
  const after = await revisionsOf(context, tenantId, sheet.rows)
  const changed = [...after].filter(([key, revision]) => revision !== before.get(key))
  const corrected = changed.filter(([key]) => before.has(key)).length
  return { ...done, ledger_rows: changed.length, ledger_corrected: corrected }
}

/** The newest revision of each row of the ledger that a sheet of delivery is about. */
async function revisionsOf(
  { store }: ActContext,
  tenantId: string,
  rows: readonly DeliveredRow[],
): Promise<ReadonlyMap<string, number>> {
  const days = rows.map(({ day }) => day).sort()
  const packages = [...new Set(rows.map(({ packageId }) => packageId))]
  const found = await currentDelivery(store.read, tenantId, packages, { first: days[0], last: days.at(-1) })
  const asked = new Set(rows.map(({ packageId, day }) => `${packageId} ${day}`))
  return new Map(
    found.flatMap(({ packageId, period, creativeId, revision }) =>
      asked.has(`${packageId} ${period}`) ? [[`${packageId} ${period} ${creativeId}`, revision] as const] : [],
    ),
  )
}

interface LineAt {
  readonly order: ManualOrder
  readonly line: ManualLine
}

interface SheetRows {
  readonly tenantId: string
  readonly adServer: string
  readonly file: ImportFile
  readonly rows: readonly { readonly line: number; readonly packageId: string }[]
}

/** The line of each package of a sheet. Throws INVALID_REQUEST for packages that the ad server does not have. */
async function manualLines(tx: Db, { tenantId, adServer, file, rows }: SheetRows): Promise<ReadonlyMap<string, LineAt>> {
  const packageIds = [...new Set(rows.map(({ packageId }) => packageId))]
  const buys = await buysOfPackages(tx, tenantId, packageIds)
  const lines = new Map<string, LineAt>()
  for (const externalId of new Set(buys.values())) {
    const order = await findManualOrder(tx, adServer, { tenantId, externalId })
    for (const line of order?.lines ?? []) if (order) lines.set(line.externalId, { order, line })
  }
  const message = `is no package of an order that people enter at ${adServer}; adservers sheet --orders --all lists them`
  refuse(
    file,
    rows
      .filter(({ packageId }) => !lines.has(packageId))
      .map(({ line, packageId }) => ({ line, message: `"${packageId}" ${message}` })),
  )
  return new Map(
    packageIds.flatMap((id) => {
      const found = lines.get(id)
      return found ? [[id, found] as const] : []
    }),
  )
}

function refuse(file: ImportFile, problems: readonly FileProblem[]): void {
  if (problems.length > 0) throw importError(file, problems)
}

/** Orders with the lines that were entered. Throws INVALID_REQUEST for lines that have changed since the sheet was made. */
function entered(rows: readonly EnteredRow[], lines: ReadonlyMap<string, LineAt>, file: ImportFile): readonly ManualOrder[] {
  const stale = rows.filter(({ packageId, version }) => {
    const at = lines.get(packageId)
    return at && versionOf(at.order, at.line) !== version
  })
  const message = 'has changed since the sheet was made; take a new one: adservers sheet --orders --csv'
  refuse(
    file,
    stale.map(({ line, packageId }) => ({ line, message: `"${packageId}" ${message}` })),
  )
  const versions = new Map(rows.map(({ packageId, version }) => [packageId, version]))
  return changed(lines, (line) => {
    const version = versions.get(line.externalId)
    if (version === undefined || line.entered.at(-1) === version) return line
    return { ...line, entered: [...line.entered, version].slice(-MOST_VERSIONS) }
  })
}

/** Orders with the creatives that people put on lines or took off. */
function shown(rows: readonly LiveRow[], lines: ReadonlyMap<string, LineAt>): readonly ManualOrder[] {
  return changed(lines, (line) => {
    const live = new Map(line.live.map((one) => [`${one.externalId} ${one.contentVersion}`, one]))
    for (const { packageId, creative, isLive } of rows) {
      if (packageId !== line.externalId) continue
      const key = `${creative.externalId} ${creative.contentVersion}`
      if (isLive) live.set(key, creative)
      else live.delete(key)
    }
    return { ...line, live: [...live.values()] }
  })
}

function changed(lines: ReadonlyMap<string, LineAt>, change: (line: ManualLine) => ManualLine): readonly ManualOrder[] {
  const orders = new Map([...lines.values()].map(({ order }) => [order.key.externalId, order]))
  return [...orders.values()].map((order) => ({
    ...order,
    lines: order.lines.map((line) => (lines.has(line.externalId) ? change(line) : line)),
  }))
}

/** Days with their spend. Throws INVALID_REQUEST where it does not follow from the counts and is missing. */
function daysOf(rows: readonly DeliveredRow[], lines: ReadonlyMap<string, LineAt>, file: ImportFile): readonly ManualDay[] {
  const problems: FileProblem[] = []
  const seen = new Set<string>()
  const days = rows.flatMap(({ line: at, packageId, day, counts, spendMicros }): readonly ManualDay[] => {
    const found = lines.get(packageId)
    if (!found) return []
    const key = `${day} ${packageId}`
    if (seen.has(key)) problems.push({ line: at, message: `"${packageId}" has ${day} twice; add the rows up` })
    seen.add(key)
    const { price } = found.line.settings
    const spend = spendMicros ?? chargedMicros(price, counts)
    if (spend === undefined)
      problems.push({ line: at, column: 'spend', message: `is required: the cost of ${price.model} does not follow from counts` })
    return [{ order: found.order.key, lineId: packageId, day, metrics: { ...counts, spendMicros: spend ?? 0 } }]
  })
  refuse(file, problems)
  return days
}
