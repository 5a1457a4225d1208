import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { adminClient } from '../support/admin-client.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { filledIn, formFields } from '../support/console-form.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createAdminKey } from '../support/operator.ts'

let agent: MediaBuyAgent
let ada: ConsoleClient
let call: ReturnType<typeof adminClient>
let base: string
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  ada = await signedIn(agent, 'ada', 'administrator')
  base = `/console/t/${agent.tenant}`
  const { token } = await createAdminKey(operatorOn(agent.server.store, agent.config), {
    tenantId: agent.tenant,
    name: 'all',
    role: 'administrator',
    deployment: true,
  })
  call = adminClient(agent.url, token)
})
afterAll(() => agent?.stop())

const DAYS = { from: '2026-12-01', until: '2026-12-31' }

/** A page with a form, the end of its action, what is written into it, and the same as a request. */
const FORMS = {
  'a buyer': ['/buyers', '/buyers', { id: 'two words' }, 'POST /buyers', { buyer: 'two words' }],
  'a buyer named operator': ['/buyers', '/buyers', { id: 'operator' }, 'POST /buyers', { buyer: 'operator' }],
  'a long id of a buyer': ['/buyers', '/buyers', { id: 'x'.repeat(129) }, 'POST /buyers', { buyer: 'x'.repeat(129) }],
  'a publisher': [
    '//publishers',
    '/publishers',
    { id: 'Big News', name: 'Big', domain: 'big.example' },
    'POST /deployment/publishers',
    { publisher: 'Big News', domain: 'big.example' },
  ],
  'a long name of a publisher': [
    '//publishers',
    '/publishers',
    { id: 'big', name: 'x'.repeat(201), domain: 'big.example' },
    'POST /deployment/publishers',
    { publisher: 'big', name: 'x'.repeat(201), domain: 'big.example' },
  ],
  'an ad server': [
    '/settings',
    '/settings/ad-servers',
    { name: 'My GAM', type: 'manual' },
    'POST /ad-servers',
    { name: 'My GAM', type: 'manual' },
  ],
  'a season': [
    '/products/news',
    '/products/news/seasons',
    { season: 'Christmas!', percent: '10', ...DAYS },
    `PUT /products/news/seasons/${encodeURIComponent('Christmas!')}`,
    { percent: '10', ...DAYS },
  ],
  'a country of the publisher': [
    '/billing/details',
    '/billing/details',
    { legal_name: 'Acme', country: 'Sweden' },
    'PATCH /billing/details',
    { legal_name: 'Acme', country: 'Sweden' },
  ],
  'an account of the publisher': [
    '/billing/details',
    '/billing/details',
    { legal_name: 'Acme', iban: '12 34' },
    'PATCH /billing/details',
    { legal_name: 'Acme', iban: '12 34' },
  ],
} as const

it.each(Object.entries(FORMS))('%s: a form refuses what the admin API refuses, in the same words', async (_name, form) => {
  const [page, action, values, route, body] = form
  const [method = '', path = ''] = route.split(' ')
  const { status, data } = await call(method, path, { body })
  expect([status, data.title]).toEqual([400, 'INVALID_REQUEST'])
  const { text } = await ada.get(page.startsWith('//') ? `/console${page.slice(1)}` : `${base}${page}`)
  const [, target = ''] = new RegExp(`action="([^"]*${action})"`).exec(text) ?? []
  const answer = await ada.postAll(target, filledIn(formFields(text, action), values))
  expect(answer.status).toBe(400)
  const inHtml = String(data.detail).replaceAll('"', '&quot;')
  expect(answer.text).toContain(inHtml)
})

it('a form says what a text has to be before it is sent, and a browser holds it to that', async () => {
  const { text } = await ada.get(`${base}/buyers`)
  const [input = ''] = /<input id="id"[^>]*>/.exec(text) ?? []
  expect(input).toContain('maxlength="128"')
  const [, pattern = ''] = / pattern="([^"]*)"/.exec(input) ?? []
  const browser = new RegExp(`^(?:${pattern})$`, 'v')
  expect(['b-1', ' b-1 ', 'two words', 'operator', '-b'].filter((id) => browser.test(id))).toEqual(['b-1', ' b-1 '])
  expect(text).toContain('Letters without accents, digits and . _ @ -, beginning with a letter or a digit')
})
