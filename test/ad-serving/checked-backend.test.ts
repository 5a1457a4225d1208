import { describe, expect, test } from 'vitest'
import type { AdServerBackend } from '../../src/ad-serving/backend.ts'
import { createCheckedBackend } from '../../src/ad-serving/checked-backend.ts'
import { createMemoryAdServer } from '../support/memory-ad-server.ts'

const ORDER = { tenantId: 'acme', externalId: 'mb_1' }
const LINE = {
  id: '7',
  orderId: '3',
  orderName: 'Spring',
  name: 'Banner',
  status: 'DELIVERING',
  isArchived: false,
  isOurs: true,
  type: 'STANDARD',
  startsAt: '2026-03-01T00:00:00.000Z',
  costType: 'CPM',
  rateMicros: 10_000_000,
  currency: 'USD',
  impressionsDelivered: 5,
  unitIds: ['home'],
}
const FORECAST = { lineExternalId: 'p1', unit: 'IMPRESSIONS', goal: 100, delivered: 5, predicted: 90 }

/** A module's ad server with these methods, whatever they answer. */
function checked(methods: object): AdServerBackend {
  return createCheckedBackend('module', Object.assign(createMemoryAdServer().backend, methods), () => false)
}

describe('what an ad server of a module may leave out', () => {
  test('is left out where it does', () => {
    const backend = checked({})
    expect([backend.listLines, backend.forecastDelivery, backend.liveReports]).toEqual([undefined, undefined, undefined])
  })

  test('is there where it has it, called as its own method', async () => {
    const asked: unknown[] = []
    const backend = checked({
      own: 'mine',
      async listLines(this: { own: string }, after?: string) {
        asked.push([this.own, after])
        return { lines: [LINE], next: '2' }
      },
      async forecastDelivery(this: { own: string }, order: object) {
        asked.push([this.own, order])
        return [FORECAST]
      },
      liveReports: { everyMs: 5_000, marks: async (...args: unknown[]) => new Map([['mb_1', args]]) },
    })
    expect(await backend.listLines?.('1')).toEqual({ lines: [LINE], next: '2' })
    expect(await backend.forecastDelivery?.(ORDER)).toEqual([FORECAST])
    expect(backend.liveReports?.everyMs).toBe(5_000)
    expect(await backend.liveReports?.marks('acme', ['mb_1'])).toEqual(new Map([['mb_1', 'acme,mb_1']]))
    expect(asked).toEqual([
      ['mine', '1'],
      ['mine', ORDER],
    ])
  })

  test('answers with what has the right shape, and fails for an answer that is something else', async () => {
    const loose = checked({
      listLines: async () => ({
        lines: [{ id: '7', currency: 'USD', rateMicros: 'much', unitIds: [1, 'home'] }, { id: 8 }, null],
        next: 3,
      }),
      forecastDelivery: async () => [{ lineExternalId: 'p1', goal: -1 }, 'p2'],
      liveReports: { everyMs: 0, marks: async () => ({}) },
    })
    expect(await loose.listLines?.()).toEqual({
      lines: [expect.objectContaining({ id: '7', name: '', rateMicros: 0, isOurs: false, unitIds: ['home'] })],
    })
    expect(await loose.forecastDelivery?.(ORDER)).toEqual([{ ...FORECAST, goal: 0, delivered: 0, predicted: 0 }])
    expect(loose.liveReports?.everyMs).toBe(2_000)
    await expect(loose.liveReports?.marks('acme', undefined)).rejects.toThrow(
      'the ad server module answered liveReports.marks with',
    )
    const wrong = checked({ listLines: async () => [LINE], forecastDelivery: async () => ({ lines: [] }) })
    await expect(wrong.listLines?.()).rejects.toThrow('the ad server module answered listLines with no list of lines')
    await expect(wrong.forecastDelivery?.(ORDER)).rejects.toThrow('answered forecastDelivery with no list of forecasts')
  })

  test('reports an error without a code of AdCP as it is', async () => {
    const failing = checked({
      listLines() {
        throw new Error('out of order')
      },
    })
    await expect(failing.listLines?.()).rejects.toThrow('out of order')
  })
})
