import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { deliveryReport } from '../../src/operator/reports/delivery-report.ts'
import { forgetReport, listSaved, openReport, saveReport } from '../../src/operator/reports/saved-reports.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { filledIn, formFields } from '../support/console-form.ts'
import { banner } from '../support/creative-agent.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let ada: ConsoleClient
let vic: ConsoleClient
let base: string
let now = new Date('2026-03-01T12:00:00.000Z')

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('sport')], { clock: () => now })
  operator = operatorBeside(agent, () => now)
  await agent.run('sync_creatives', { creatives: [banner(agent.url, 'one')] })
  const creative_assignments = [{ creative_id: 'one', weight: 100 }]
  for (const product_id of ['news', 'sport'])
    await agent.create({ packages: [{ product_id, pricing_option_id: 'cpm', budget: 1000, creative_assignments }] })
  now = new Date('2026-03-13T23:30:00.000Z')
  ada = await signedIn(agent, 'ada', 'ad_operations', agent.tenant)
  vic = await signedIn(agent, 'vic', 'viewer', agent.tenant)
  base = `/console/t/${agent.tenant}/reports`
})
afterAll(() => agent?.stop())

const act: typeof performAs = performAs
const saved = async () => (await act(operator, agent.tenant, listSaved, {})).items
const save = (members: object) => act(operator, agent.tenant, saveReport, { report: 'r', ...members })

async function saveInForm(query: string, values: Readonly<Record<string, string>>) {
  const fields = formFields((await ada.get(`${base}?${query}`)).text, 'reports/saved')
  return ada.postAll(`${base}/saved`, filledIn(fields, values))
}

it('the question of the page is saved under a name and opened again, with the days of the day on which it is opened', async () => {
  const query = 'by=product&by2=day&first=2026-03-07&last=2026-03-13'
  const { status, location } = await saveInForm(query, { report: 'Last week / Sport' }).then((answer) => ({
    status: answer.status,
    location: answer.headers.get('location'),
  }))
  expect([status, location]).toEqual([303, `${base}/saved/Last%20week%20%2F%20Sport?done=changed`])
  expect(await saved()).toMatchObject([{ name: 'Last week / Sport', by: ['product', 'day'], last_days: 7, first: null }])
  expect((await ada.get(`${base}/saved/Last%20week%20%2F%20Sport`)).text).toMatch(
    /Last week \/ Sport[\s\S]*2026-03-07 to 2026-03-13[\s\S]*Delivery by product, day/,
  )
  now = new Date('2026-03-14T00:10:00.000Z')
  const { report } = await act(operator, agent.tenant, openReport, { report: 'Last week / Sport' })
  expect(report).toEqual(
    await act(operator, agent.tenant, deliveryReport, { by: ['product', 'day'], first: '2026-03-08', last: '2026-03-14' }),
  )
  const csv = await vic.get(`${base}/saved/Last%20week%20%2F%20Sport/delivery.csv`)
  expect([csv.status, csv.text.split('\r\n')[0]]).toEqual([200, expect.stringContaining('product,product_name,day,currency')])
  expect((await vic.get(base)).text).toContain('saved/Last%20week%20%2F%20Sport')
})

it('fixed days stay, and a name that is taken is replaced only when the form says so', async () => {
  const query = 'by=order&first=2026-03-02&last=2026-03-05'
  await saveInForm(query, { report: 'March', span: 'fixed' })
  expect((await act(operator, agent.tenant, openReport, { report: 'March' })).report).toMatchObject({
    first: '2026-03-02',
    last: '2026-03-05',
  })
  expect((await saveInForm('by=buyer', { report: 'March' })).text).toContain('there is a saved report March')
  const find = async () => (await saved()).find(({ name }) => name === 'March')
  expect((await find())?.by).toEqual(['order'])
  await saveInForm('by=buyer', { report: 'March', replace: 'yes' })
  expect(await find()).toMatchObject({ by: ['buyer'], last_days: 30, saved_by: 'console:ada' })
})

it('is forgotten, by those who may; a viewer opens reports and changes none', async () => {
  expect((await vic.get(`${base}/saved/March`)).text).not.toContain('Forget this report')
  expect((await vic.post(`${base}/saved/March/forget`)).status).toBe(403)
  expect((await ada.post(`${base}/saved/March/forget`)).status).toBe(303)
  await expect(act(operator, agent.tenant, openReport, { report: 'March' })).rejects.toMatchObject({
    code: 'REFERENCE_NOT_FOUND',
    field: 'report',
  })
  await expect(act(operator, agent.tenant, forgetReport, { report: 'March' })).rejects.toMatchObject({ field: 'report' })
})

it('what no report can answer is not saved', async () => {
  const before = await saved()
  await expect(save({ by: ['order', 'package', 'product', 'buyer', 'day'] })).rejects.toMatchObject({ field: 'by' })
  await expect(save({ first: '2026-03-01' })).rejects.toMatchObject({ field: 'last' })
  await expect(save({ first: '2026-03-01', last: '2026-03-02', last_days: 3 })).rejects.toMatchObject({ field: 'last_days' })
  await expect(save({ first: '2026-03-09', last: '2026-03-02' })).rejects.toMatchObject({ field: 'first' })
  await expect(save({ report: '..' })).rejects.toMatchObject({ field: 'report' })
  expect(await saved()).toEqual(before)
  await save({ product: 'news' })
  await save({ product: 'news' })
  await expect(save({ by: ['day'] })).rejects.toMatchObject({ code: 'INVALID_STATE', field: 'replace' })
  const { report } = await act(operator, agent.tenant, openReport, { report: 'r' })
  expect(report.rows).toHaveLength(1)
})
