import type { Command } from 'commander'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { actCommand, actsCommand } from '../../src/cli/act-command.ts'
import { orderActs } from '../../src/operator/order-list/acts.ts'
import { deliveryActs } from '../../src/operator/reports/acts.ts'
import { showRevenue } from '../../src/operator/reports/revenue.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

const DAY_MS = 86_400_000
const day = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

let agent: MediaBuyAgent
let id: string
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => new Date() })
  const { data } = await agent.create({ start_time: day(2), end_time: day(12) })
  id = data.media_buy_id
})
afterAll(() => agent.stop())

/** Runs a command in this process and gives what it printed. */
async function printed(command: Command, ...words: string[]): Promise<string> {
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)))
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  try {
    await command.parseAsync([...words, '--data', agent.config.data], { from: 'user' })
    return lines.join('\n')
  } finally {
    log.mockRestore()
    write.mockRestore()
  }
}
const json = async (...words: string[]) => JSON.parse(await printed(actsCommand('orders', orderActs), ...words, '--json'))

it('lists and shows orders for people and for programs', async () => {
  expect((await json('list')).items).toMatchObject([
    { media_buy_id: id, status: 'pending_creatives', budget: 1000, currency: 'USD' },
  ])
  const text = await printed(actsCommand('orders', orderActs), 'list')
  expect(text).toContain('1000.00 USD')
  expect(text).toContain(id)
  expect((await json('show', id)).packages).toMatchObject([{ product_id: 'news', budget: 1000 }])
  expect(await printed(actsCommand('orders', orderActs), 'show', id)).toContain('budget 1000.00 USD')
})

it('writes all orders of a view as CSV, page by page', async () => {
  const lines = async (...words: string[]) => {
    const text = await printed(actsCommand('orders', orderActs), 'export', ...words)
    return text.trimEnd().split('\r\n')
  }
  await Promise.all(Array.from({ length: 60 }, () => agent.create({ start_time: day(2), end_time: day(12) })))
  const [head, ...rows] = await lines()
  expect(head).toMatch(/^order,origin,status,buyer,/)
  expect(rows).toHaveLength(61)
  expect(new Set(rows.map((row) => row.split(',')[0])).size).toBe(61)
  expect(rows.filter((row) => row.startsWith(`${id},buyer,pending_creatives,`))).toHaveLength(1)
  expect(await lines('--status', 'active')).toEqual([head])
})

it('shows what a cancellation comes to, cancels, and keeps who did it and why', async () => {
  expect(await json('cancel', id, '--reason', 'double booking', '--dry-run')).toMatchObject({ unspent: 1000, changed: true })
  expect((await json('show', id)).status).toBe('pending_creatives')
  expect(await json('pause', id)).toMatchObject({ changed: true, order: { paused: true } })
  expect(await printed(actsCommand('orders', orderActs), 'pause', id)).toContain('is paused already, and nothing was changed')
  expect((await json('resume', id)).order.paused).toBe(false)
  const ends = day(20)
  expect((await json('extend', id, '--end', ends)).changed).toBe(true)
  expect(await printed(actsCommand('orders', orderActs), 'extend', id, '--end', ends)).toContain(
    `${id} ends then already, and nothing was changed`,
  )
  const unasked = await printed(actsCommand('orders', orderActs), 'cancel', id, '--reason', 'double booking').catch(String)
  expect(unasked).toContain('There is no terminal to answer on: pass --yes to confirm')
  expect(await json('cancel', id, '--reason', 'double booking', '--yes')).toMatchObject({ order: { status: 'canceled' } })
  const { items: history } = await json('history', id)
  expect(history[0]).toMatchObject({ summary: 'Canceled by the publisher: double booking', actor: 'acme' })
  expect(history[0].person).toMatch(/^os:/)
})

it('prints reports also when nothing was delivered', async () => {
  expect(await printed(actsCommand('delivery', deliveryActs), 'report')).toContain('nothing was delivered')
  expect(await printed(actsCommand('delivery', deliveryActs), 'report', '--by', 'day,product', '--csv')).toBe(
    'day,product,product_name,currency,impressions,viewable_impressions,clicks,completed_views,conversions,spent,viewable_rate,click_rate,completion_rate,ecpm\r\n',
  )
  expect(await printed(actCommand(showRevenue))).toMatch(/nothing was earned .*; --sandbox includes/)
  expect(await printed(actCommand(showRevenue), '--sandbox')).toMatch(/nothing was earned from \S+ to \S+$/m)
})
