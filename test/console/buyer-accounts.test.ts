import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { OPERATIONS } from '../../src/admin-api/operations.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { formFields } from '../support/console-form.ts'
import { consoleRouteTable } from '../support/console-routes.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { setTenant } from '../support/operator.ts'

let agent: MediaBuyAgent
let accountant: ConsoleClient
let path: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  accountant = await signedIn(agent, 'accountant', 'finance', agent.tenant)
  const base = `/console/t/${agent.tenant}`
  const [, id = ''] = /accounts\/([^/"]+)"/.exec((await accountant.get(`${base}/buyers/buyer`)).text) ?? []
  path = `${base}/accounts/${id}`
})
afterAll(() => agent.stop())

it('the forms of an account without a limit have the currency of the publisher', async () => {
  const shown = async () =>
    [...(await accountant.get(path)).text.matchAll(/name="currency" type="text" value="(\w*)"/g)].map(([, each]) => each)
  expect(await shown()).toEqual(['USD', 'USD'])
  const operator = operatorOn(agent.server.store, agent.config)
  await setTenant(operator, agent.tenant, { currency: 'SEK' })
  expect(await shown()).toEqual(['SEK', 'SEK'])
  await setTenant(operator, agent.tenant, { currency: 'USD' })
})

it('the credit limit of an account is set and removed, and its buyer sees it', async () => {
  const seen = async () => (await agent.buyer.call('list_accounts', {})).data.accounts[0].credit_limit
  expect((await accountant.get(path)).text).toMatch(/Credit limit<\/dt><dd>none/)
  const set = await accountant.fillIn(path, '/credit', { amount: '12 500.50', currency: 'usd' })
  expect([set.status, set.location]).toEqual([303, `${path}?done=changed`])
  expect((await accountant.get(path)).text).toContain('$12,500.50')
  expect(await seen()).toEqual({ amount: 12_500.5, currency: 'USD' })
  await accountant.fillIn(path, '/credit', { amount: '', currency: 'USD' })
  expect(await seen()).toBeUndefined()
  for (const wrong of [
    { amount: 'a lot', currency: 'USD' },
    { amount: '12 50', currency: 'USD' },
    { amount: '1_0', currency: 'USD' },
    { amount: '5', currency: 'dollars' },
  ])
    expect((await accountant.fillIn(path, '/credit', wrong)).status).toBe(400)
})

it('a form that is sent twice records one payment, and says so; a form that is opened anew records another', async () => {
  const payments = async () => (await accountant.get(path)).text.match(/one deposit/g)?.length ?? 0
  const fields = async () => ({
    ...Object.fromEntries(formFields((await accountant.get(path)).text, '/payments')),
    ...{ amount: '7', currency: 'USD', reference: 'one deposit' },
  })
  const form = await fields()
  const sent = await Promise.all([form, form].map((each) => accountant.post(`${path}/payments`, each)))
  expect(sent.map(({ location, status }) => location ?? status)).toContain(`${path}?done=paid`)
  expect(await payments()).toBe(1)
  expect((await accountant.post(`${path}/payments`, form)).location).toBe(`${path}?done=before`)
  expect((await accountant.get(`${path}?done=before`)).text).toContain('nothing was recorded again')
  expect(await payments()).toBe(1)
  await accountant.post(`${path}/payments`, { ...form, amount: '8' })
  await accountant.post(`${path}/payments`, await fields())
  expect(await payments()).toBe(3)
})

it('payments are recorded and listed; who only reads records none', async () => {
  const paid = await accountant.post(`${path}/payments`, {
    amount: '1200.5',
    currency: 'EUR',
    date: '2026-02-27',
    reference: 'bank 9',
  })
  expect(paid.status).toBe(303)
  expect((await accountant.get(path)).text).toMatch(/27 Feb 2026[\s\S]{0,80}€1,200\.50[\s\S]{0,80}bank 9/)
  const refused = await accountant.post(`${path}/payments`, { amount: '10', currency: 'XYZ', reference: 'bank <10>' })
  expect(refused.status).toBe(400)
  for (const kept of ['the ISO 4217 code of a currency', 'value="10"', 'value="bank &lt;10&gt;"', '<details open>'])
    expect(refused.text).toContain(kept)
  const viewer = await signedIn(agent, 'viewer', 'viewer', agent.tenant)
  expect((await viewer.get(path)).text).not.toContain('<form class="filters"')
  expect((await viewer.post(`${path}/payments`, { amount: '1', currency: 'EUR' })).status).toBe(403)
})

it('a buyer with more accounts than a page of them has each on its page, and each has a page', async () => {
  const brands = Array.from({ length: 60 }, (_, at) => ({
    brand: { domain: `brand-${at}.example` },
    operator: 'agency.example',
    billing: 'operator',
  }))
  const { isError } = await agent.buyer.call('sync_accounts', { idempotency_key: randomUUID(), accounts: brands })
  expect(isError).toBe(false)
  const base = `/console/t/${agent.tenant}`
  const { text } = await accountant.get(`${base}/buyers/buyer`)
  const ids = new Set([...text.matchAll(/accounts\/([^/"]+)"/g)].map(([, id = '']) => id))
  expect(ids.size).toBe(61)
  const last = [...ids].sort().at(-1)
  expect((await accountant.get(`${base}/accounts/${last}`)).status).toBe(200)
  const missing = await accountant.get(`${base}/accounts/none`)
  expect([missing.status, missing.text]).toEqual([404, expect.stringContaining('no account none')])
})

it.each([
  ['/t/{tenant}/accounts/{id}/status', 'setAccountStatus'],
  ['/t/{tenant}/accounts/{id}/credit', 'setCredit'],
  ['/t/{tenant}/accounts/{id}/payments', 'addPayment'],
  ['/t/{tenant}/billing/close', 'closeMonth'],
  ['/t/{tenant}/billing/{invoice}/payments', 'recordInvoicePayment'],
  ['/t/{tenant}/billing/{invoice}/payments/{payment}/take-back', 'takeBackInvoicePayment'],
  ['/t/{tenant}/billing/{invoice}/credit', 'creditInvoice'],
  ['/t/{tenant}/billing/charges', 'addCharge'],
  ['/t/{tenant}/billing/charges/{charge}/take-back', 'takeBackCharge'],
  ['/t/{tenant}/inbox/{id}/approve', 'approve'],
  ['/t/{tenant}/products/{id}/archive', 'archiveProduct'],
  ['/t/{tenant}/buyers/{id}/keys', 'createKey'],
  ['/t/{tenant}/webhooks/{id}/redeliver', 'redeliverWebhook'],
])('%s is for the roles of %s of the admin API', (route, operation) => {
  const people = consoleRouteTable().find(({ method, path: each }) => method === 'POST' && each === route)?.access
  const keys = OPERATIONS.find(({ id }) => id === operation)?.roles
  expect([...(people ?? [])].sort()).toEqual([...(keys ?? ['none'])].sort())
})

it('an account that is closed says so, and not that somebody was faster', async () => {
  const asked = await accountant.fillIn(path, '/status', { status: 'closed' })
  expect([asked.status, asked.text]).toEqual([200, expect.stringContaining('A closed account stays closed')])
  expect((await accountant.get(path)).text).toContain('value="active" selected')
  const confirmed = Object.fromEntries(formFields(asked.text, '/status'))
  expect((await accountant.post(`${path}/status`, confirmed)).location).toContain('done=changed')
  const { status, text } = await accountant.fillIn(path, '/status', { status: 'active' })
  expect([status, text]).toEqual([409, expect.stringMatching(/role="alert"[\s\S]*the account is closed/)])
  expect(text).not.toContain('Somebody was faster')
})
