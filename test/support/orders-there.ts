import type { AdServerBackend } from '../../src/ad-serving/backend.ts'
import type { ExistingLine, ExistingOrder, LineCounts } from '../../src/domain/ad-serving/existing-line.ts'

/** Orders that people booked in an ad server, and what it counts of them; a test changes both. */
export interface OrdersThere {
  readonly orders: Map<string, ExistingOrder>
  readonly counts: LineCounts[]
  /** What the calls of a backend answer with. */
  readonly calls: Required<Pick<AdServerBackend, 'listLines' | 'readOrder' | 'reportOrders'>>
  /** While set, reports throw it. */
  down: Error | undefined
}

/** A line as an ad server lists it. */
export function lineThere(id: string, more: Partial<ExistingLine> = {}): ExistingLine {
  return {
    ...{
      id,
      orderId: '77',
      orderName: 'Spring at Volta',
      name: `Line ${id}`,
      status: 'DELIVERING',
      isArchived: false,
      isOurs: false,
    },
    ...{ type: 'STANDARD', startsAt: '2026-03-01T00:00:00.000Z', endsAt: '2026-04-01T00:00:00.000Z' },
    ...{ costType: 'CPM', rateMicros: 87_370_000, currency: 'SEK', impressionsDelivered: 0, unitIds: [] },
    ...{ goal: { unit: 'IMPRESSIONS', units: 10_000 }, isGuaranteed: true, state: 'active' },
    ...more,
  }
}

/** What a line delivered on a day. */
export function countsThere(lineId: string, period: string, impressions: number, clicks = 0): LineCounts {
  return { lineId, period, impressions, clicks, views: 0, completedViews: 0, viewableImpressions: 0 }
}

export function ordersThere(): OrdersThere {
  const there: Omit<OrdersThere, 'calls'> = { orders: new Map(), counts: [], down: undefined }
  return Object.assign(there, {
    calls: {
      listLines: async () => ({ lines: [...there.orders.values()].flatMap(({ lines }) => lines) }),
      readOrder: async (orderId: string) => there.orders.get(orderId),
      async reportOrders({ orderIds, since }: { readonly orderIds: readonly string[]; readonly since: string }) {
        if (there.down) throw there.down
        const lines = new Set(orderIds.flatMap((id) => (there.orders.get(id)?.lines ?? []).map((line) => line.id)))
        return { rows: there.counts.filter(({ lineId, period }) => lines.has(lineId) && period >= since) }
      },
    },
  })
}
