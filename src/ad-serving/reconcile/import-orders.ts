import { groupBy } from '../../domain/group-by.ts'
import { NOT_DUE } from '../../store/ad-serving/ad-server-orders.ts'
import { dueOrderReports, moveOrderReport, type ReportedOrder } from '../../store/order/order-reports.ts'
import { AFTER_FLIGHT_MS, type ImportTiming, type ScheduleParts } from './import-delivery.ts'
import { importReport } from './import-report.ts'

/** Most orders of one run, and of one report. */
const BATCH = 100

/** Imports the delivery of orders that people entered or adopted, where a report is due. True when there may be more. */
export async function importOrders(parts: ScheduleParts, timing: ImportTiming): Promise<boolean> {
  const due = await dueOrderReports(parts.store.read, parts.clock(), BATCH)
  for (const orders of groupBy(due, ({ tenant_id: tenant, ad_server: adServer, origin }) =>
    JSON.stringify([tenant, adServer, origin]),
  ).values())
    await importThose(parts, timing, orders)
  return due.length === BATCH
}

async function importThose(parts: ScheduleParts, timing: ImportTiming, due: readonly ReportedOrder[]): Promise<void> {
  const { store, clock, backends, log } = parts
  const now = clock().getTime()
  const [{ tenant_id: tenantId = '', ad_server: adServer = '', origin = '' } = {}] = due
  const backend = backends(tenantId).get(adServer)?.backend
  const next = new Date(now + (backend?.capabilities.reports.everyMs ?? timing.reportMs)).toISOString()
  const mine = await store.transaction(async (tx) => {
    const taken: ReportedOrder[] = []
    for (const order of due) if (await moveOrderReport(tx, order, next)) taken.push({ ...order, report_at: next })
    return taken
  })
  if (!backend || mine.length === 0) return
  const since = mine.map(({ starts_at: start }) => start.slice(0, 10)).sort()[0] ?? ''
  const mediaBuyIds = mine.map(({ external_id: id }) => id)
  try {
    const areAdopted = origin === 'adopted'
    await importReport(parts, { tenantId, adServer, mediaBuyIds, since, callMs: timing.callMs, areAdopted })
  } catch (error) {
    log.warn({ tenant: tenantId, adServer, err: error }, 'delivery could not be imported; trying again later')
    return
  }
  const over = mine.filter(({ ends_at: end }) => Date.parse(end) + AFTER_FLIGHT_MS < now)
  if (over.length === 0) return
  await store.transaction(async (tx) => {
    for (const order of over) await moveOrderReport(tx, order, NOT_DUE)
  })
}
