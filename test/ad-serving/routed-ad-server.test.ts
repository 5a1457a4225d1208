import { describe, expect, it } from 'vitest'
import type { AdServer, BookedLine, LineOrder } from '../../src/ad-serving/ad-server.ts'
import { readIds, writeIds } from '../../src/ad-serving/external-id.ts'
import { createRoutedAdServer } from '../../src/ad-serving/routed-ad-server.ts'
import { HeldInventory } from '../../src/domain/media-buy/held-inventory.ts'

/** Books every line as `<name>/<package>` and notes what it was asked. */
function fake(name: string, calls: unknown[], fails: { on?: string } = {}): AdServer {
  const note = (method: string, ...rest: unknown[]) => {
    calls.push([name, method, ...rest])
    if (fails.on === method) throw new Error(`${name} is down`)
  }
  const booking = (orderId: string, lines: readonly LineOrder[]) => ({
    orderId,
    lineIds: new Map(lines.map(({ packageId }) => [packageId, `${name}/${packageId}`])),
  })
  return {
    name,
    description: `${name}.`,
    simulated: name === 'simulator',
    checkAvailability: async (queries) => {
      note('check', ...queries.map(({ productId }) => productId))
      return queries.map(({ productId }) => ({ productId, available: 1, sufficient: name !== 'full' }))
    },
    book: async (_anchor, mediaBuyId, lines) => {
      note('book', ...lines.map(({ packageId }) => packageId))
      return booking(`${name} order:${mediaBuyId}`, lines)
    },
    change: async (_anchor, orderId, lines) => {
      note('change', orderId, ...lines.map(({ lineId, packageId }) => lineId ?? packageId))
      return booking(orderId, lines)
    },
    pause: async (_anchor, orderId) => note('pause', orderId),
    resume: async (_anchor, orderId) => note('resume', orderId),
    cancel: async (_anchor, orderId, lineIds) => note('cancel', orderId, ...(lineIds ?? ['all'])),
    reportDelivery: async (lines) => {
      note('report', ...lines.map(({ lineId }) => lineId))
      return lines.map(({ packageId }) => ({ packageId, days: [] }))
    },
  }
}

const TERMS = {
  from: '2026-01-01T00:00:00.000Z',
  startsAt: '2026-01-02T00:00:00.000Z',
  endsAt: '2026-01-03T00:00:00.000Z',
  budgetMicros: 1,
  rateMicros: 1,
  pacing: 'even',
  running: true,
} as const
const PRICING = { pricingOptionId: 'cpm', model: 'cpm', basis: 'fixed', currency: 'USD', maxBid: false } as const

const line = (packageId: string, productId: string, lineId?: string): LineOrder => ({
  packageId,
  productId,
  pricing: PRICING,
  guaranteed: false,
  terms: TERMS,
  ...(lineId !== undefined && { lineId }),
})
const booked = (packageId: string, lineId: string): BookedLine => ({
  packageId,
  lineId,
  pricing: PRICING,
  channels: [],
  terms: [TERMS],
  serving: [],
  recorded: [],
})

function publisher(fails: { on?: string } = {}) {
  const calls: unknown[] = []
  const [simulator, main, video] = [fake('simulator', calls), fake('main', calls), fake('video', calls, fails)]
  const byName = new Map([simulator, main, video].map((server) => [server.name, server]))
  return { calls, adServer: createRoutedAdServer({ main, byProduct: new Map([['spot', video]]), byName }) }
}

describe('ad servers of single products', () => {
  it('book, change, report and cancel the lines of their own products', async () => {
    const { calls, adServer } = publisher()
    const first = await adServer.book('a', 'mb', [line('p1', 'banner'), line('p2', 'spot')])
    expect(readIds(first.orderId)).toEqual([
      { adServer: 'main', id: 'main order:mb' },
      { adServer: 'video', id: 'video order:mb' },
    ])
    const [one = '', two = ''] = ['p1', 'p2'].map((id) => first.lineIds.get(id) ?? '')
    // A product that has moved to another ad server since: its line stays.
    const changed = await adServer.change('b', first.orderId, [line('p1', 'spot', one), line('p2', 'spot', two)], 'mb')
    expect(changed).toEqual(first)
    await adServer.reportDelivery([booked('p1', one), booked('p2', two)], new Date())
    await adServer.cancel('c', first.orderId, [two])
    await adServer.cancel('d', first.orderId)
    expect(calls).toEqual([
      ['main', 'book', 'p1'],
      ['video', 'book', 'p2'],
      ['main', 'change', 'main order:mb', 'main/p1'],
      ['video', 'change', 'video order:mb', 'video/p2'],
      ['main', 'report', 'main/p1'],
      ['video', 'report', 'video/p2'],
      ['video', 'cancel', 'video order:mb', 'video/p2'],
      ['main', 'cancel', 'main order:mb', 'all'],
      ['video', 'cancel', 'video order:mb', 'all'],
    ])
  })

  it('join an order when a line for them is added', async () => {
    const { calls, adServer } = publisher()
    const first = await adServer.book('a', 'mb', [line('p1', 'banner')])
    const changed = await adServer.change(
      'b',
      first.orderId,
      [line('p1', 'banner', first.lineIds.get('p1')), line('p2', 'spot')],
      'mb',
    )
    expect(readIds(changed.orderId).map(({ adServer }) => adServer)).toEqual(['main', 'video'])
    expect(calls.at(-1)).toEqual(['video', 'book', 'p2'])
  })

  it('book an order as a whole or not at all', async () => {
    const { calls, adServer } = publisher({ on: 'book' })
    await expect(adServer.book('a', 'mb', [line('p1', 'banner'), line('p2', 'spot')])).rejects.toThrow('video is down')
    expect(calls.at(-1)).toEqual(['main', 'cancel', 'main order:mb', 'all'])
  })

  it('answer questions about availability in the order of the questions', async () => {
    const { adServer } = publisher()
    const query = { flight: TERMS, impressions: 1, dailyCapacity: 1, held: new HeldInventory(new Map()) }
    const answers = await adServer.checkAvailability(['spot', 'banner', 'spot'].map((productId) => ({ ...query, productId })))
    expect(answers.map(({ productId }) => productId)).toEqual(['spot', 'banner', 'spot'])
  })
})

describe('an order that is booked', () => {
  it('stays with the simulator when a real ad server is configured later', async () => {
    const { calls, adServer } = publisher()
    await adServer.cancel('a', 'sim_order_1')
    await adServer.reportDelivery([booked('p1', 'sim_line_1')], new Date())
    expect(calls).toEqual([
      ['simulator', 'cancel', 'sim_order_1', 'all'],
      ['simulator', 'report', 'sim_line_1'],
    ])
  })

  it('is out of reach when its ad server is no longer configured', async () => {
    const { adServer } = publisher()
    await expect(adServer.cancel('a', 'gone:order')).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      cause: { message: expect.stringContaining('"gone"') },
    })
  })

  it('keeps ids of any characters', () => {
    const ids = [
      { adServer: 'main', id: 'networks/12:orders/3 é' },
      { adServer: 'simulator', id: 'sim_order_1' },
    ]
    expect(readIds(writeIds(ids))).toEqual(ids)
  })
})
