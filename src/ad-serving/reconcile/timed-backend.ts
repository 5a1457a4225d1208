import type { AdServerBackend } from '../backend.ts'

/** The ad server did not answer in time. Whether it did what it was asked is unknown. */
export class NoAnswer extends Error {}

/** The same ad server, whose calls end with {@link NoAnswer} after `limitMs`: a lease must outlast every call. */
export function withTimeLimit(backend: AdServerBackend, limitMs: number): AdServerBackend {
  const timed = async <T>(call: string, work: Promise<T>): Promise<T> => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new NoAnswer(`the ad server did not answer ${call} within ${limitMs / 1000} s`)), limitMs)
    })
    // What arrives later goes nowhere, errors included.
    work.catch(() => undefined)
    return Promise.race([work, late]).finally(() => clearTimeout(timer))
  }
  const {
    name,
    description,
    simulated,
    capabilities,
    requireKeepable,
    forecastDelivery,
    listLines,
    liveReports,
    reportUnits,
    readOrder,
    reportOrders,
    warnings,
    observeAll,
  } = backend
  return {
    name,
    description,
    simulated,
    capabilities,
    ...(requireKeepable && { requireKeepable }),
    ...(warnings && { warnings }),
    check: () => timed('check', backend.check()),
    listInventory: (tenantId, after) => timed('listInventory', backend.listInventory(tenantId, after)),
    forecast: (tenantId, queries) => timed('forecast', backend.forecast(tenantId, queries)),
    ...(forecastDelivery && { forecastDelivery: (order) => timed('forecastDelivery', forecastDelivery(order)) }),
    ...(listLines && { listLines: (after) => timed('listLines', listLines(after)) }),
    ...(readOrder && { readOrder: (orderId) => timed('readOrder', readOrder(orderId)) }),
    ...(reportOrders && { reportOrders: (request) => timed('reportOrders', reportOrders(request)) }),
    observe: (order) => timed('observe', backend.observe(order)),
    ...(observeAll && { observeAll: (orders) => timed('observeAll', observeAll(orders)) }),
    putOrder: (order, settings) => timed('putOrder', backend.putOrder(order, settings)),
    setOrderState: (order, state, duplicateId) => timed('setOrderState', backend.setOrderState(order, state, duplicateId)),
    putCreative: (order, creative) => timed('putCreative', backend.putCreative(order, creative)),
    putLine: (order, line, settings) => timed('putLine', backend.putLine(order, line, settings)),
    associate: (order, line, associations) => timed('associate', backend.associate(order, line, associations)),
    setLineState: (order, line, state) => timed('setLineState', backend.setLineState(order, line, state)),
    report: (request) => timed('report', backend.report(request)),
    ...(reportUnits && { reportUnits: (request) => timed('reportUnits', reportUnits(request)) }),
    ...(liveReports && {
      liveReports: { ...liveReports, marks: (tenantId, ids) => timed('liveReports.marks', liveReports.marks(tenantId, ids)) },
    }),
  }
}
