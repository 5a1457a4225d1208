import { afterAll, beforeAll, expect, it } from 'vitest'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { addDelivery } from '../../src/store/ad-serving/delivery-ledger.ts'
import { type ConsoleClient, PASSWORD, signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, setTenant } from '../support/operator.ts'

/** Berlin moves its clocks on 29 March 2026: March is an hour shorter, and ends at 22:00 UTC. */
const ZONE = 'Europe/Berlin'

let agent: MediaBuyAgent
let person: ConsoleClient
let base: string
let packageId: string
let now = new Date('2026-02-20T12:00:00.000Z')

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { name: 'News page' })], { clock: () => now })
  await setTenant(
    operatorBeside(agent, () => now),
    agent.tenant,
    { timeZone: ZONE },
  )
  const { data } = await agent.create({ start_time: '2026-02-25T00:00:00Z', end_time: '2026-04-20T00:00:00Z' })
  packageId = data.packages[0].package_id
  await agent.server.store.transaction((tx) =>
    tx.updateTable('media_buys').set({ delivery_source: 'ledger' }).where('media_buy_id', '=', data.media_buy_id).execute(),
  )
  person = await signedIn(agent, 'fiona', 'finance', agent.tenant)
  base = `/console/t/${agent.tenant}/billing`
})
afterAll(() => agent.stop())

/** What an ad server reports for hours in UTC: `YYYY-MM-DDTHH` and micros. */
async function report(hours: Readonly<Record<string, number>>): Promise<void> {
  const rows = Object.entries(hours).map(([period, spendMicros]) => {
    return { ...NOTHING, lineExternalId: packageId, period, impressions: 1, spendMicros }
  })
  await agent.server.store.transaction((tx) => addDelivery(tx, { tenantId: agent.tenant, adServer: 'gam', now }, rows))
}

async function close(month: string): Promise<void> {
  await person.get('/console/sign-in')
  await person.post('/console/sign-in', { username: 'fiona', password: PASSWORD })
  await person.get(base)
  const preview = await person.get(`${base}/close?month=${month}`)
  const digest = /name="digest" value="(\w+)"/.exec(preview.text)?.[1] ?? ''
  const { status, text } = await person.post(`${base}/close`, { month, digest })
  expect([month, status, text.slice(0, 500)]).toEqual([month, 303, ''])
}

/** Micros of each line of the CSV of an invoice, by kind and month of service. */
async function linesOf(invoice: string): Promise<readonly (readonly [string, string, number])[]> {
  const { text } = await person.get(`${base}/${invoice}/csv`)
  const [, ...rows] = text.trim().split('\r\n')
  return rows.map((row) => {
    const cells = row.split(',')
    return [cells[1] ?? '', cells[2] ?? '', Math.round(Number(cells.at(-1)) * 1e6)]
  })
}

it('a month with a change of the clocks has the hours of the publisher, to the micro', async () => {
  await report({
    '2026-02-28T22': 1, // 23:00 on 28 February
    '2026-02-28T23': 10, // midnight on 1 March
    '2026-03-29T00': 100,
    '2026-03-29T01': 1_000_000_001, // 03:00: there is no 02:00 on this day
    '2026-03-31T21': 10_000, // 23:00 on 31 March, summer time
    '2026-03-31T22': 100_000, // midnight on 1 April
  })
  now = new Date('2026-03-31T21:59:00.000Z')
  await person.get('/console/sign-in')
  await person.post('/console/sign-in', { username: 'fiona', password: PASSWORD })
  await person.get(base)
  expect((await person.post(`${base}/close`, { month: '2026-03' })).text).toContain('2026-03 has not ended yet')
  now = new Date('2026-03-31T22:00:00.000Z')
  await close('2026-03')
  expect(await linesOf('2026-03-0001')).toEqual([['delivery', '2026-03', 1_000_010_111]])
})

it('what is corrected after the close is on the next invoice, and the page that is printed has names and sums', async () => {
  await report({ '2026-03-29T01': 1_000_000_000, '2026-04-10T10': 5_000_000 })
  now = new Date('2026-05-01T00:00:00.000Z')
  await close('2026-04')
  expect(await linesOf('2026-03-0001')).toEqual([['delivery', '2026-03', 1_000_010_111]])
  expect(await linesOf('2026-04-0001')).toEqual([
    ['delivery', '2026-04', 5_100_000],
    ['adjustment', '2026-03', -1],
  ])
  const { text } = await person.get(`${base}/2026-04-0001`)
  for (const shown of ['News page', 'Correction', '5.099999 USD', '5.10 USD', 'data-print']) expect(text).toContain(shown)
})
