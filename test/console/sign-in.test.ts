import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { inviteFirstAdministrator, showInvitation } from '../../src/operator/people/invite-person.ts'
import { revokePerson } from '../../src/operator/people/manage-people.ts'
import { ConsoleClient, invitationOf, PASSWORD, signedIn } from '../support/console-client.ts'
import { listAuditEntries, performAs } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
let now = new Date('2026-03-01T12:00:00Z')
const operator = () => ({ ...operatorOn(agent.server.store, agent.config), clock: () => now })
const visitor = () => new ConsoleClient(new URL(agent.url).origin)
const inMinutes = (minutes: number) => new Date(now.getTime() + minutes * 60_000)

beforeAll(async () => {
  agent = await startAgent({ clock: () => now })
})
afterAll(() => agent.stop())

describe('sign-in to the console', () => {
  it('a first start invites one administrator, and no further one once there is one', async () => {
    const token = (await inviteFirstAdministrator(operator())) ?? ''
    expect((await showInvitation(operator(), token))?.role).toBe('administrator')
    await signedIn(agent, 'first', 'administrator')
    expect(await inviteFirstAdministrator(operator())).toBeUndefined()
  })

  it('an invitation counts once and for four days', async () => {
    const path = await invitationOf(agent, 'viewer')
    const client = visitor()
    await client.get(path)
    const account = { username: 'once', name: 'Once', password: PASSWORD }
    expect((await client.post(path, { ...account, password: 'too short' })).status).toBe(400)
    expect((await client.post(path, account)).location).toBe('/console')
    expect((await visitor().get(path)).status).toBe(404)
    const late = await invitationOf(agent, 'viewer')
    now = inMinutes(4 * 1440 + 1)
    expect((await visitor().get(late)).status).toBe(404)
  })

  it('a session begins with a token of its own, and its cookie is for the console alone', async () => {
    await signedIn(agent, 'trafficker', 'viewer')
    const client = visitor()
    await client.get('/console/sign-in')
    const before = client.cookie
    const reply = await client.post('/console/sign-in', {
      username: ' Trafficker ',
      password: PASSWORD,
      next: 'https://evil.example',
    })
    expect([reply.status, reply.location]).toEqual([303, '/console'])
    expect(client.cookie).not.toBe(before)
    expect(reply.headers.get('set-cookie')).toMatch(/; Path=\/console; HttpOnly; SameSite=Lax$/)
    const old = visitor()
    old.cookie = before
    expect((await old.get('/console/account')).location).toMatch(/^\/console\/sign-in/)
  })

  it.each([
    ['/console/t/acme/orders?status=active&cursor=a%2Fb', '/console/t/acme/orders?status=active&cursor=a%2Fb'],
    ['/console/t/acme/../acme/orders', '/console/t/acme/orders'],
    ['/console/../ads/click?t=x', '/console'],
    ['/console/%2e%2E/ads/click?t=x', '/console'],
    ['/console/..\\ads/click', '/console'],
    ['/console/x/../../ads/click', '/console'],
    ['/console/.\t./ads/click', '/console'],
    ['/console/..//evil.example', '/console'],
    ['/consoles', '/console'],
    ['/console@evil.example', '/console'],
    ['//evil.example/console', '/console'],
    ['javascript:alert(1)', '/console'],
  ])('from the sign-in %j leads to %s', async (next, location) => {
    await signedIn(agent, 'wanderer', 'viewer').catch(() => undefined)
    const client = visitor()
    await client.get('/console/sign-in')
    expect((await client.post('/console/sign-in', { username: 'wanderer', password: PASSWORD, next })).location).toBe(location)
  })

  it('wrong passwords are refused, then slowed down, for names that exist and names that do not', async () => {
    await signedIn(agent, 'guessed', 'viewer')
    for (const username of ['guessed', 'nobody-of-this-name']) {
      const client = visitor()
      await client.get('/console/sign-in')
      const attempt = (password: string) => client.post('/console/sign-in', { username, password })
      const statuses: number[] = []
      for (let n = 0; n < 7; n += 1) statuses.push((await attempt('wrong')).status)
      expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429])
      expect((await attempt(PASSWORD)).status).toBe(429)
      now = inMinutes(16)
      expect((await attempt(PASSWORD)).status).toBe(username === 'guessed' ? 303 : 401)
    }
  })

  it('of 60 passwords tried at once no more are judged than one after the other, and the person comes in from elsewhere', async () => {
    const client = await signedIn(agent, 'stormed', 'viewer')
    const page = await visitor().get('/console/sign-in')
    expect(page.status).toBe(200)
    const guessers = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const guesser = visitor()
        await guesser.get('/console/sign-in')
        return guesser
      }),
    )
    const attempts = guessers.map((guesser, n) =>
      guesser.post('/console/sign-in', { username: 'stormed', password: `wrong ${n}` }),
    )
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(6)
    expect(statuses.filter((status) => status !== 401).every((status) => status === 429)).toBe(true)
    const wait = await client.post('/console/account/password', { present: PASSWORD, next: `${PASSWORD} 2` })
    expect(wait.status, 'the form that changes it shares the count').toBe(429)
    now = inMinutes(16)
    await client.get('/console/account')
    expect((await client.post('/console/account/password', { present: PASSWORD, next: `${PASSWORD} 2` })).status).toBe(303)
  })

  it('a session ends by sign-out, by idleness, after twelve hours and with its person', async () => {
    const signOut = await signedIn(agent, 'out', 'viewer')
    expect((await signOut.get('/console/account')).status).toBe(200)
    const token = signOut.cookie
    await signOut.post('/console/sign-out')
    signOut.cookie = token
    expect((await signOut.get('/console/account')).status).toBe(303)

    const idle = await signedIn(agent, 'idle', 'viewer')
    now = inMinutes(59)
    expect((await idle.get('/console/account')).status).toBe(200)
    now = inMinutes(59)
    expect((await idle.get('/console/account')).status).toBe(200)
    now = inMinutes(61)
    expect((await idle.get('/console/account')).status).toBe(303)

    const long = await signedIn(agent, 'long', 'viewer')
    for (let hours = 0; hours < 12; hours += 1) {
      expect((await long.get('/console/account')).status).toBe(200)
      now = inMinutes(59)
    }
    now = inMinutes(59)
    expect((await long.get('/console/account')).status).toBe(303)

    const revoked = await signedIn(agent, 'revoked', 'viewer')
    await performAs(operator(), agent.tenant, revokePerson, { username: 'revoked' })
    expect((await revoked.get('/console/account')).status).toBe(303)
  })

  it('a changed password ends every other session', async () => {
    const first = await signedIn(agent, 'twice', 'viewer')
    const second = visitor()
    await second.get('/console/sign-in')
    await second.post('/console/sign-in', { username: 'twice', password: PASSWORD })
    await second.get('/console/account')
    expect((await second.post('/console/account/password', { present: 'wrong', next: `${PASSWORD} 2` })).status).toBe(400)
    await second.post('/console/account/password', { present: PASSWORD, next: `${PASSWORD} 2` })
    expect((await second.get('/console/account')).status).toBe(200)
    expect((await first.get('/console/account')).status).toBe(303)
  })

  it('a form without its token, or of another site, does nothing', async () => {
    const client = await signedIn(agent, 'forms', 'administrator')
    const path = `/console/t/${agent.tenant}/buyers`
    const refused = [
      await client.post(path, { id: 'made', csrf: '' }),
      await client.post(path, { id: 'made', csrf: 'x'.repeat(43) }),
      await client.post(path, { id: 'made' }, { Origin: 'https://evil.example' }),
      await client.post(path, { id: 'made' }, { 'Sec-Fetch-Site': 'cross-site' }),
      await client.post(path, { id: 'made' }, { 'Sec-Fetch-Site': 'same-site' }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
    expect((await client.get(`${path}/made`)).status).toBe(404)
    await client.get(path)
    expect((await client.post(path, { id: 'made' })).status).toBe(303)
    expect((await client.get(`${path}/made`)).status).toBe(200)
  })

  it('the address of an act leads to the page of its form, and a page that a form answers does not follow changes', async () => {
    const client = await signedIn(agent, 'maker', 'administrator', agent.tenant)
    const path = `/console/t/${agent.tenant}/buyers/buyer`
    expect((await client.get(path)).text).toMatch(/data-live="\/console/)
    const made = await client.post(`${path}/keys`)
    expect([made.status, made.text]).toEqual([200, expect.stringContaining('data-live=""')])
    const again = await client.get(`${path}/keys`)
    expect([again.status, again.location]).toEqual([303, path])
    const [, key = 'none'] = /<code>(sk_[\w-]+)<\/code><button/.exec(made.text) ?? []
    expect(key).toMatch(/^sk_/)
    for (const page of [path, `/console/t/${agent.tenant}/buyers`, `/console/t/${agent.tenant}/activity`])
      expect((await client.get(page)).text).not.toContain(key)
  })

  it('pages may not be framed, and run and load nothing but our files', async () => {
    const { headers } = await visitor().get('/console/sign-in')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("script-src 'self'; style-src 'self'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('the cookie of the console means nothing to agents, and their keys mean nothing to the console', async () => {
    const client = await signedIn(agent, 'apart', 'administrator')
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_accounts', arguments: {} } })
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Cookie: client.cookie ?? '',
    }
    expect((await fetch(agent.url, { method: 'POST', body, headers })).status).toBe(401)
    const withKey = await visitor().get('/console/account', { Authorization: `Bearer ${agent.key}` })
    expect(withKey.location).toMatch(/^\/console\/sign-in/)
  })

  it('what a person does is in the audit log under their name, and so is a wrong password', async () => {
    const client = await signedIn(agent, 'audited', 'administrator')
    await client.get(`/console/t/${agent.tenant}/buyers`)
    await client.post(`/console/t/${agent.tenant}/buyers`, { id: 'by-audited' })
    await agent.server.audit.settled()
    const [entry] = await listAuditEntries(operator(), agent.tenant, { task: 'buyers.add', limit: 1 })
    expect(entry).toMatchObject({ principal: 'person:audited', transport: 'console', subject: 'by-audited', outcome: 'ok' })
    const refusals = await listAuditEntries(operator(), '', { task: 'people.sign-in', outcome: 'AUTH_INVALID', limit: 1 })
    expect(refusals).toHaveLength(1)
  })
})
