import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { setCredentials } from '../../src/operator/ad-servers/ad-server-credentials.ts'
import { ConsoleClient, PASSWORD, signedIn } from '../support/console-client.ts'
import { crawlConsole } from '../support/console-crawl.ts'
import { formFields } from '../support/console-form.ts'
import { acting, createAdminKey } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const SMTP_PASSWORD = 'smtp-password-of-the-test-0123'
const HOOK_TOKEN = 'token-in-the-address-of-a-webhook'
const AD_SERVER_SECRET = 'api-key-of-an-ad-server-0123456789'

let agent: TestAgent
let person: ConsoleClient
let base: string

beforeAll(async () => {
  agent = await startAgent({
    flags: {
      'notifications.smtp.host': '127.0.0.1',
      'notifications.smtp.port': 9,
      'notifications.smtp.security': 'none',
      'notifications.smtp.user': 'mailer',
      'notifications.smtp.password': SMTP_PASSWORD,
      'notifications.smtp.from': 'agent@acme.example',
    },
  })
  base = `/console/t/${agent.tenant}`
  person = await signedIn(agent, 'owner', 'administrator', agent.tenant)
})
afterAll(() => agent.stop())

/** What no page may show, once all of it was made. */
const secrets: string[] = []

describe('a secret is shown once, and on no page after that', () => {
  it('keys, made and rotated', async () => {
    await person.get(`${base}/buyers/buyer`)
    const made = await person.post(`${base}/buyers/buyer/keys`)
    const [, key = 'none'] = /<code>(sk_[\w-]+)<\/code><button/.exec(made.text) ?? []
    const [, id = ''] = /keys\/([\w-]+)\/rotate"/.exec(made.text) ?? []
    const rotated = await person.post(`${base}/buyers/buyer/keys/${id}/rotate`)
    const [, second = 'none'] = /<code>(sk_[\w-]+)<\/code><button/.exec(rotated.text) ?? []
    expect([key, second]).toEqual([expect.stringMatching(/^sk_/), expect.stringMatching(/^sk_/)])
    expect(rotated.text).not.toContain(key)
    secrets.push(key, second)
  })

  it('a form that is sent twice makes one key and one invitation; that of the answer makes another', async () => {
    const forms = [
      { page: '/buyers/buyer', end: '/buyers/buyer/keys', secret: /<code>(sk_[\w-]+)<\/code><button/ },
      { page: '/people', end: '/people/invite', secret: /console\/join\/([\w-]{20,})/ },
    ]
    for (const { page, end, secret } of forms) {
      const send = async (text: string) => {
        const fields = Object.fromEntries(formFields(text, end))
        const answers = [await person.post(base + end, fields), await person.post(base + end, fields)]
        return answers.map((answer) => ({ text: answer.text, made: secret.exec(answer.text)?.[1] }))
      }
      const [one, again] = await send((await person.get(base + page)).text)
      const [other] = await send(one?.text ?? '')
      expect([page, one?.made !== undefined, one?.made === again?.made, one?.made === other?.made]).toEqual([
        page,
        true,
        true,
        false,
      ])
      secrets.push(one?.made ?? 'none', other?.made ?? 'none')
    }
  })

  it('the link of an invitation', async () => {
    await person.get(`${base}/people`)
    const { text } = await person.post(`${base}/people/invite`, { role: 'viewer' })
    const [, token = 'none'] = /console\/join\/([\w-]{20,})/.exec(text) ?? []
    expect(token).not.toBe('none')
    secrets.push(token)
    const visitor = new ConsoleClient(person.origin)
    await visitor.get(`/console/join/${token}`)
    const refused = await visitor.post(`/console/join/${token}`, { username: 'late', name: 'Late', password: 'short' })
    expect([refused.status, refused.text.includes('value="short"')]).toEqual([400, false])
  })

  it('the address of a notification, the password of the mail server, credentials of ad servers and admin keys', async () => {
    await person.get(`${base}/notifications`)
    const hook = { address: `https://93.184.215.14/${HOOK_TOKEN}`, kinds: 'waiting', timing: 'at_once' }
    expect((await person.post(`${base}/notifications/webhook`, hook)).status).toBe(303)
    expect((await person.post(`${base}/notifications/slack`, hook)).status).toBe(303)
    await person.get(`${base}/settings`)
    const added = await person.post(`${base}/settings/ad-servers`, {
      name: 'other',
      type: 'upstream',
      options: JSON.stringify({ url: 'http://127.0.0.1:9', network: 'acme' }),
    })
    expect([added.status, added.text]).toEqual([303, ''])
    const credentials = JSON.stringify({ apiKey: AD_SERVER_SECRET })
    const path = `${base}/settings/ad-servers/other/credentials`
    // The first are not taken by an address at which nothing answers, the second are no JSON.
    for (const sent of [credentials, `${credentials}x`]) {
      const refused = await person.post(path, { credentials: sent })
      expect([refused.status, refused.text.includes(AD_SERVER_SECRET)]).toEqual([400, false])
    }
    const operator = operatorOn(agent.server.store, agent.config)
    await setCredentials(acting(operator, agent.tenant), agent.tenant, {
      name: 'other',
      credentials: { apiKey: AD_SERVER_SECRET },
      check: false,
    })
    const { token } = await createAdminKey(operator, {
      tenantId: agent.tenant,
      name: 'reader',
      role: 'viewer',
    })
    secrets.push(HOOK_TOKEN, SMTP_PASSWORD, AD_SERVER_SECRET, token)
  })

  it('passwords and the tokens of sessions', async () => {
    const visitor = new ConsoleClient(person.origin)
    await visitor.get('/console/sign-in')
    const refused = await visitor.post('/console/sign-in', { username: 'owner', password: `${PASSWORD} but wrong` })
    expect([refused.status, refused.text.includes(PASSWORD)]).toEqual([401, false])
    const token = person.cookie?.split('=')[1] ?? 'none'
    secrets.push(token)
  })

  it('on no page of the console', async () => {
    expect(secrets).toHaveLength(12)
    const texts = await crawlConsole(person, [`${base}/home`, '/console/account', `${base}/buyers/buyer`, `${base}/settings`], 2)
    expect(texts.size).toBeGreaterThan(15)
    for (const [address, text] of texts)
      for (const secret of secrets) expect([address, secret, text.includes(secret)]).toEqual([address, secret, false])
  })
})
