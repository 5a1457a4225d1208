import type { Metrics } from '../domain/media-buy/delivery.ts'
import { AdcpError } from '../protocol/errors.ts'
import { asAdcpError, type KnowsCode } from '../protocol/foreign-error.ts'
import { isObject } from '../protocol/is-object.ts'
import type { AdServerBackend } from './backend.ts'
import { UNIT_KINDS } from './backend.ts'
import { readAvailability, UNREACHABLE } from './checked-ad-server.ts'
import {
  readExistingDelivery,
  readExistingOrder,
  readExistingPage,
  readForecasts,
  readMarks,
  readUnitReport,
  reportedCount,
} from './checked-lines.ts'
import { isObservedOrder } from './observed-shape.ts'

/**
 * A reconciled ad server that this project did not write: what it answers is checked before anything is stored or compared. An error with a code of
 * AdCP keeps its code and message; every other one, and an answer of another shape, is an outage whose text goes to the publisher's people.
 */
export function createCheckedBackend(name: string, inner: AdServerBackend, knowsCode: KnowsCode): AdServerBackend {
  const run = async <T>(method: string, work: () => Promise<unknown>, read: (answer: unknown) => T): Promise<T> => {
    let answer: unknown
    try {
      answer = await work()
    } catch (error) {
      throw codeOf(error, knowsCode) === undefined ? error : asAdcpError(error, `${name}.${method}`, knowsCode, UNREACHABLE)
    }
    return read(answer)
  }
  const nothing = () => undefined
  const { description, simulated, capabilities, listLines, forecastDelivery, liveReports, reportUnits } = inner
  const { readOrder, reportOrders, observeAll } = inner
  const wrong = (method: string, what: string) => new Error(`the ad server ${name} answered ${method} with ${what}`)
  const readObserved = (method: string, answer: unknown) => {
    if (isNothing(answer)) return undefined
    if (isObservedOrder(answer)) return answer
    throw wrong(method, 'something that is no order (docs/ad-servers.md, "What observe gives")')
  }
  return {
    name,
    description,
    simulated,
    capabilities,
    requireKeepable(settings) {
      try {
        inner.requireKeepable?.(settings)
      } catch (error) {
        throw asAdcpError(error, `${name}.requireKeepable`, knowsCode, UNREACHABLE)
      }
    },
    check: () => run('check', () => inner.check(), nothing),
    listInventory: (tenantId, after) =>
      run(
        'listInventory',
        () => inner.listInventory(tenantId, after),
        (answer) => {
          if (!isObject(answer) || !Array.isArray(answer.units)) throw wrong('listInventory', 'no units')
          const units = answer.units.flatMap((unit: unknown) => readUnit(unit) ?? [])
          return { units, ...(typeof answer.next === 'string' && { next: answer.next }) }
        },
      ),
    forecast: async (tenantId, queries) => {
      try {
        const answer: unknown = await inner.forecast(tenantId, queries)
        return queries.map(({ productId }, index) => readAvailability(productId, Array.isArray(answer) ? answer[index] : answer))
      } catch (error) {
        throw asAdcpError(error, `${name}.forecast`, knowsCode, UNREACHABLE)
      }
    },
    // Called as methods of the module's object: it may be an instance of a class.
    ...(listLines && {
      listLines: (after) =>
        run(
          'listLines',
          () => listLines.call(inner, after),
          (answer) => readExistingPage(answer) ?? raise(wrong('listLines', 'no list of lines')),
        ),
    }),
    ...(readOrder && {
      readOrder: (orderId) =>
        run(
          'readOrder',
          () => readOrder.call(inner, orderId),
          (answer) => (isNothing(answer) ? undefined : (readExistingOrder(answer) ?? raise(wrong('readOrder', 'no order')))),
        ),
    }),
    ...(reportOrders && {
      reportOrders: (request) =>
        run(
          'reportOrders',
          () => reportOrders.call(inner, request),
          (answer) => readExistingDelivery(answer) ?? raise(wrong('reportOrders', 'no rows')),
        ),
    }),
    ...(forecastDelivery && {
      forecastDelivery: (order) =>
        run(
          'forecastDelivery',
          () => forecastDelivery.call(inner, order),
          (answer) => readForecasts(answer) ?? raise(wrong('forecastDelivery', 'no list of forecasts')),
        ),
    }),
    ...(reportUnits && {
      reportUnits: (request) =>
        run(
          'reportUnits',
          () => reportUnits.call(inner, request),
          (answer) => readUnitReport(answer) ?? raise(wrong('reportUnits', 'no rows')),
        ),
    }),
    ...(liveReports && {
      liveReports: {
        everyMs: Number.isFinite(liveReports.everyMs) ? Math.max(LEAST_LIVE_MS, liveReports.everyMs) : LEAST_LIVE_MS,
        marks: (tenantId, ids) =>
          run(
            'liveReports.marks',
            () => liveReports.marks(tenantId, ids),
            (answer) => readMarks(answer) ?? raise(wrong('liveReports.marks', 'no Map of texts')),
          ),
      },
    }),
    observe: (order) =>
      run(
        'observe',
        () => inner.observe(order),
        (answer) => readObserved('observe', answer),
      ),
    ...(observeAll && {
      observeAll: (orders) =>
        run(
          'observeAll',
          () => observeAll.call(inner, orders),
          (answer) => {
            if (!Array.isArray(answer) || answer.length !== orders.length)
              throw wrong('observeAll', 'no list with a place for each order')
            return answer.map((each) => readObserved('observeAll', each))
          },
        ),
    }),
    putOrder: (order, settings) => run('putOrder', () => inner.putOrder(order, settings), nothing),
    setOrderState: (order, state, duplicateId) =>
      run('setOrderState', () => inner.setOrderState(order, state, duplicateId), nothing),
    putCreative: (order, creative) => run('putCreative', () => inner.putCreative(order, creative), nothing),
    putLine: (order, line, settings) => run('putLine', () => inner.putLine(order, line, settings), nothing),
    associate: (order, line, associations) => run('associate', () => inner.associate(order, line, associations), nothing),
    setLineState: (order, line, state) => run('setLineState', () => inner.setLineState(order, line, state), nothing),
    report: (request) =>
      run(
        'report',
        () => inner.report(request),
        (answer) => {
          if (!isObject(answer) || !Array.isArray(answer.rows)) throw wrong('report', 'no rows')
          const rows = answer.rows.flatMap((row: unknown) => readRow(row) ?? [])
          return { rows, ...(typeof answer.next === 'string' && { next: answer.next }) }
        },
      ),
  }
}

/** What is wrong with the capabilities that a module gives its ad server. */
export function capabilityFaults(value: unknown): readonly string[] {
  if (!isObject(value)) return ['capabilities is missing']
  const lists = ['pricing', 'pacing', 'targeting'].filter((name) => !Array.isArray(value[name]))
  const flags = ['changesLines', 'pauses', 'ends', 'creatives', 'dissociates'].filter((name) => typeof value[name] !== 'boolean')
  return [
    ...lists.map((name) => `capabilities.${name} must be a list`),
    ...flags.map((name) => `capabilities.${name} must be true or false`),
    ...(value.booking === 'at_once' || value.booking === 'reviewed' ? [] : ['capabilities.booking must be at_once or reviewed']),
    ...(isObject(value.reports) ? [] : ['capabilities.reports is missing']),
  ]
}

function codeOf(error: unknown, knowsCode: KnowsCode): string | undefined {
  if (error instanceof AdcpError) return error.code
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && knowsCode(code) ? code : undefined
}

/** A module cannot have its orders imported more often than this: each import may be a revision in the ledger. */
const LEAST_LIVE_MS = 2_000

function isNothing(answer: unknown): answer is null | undefined {
  return answer === undefined || answer === null
}

function raise(error: Error): never {
  throw error
}

function readUnit(value: unknown) {
  if (!isObject(value) || typeof value.id !== 'string' || typeof value.name !== 'string') return undefined
  const kind = UNIT_KINDS.find((one) => one === value.kind) ?? 'ad_unit'
  const sizes = Array.isArray(value.sizes) ? value.sizes.filter((size: unknown) => typeof size === 'string') : undefined
  return {
    id: value.id,
    name: value.name,
    kind,
    ...(typeof value.parentId === 'string' && { parentId: value.parentId }),
    ...(sizes && { sizes }),
  }
}

function readRow(value: unknown) {
  if (!isObject(value) || typeof value.lineExternalId !== 'string' || typeof value.period !== 'string') return undefined
  const count = (name: keyof Metrics) => reportedCount(value[name])
  return {
    lineExternalId: value.lineExternalId,
    ...(typeof value.creativeExternalId === 'string' && { creativeExternalId: value.creativeExternalId }),
    period: value.period,
    impressions: count('impressions'),
    spendMicros: count('spendMicros'),
    clicks: count('clicks'),
    views: count('views'),
    completedViews: count('completedViews'),
    viewableImpressions: count('viewableImpressions'),
    conversions: count('conversions'),
    conversionValueMicros: count('conversionValueMicros'),
    milliPoints: count('milliPoints'),
  }
}
