import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { setPersonChannel } from '../../src/operator/notifications/channel-acts.ts'
import { removePerson, setRole } from '../../src/operator/people/manage-people.ts'
import { listPeopleFactors, resetAnyFactors, resetPersonFactors } from '../../src/operator/people/reset-factors.ts'
import { setSettings } from '../../src/operator/tenants/tenant-acts.ts'
import { ConsoleClient, invitationOf, PASSWORD, signedIn } from '../support/console-client.ts'
import { consoleRouteTable } from '../support/console-routes.ts'
import { listAuditEntries, performAs } from '../support/operator.ts'
import { softAuthenticator } from '../support/soft-authenticator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const FACTOR = '/console/sign-in/second-factor'
const OWN = '/console/account/second-factor'
/** The address that the console is configured with: passkeys are for it, whatever address a test connects to. */
const ORIGIN = 'https://ads.publisher.example'

let agent: TestAgent
let now = new Date('2026-03-01T12:00:00Z')
const operator = () => ({ ...operatorOn(agent.server.store, agent.config), clock: () => now })
const visitor = () => new ConsoleClient(new URL(agent.url).origin)
const wait = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1000)
}

beforeAll(async () => {
  agent = await startAgent({ clock: () => now, flags: { publicUrl: ORIGIN } })
  await agent.addBuyer({ principal: 'other', tenant: 'other' })
})
afterAll(() => agent.stop())

/** The code of an app, some steps from now. */
function codeOf(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() + steps * 30_000 })
}

const ticketIn = (text: string) => /name="ticket" value="([^"]+)"/.exec(text)?.[1] ?? ''
const secretIn = (text: string) => /secret=([A-Z2-7]+)/.exec(text)?.[1] ?? ''
const codesIn = (text: string) => [...text.matchAll(/<li><code>([^<]+)<\/code>/g)].map(([, code = '']) => code)
const optionsIn = (text: string) => JSON.parse((/data-options="([^"]+)"/.exec(text)?.[1] ?? '{}').replaceAll('&quot;', '"'))

/** Sets an app up, and waits until its next code. */
async function withApp(client: ConsoleClient): Promise<{ readonly secret: string; readonly codes: readonly string[] }> {
  const { text } = await client.get(`${OWN}/authenticator`)
  const secret = secretIn(text)
  const shown = await client.post(`${OWN}/authenticator`, { ticket: ticketIn(text), code: codeOf(secret) })
  if (shown.status !== 200 && shown.status !== 303) throw new Error(shown.text)
  wait(60)
  return { secret, codes: codesIn(shown.text) }
}

/** Sets a passkey up. */
async function withPasskey(client: ConsoleClient, name = 'laptop') {
  const device = softAuthenticator(ORIGIN)
  const { text } = await client.get(`${OWN}/passkeys`)
  const reply = await client.post(`${OWN}/passkeys`, { ticket: ticketIn(text), name, passkey: device.create(optionsIn(text)) })
  return { device, reply, codes: codesIn(reply.text) }
}

/** A browser in which the password was right. */
async function halfIn(username: string, next = ''): Promise<ConsoleClient> {
  const client = visitor()
  await client.get('/console/sign-in')
  const { location } = await client.post('/console/sign-in', { username, password: PASSWORD, next })
  expect(location).toMatch(/^\/console\/sign-in\/second-factor\?next=/)
  await client.get(FACTOR)
  return client
}

const show = (client: ConsoleClient, code: string, kind = 'totp') => client.post(FACTOR, { kind, code })
const isIn = async (client: ConsoleClient) => (await client.get('/console/account')).status === 200
const policy = (second_factor: readonly string[], more: object = {}) =>
  performAs(operator(), agent.tenant, setSettings, { second_factor, ...more })

describe('an authenticator app', () => {
  it('counts once a code of it is right; with it come recovery codes, shown once', async () => {
    const client = await signedIn(agent, 'app', 'viewer', agent.tenant)
    const other = visitor()
    await other.get('/console/sign-in')
    await other.post('/console/sign-in', { username: 'app', password: PASSWORD })
    const page = await client.get(`${OWN}/authenticator`)
    const [secret, ticket] = [secretIn(page.text), ticketIn(page.text)]
    expect(page.text).toContain('src="data:image/svg+xml;base64,')
    const wrong = await client.post(`${OWN}/authenticator`, { ticket, code: codeOf(secret, 5) })
    expect([wrong.status, secretIn(wrong.text)]).toEqual([400, secret])
    expect((await client.get('/console/account')).text).toContain('Set up a second factor')
    const shown = await client.post(`${OWN}/authenticator`, { ticket: ticketIn(wrong.text), code: codeOf(secret) })
    expect(codesIn(shown.text)).toHaveLength(10)
    expect(await isIn(client), 'this session goes on').toBe(true)
    expect(await isIn(other), 'the others end').toBe(false)
    for (const path of [OWN, '/console/account', `${OWN}/authenticator`])
      expect((await client.get(path)).text).not.toContain(codesIn(shown.text)[0])
    const half = await halfIn('app')
    expect((await show(half, codeOf(secret))).status, 'the code that it was set up with was used').toBe(401)
  })

  it('no page is open between password and code, and the next code opens them once', async () => {
    const { secret } = await withApp(await signedIn(agent, 'steps', 'administrator', agent.tenant))
    const orders = `/console/t/${agent.tenant}/orders?status=active`
    const half = await halfIn('steps', orders)
    for (const { method, path, access } of consoleRouteTable()) {
      if (access === 'anyone' || access === 'half-signed-in') continue
      const address = `/console${path.replace('{tenant}', agent.tenant).replaceAll(/\{\w+\}/g, 'x')}`
      const { status, location } = await (method === 'GET' ? half.get(address) : half.post(address))
      expect([path, status, location?.split('?', 1)[0]]).toEqual([path, 303, '/console/sign-in'])
    }
    await half.get(FACTOR)
    const before = half.cookie
    const done = await half.post(FACTOR, { kind: 'totp', code: codeOf(secret), next: orders })
    expect([done.status, done.location]).toEqual([303, orders])
    expect(half.cookie).not.toBe(before)
    expect((await half.get(orders)).status).toBe(200)
    const old = visitor()
    old.cookie = before
    expect([await isIn(old), (await old.get(FACTOR)).location]).toEqual([false, expect.stringContaining('/console/sign-in?')])
  })

  it('a code counts for one step of drift, and once, wherever it is sent', async () => {
    const { secret } = await withApp(await signedIn(agent, 'drift', 'viewer', agent.tenant))
    for (const [steps, status] of [
      [-2, 401],
      [2, 401],
      [-1, 303],
      [-1, 401],
      [1, 303],
      [0, 401],
      [1, 401],
    ] as const)
      expect([steps, (await show(await halfIn('drift'), codeOf(secret, steps))).status]).toEqual([steps, status])
    wait(60)
    const [one, two] = [await halfIn('drift'), await halfIn('drift')]
    const both = await Promise.all([show(one, codeOf(secret)), show(two, codeOf(secret))])
    expect(both.map(({ status }) => status).sort()).toEqual([303, 401])
    wait(60)
    const same = await halfIn('drift')
    const twice = await Promise.all([show(same, codeOf(secret)), show(same, codeOf(secret, 1))])
    expect(twice.filter(({ location }) => location === '/console')).toHaveLength(1)
  })

  it('the second step lasts five minutes, in the browser of the first alone', async () => {
    const { secret } = await withApp(await signedIn(agent, 'short', 'viewer', agent.tenant))
    const half = await halfIn('short')
    const stranger = visitor()
    await stranger.get('/console/sign-in')
    expect((await show(stranger, codeOf(secret))).location).toContain('/console/sign-in?')
    wait(299)
    expect((await half.get(FACTOR)).status).toBe(200)
    wait(2)
    expect((await half.get(FACTOR)).location).toContain('/console/sign-in?')
    expect((await show(half, codeOf(secret))).location).toContain('/console/sign-in?')
    const forged = await halfIn('short')
    expect((await forged.post(FACTOR, { csrf: '', kind: 'totp', code: codeOf(secret) })).status).toBe(403)
    expect((await forged.post(FACTOR, { kind: 'totp', code: codeOf(secret) }, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(
      403,
    )
    expect((await show(forged, codeOf(secret))).status).toBe(303)
  })

  it('of 60 codes tried at once six are judged; guesses wait as those of passwords do, and passwords are not slowed down by them', async () => {
    const { secret } = await withApp(await signedIn(agent, 'guessed', 'viewer', agent.tenant))
    const half = await halfIn('guessed')
    const wrong = Array.from({ length: 60 }, (_, n) => show(half, String(100_000 + n)))
    const statuses = (await Promise.all(wrong)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(6)
    expect(statuses.filter((status) => status !== 401).every((status) => status === 429)).toBe(true)
    expect((await show(half, codeOf(secret))).status, 'a right one waits too').toBe(429)
    const again = await halfIn('guessed')
    wait(16 * 60)
    expect((await show(await halfIn('guessed'), codeOf(secret))).status).toBe(303)
    expect((await again.get(FACTOR)).location).toContain('/console/sign-in?')
  })

  it('after 100 wrong codes in a row none of the app counts, until the person shows something else', async () => {
    const client = await signedIn(agent, 'hundred', 'viewer', agent.tenant)
    const { secret, codes } = await withApp(client)
    await agent.server.store.transaction((tx) =>
      tx.updateTable('person_totps').set({ wrong_codes: 99 }).where('secret', '<>', '').execute(),
    )
    expect((await show(await halfIn('hundred'), '000000')).status).toBe(401)
    const closed = await show(await halfIn('hundred'), codeOf(secret))
    expect([closed.status, closed.text]).toEqual([409, expect.stringContaining('100 wrong codes')])
    expect((await show(await halfIn('hundred'), codes[0] ?? '', 'recovery')).status).toBe(303)
    expect((await show(await halfIn('hundred'), codeOf(secret))).status).toBe(303)
  })

  it('with a wrong password nothing tells who has one, or who exists', async () => {
    await withApp(await signedIn(agent, 'has-one', 'viewer', agent.tenant))
    await signedIn(agent, 'has-none', 'viewer', agent.tenant)
    const answers = []
    for (const username of ['has-one', 'has-none', 'is-nobody']) {
      const client = visitor()
      await client.get('/console/sign-in')
      const { status, location, text } = await client.post('/console/sign-in', { username, password: 'wrong' })
      const shown = text.replace(username, '').replace(client.csrf, '')
      answers.push({ status, location, shown, cookie: client.cookie?.length })
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })
})

describe('recovery codes', () => {
  it('each counts once, from one browser; new ones end the old', async () => {
    const client = await signedIn(agent, 'recovery', 'viewer', agent.tenant)
    const { codes } = await withApp(client)
    const [first = '', second = '', third = ''] = codes
    expect((await show(await halfIn('recovery'), first.toUpperCase().replaceAll('-', ' '), 'recovery')).status).toBe(303)
    expect((await show(await halfIn('recovery'), first, 'recovery')).status).toBe(401)
    const [one, two] = [await halfIn('recovery'), await halfIn('recovery')]
    const both = await Promise.all([show(one, second, 'recovery'), show(two, second, 'recovery')])
    expect(both.map(({ status }) => status).sort()).toEqual([303, 401])
    expect((await client.get(OWN)).text).toContain('8 of ten are left')
    const fresh = codesIn((await client.post(`${OWN}/recovery-codes`)).text)
    expect(fresh).toHaveLength(10)
    expect((await show(await halfIn('recovery'), third, 'recovery')).status).toBe(401)
    expect((await show(await halfIn('recovery'), fresh[9] ?? '', 'recovery')).status).toBe(303)
  })

  it('are of one person, and go with the last factor', async () => {
    const client = await signedIn(agent, 'leaves', 'viewer', agent.tenant)
    const mine = (await withApp(client)).codes
    const theirs = (await withApp(await signedIn(agent, 'stays', 'viewer', agent.tenant))).codes
    expect((await show(await halfIn('leaves'), theirs[0] ?? '', 'recovery')).status).toBe(401)
    expect((await client.post(`${OWN}/authenticator/remove`)).location).toContain('done=removed')
    expect((await client.post(`${OWN}/recovery-codes`)).status).toBe(409)
    const plain = visitor()
    await plain.get('/console/sign-in')
    expect((await plain.post('/console/sign-in', { username: 'leaves', password: PASSWORD })).location).toBe('/console')
    const rows = await agent.server.store.read.selectFrom('person_recovery_codes').select('code_hash').execute()
    expect(rows.length % 10).not.toBe(mine.length)
  })
})

describe('passkeys', () => {
  it('several with names; each signs in, and is removed', async () => {
    const client = await signedIn(agent, 'keys', 'viewer', agent.tenant)
    const laptop = await withPasskey(client)
    expect(laptop.codes).toHaveLength(10)
    const phone = await withPasskey(client, '<b>phone</b>')
    expect(phone.reply.location).toBe(`${OWN}?done=added`)
    expect((await client.get(OWN)).text).toContain('&lt;b&gt;phone&lt;/b&gt;')
    for (const { device } of [laptop, phone]) {
      const half = await halfIn('keys')
      const options = optionsIn((await half.get(FACTOR)).text)
      expect(options.allowCredentials).toHaveLength(2)
      expect((await half.post(FACTOR, { kind: 'passkey', passkey: device.get(options) })).location).toBe('/console')
      expect(await isIn(half)).toBe(true)
    }
    const [, path = ''] = /action="([^"]+)"(?:(?!<\/form>).)*passkey laptop"/.exec((await client.get(OWN)).text) ?? []
    expect((await client.post(path)).location).toContain('done=removed')
    const half = await halfIn('keys')
    const gone = await half.post(FACTOR, {
      kind: 'passkey',
      passkey: laptop.device.get(optionsIn((await half.get(FACTOR)).text)),
    })
    expect(gone.status).toBe(401)
  })

  it('an answer counts once, for the sign-in that asked; a copied authenticator is refused', async () => {
    const { device } = await withPasskey(await signedIn(agent, 'copied', 'viewer', agent.tenant))
    const [one, two] = [await halfIn('copied'), await halfIn('copied')]
    const options = optionsIn((await one.get(FACTOR)).text)
    const passkey = device.get(options)
    expect((await two.post(FACTOR, { kind: 'passkey', passkey })).status, 'asked in another browser').toBe(401)
    const evil = device.get(options, { origin: 'https://ads-publisher.example' })
    expect((await one.post(FACTOR, { kind: 'passkey', passkey: evil })).status, 'of another origin').toBe(401)
    const both = await Promise.all([1, 2].map(() => one.post(FACTOR, { kind: 'passkey', passkey })))
    expect(both.filter(({ location }) => location === '/console')).toHaveLength(1)
    device.state.counter = 1
    const clone = await halfIn('copied')
    const copy = device.get(optionsIn((await clone.get(FACTOR)).text))
    expect((await clone.post(FACTOR, { kind: 'passkey', passkey: copy })).status).toBe(401)
  })

  it('is nobody else’s: not that of a known credential, not set up for another session', async () => {
    const one = await signedIn(agent, 'one', 'viewer', agent.tenant)
    const two = await signedIn(agent, 'two', 'viewer', agent.tenant)
    const device = softAuthenticator(ORIGIN)
    const page = (await one.get(`${OWN}/passkeys`)).text
    const passkey = device.create(optionsIn(page))
    const stolen = await two.post(`${OWN}/passkeys`, { ticket: ticketIn(page), name: 'x', passkey })
    expect(stolen.status).toBe(400)
    expect((await one.post(`${OWN}/passkeys`, { ticket: ticketIn(page), name: 'x', passkey })).status).toBe(200)
    expect((await one.post(`${OWN}/passkeys`, { ticket: ticketIn(page), name: 'x', passkey })).status).toBe(409)
    const other = (await two.get(`${OWN}/passkeys`)).text
    const known = device.create(optionsIn(other))
    expect((await two.post(`${OWN}/passkeys`, { ticket: ticketIn(other), name: 'x', passkey: known })).status).toBe(409)
    expect((await two.post(`${OWN}/passkeys`, { ticket: ticketIn(other), name: '', passkey: known })).status).toBe(400)
    const app = (await one.get(`${OWN}/authenticator`)).text
    const given = { ticket: ticketIn(app), code: codeOf(secretIn(app)) }
    expect((await two.post(`${OWN}/authenticator`, given)).status).toBe(400)
  })
})

describe('a role that needs a second factor', () => {
  it('gets nowhere but to the pages that set one up, also with a session from before', async () => {
    const client = await signedIn(agent, 'needs', 'ad_operations', agent.tenant)
    const free = await signedIn(agent, 'free', 'viewer', agent.tenant)
    const elsewhere = await signedIn(agent, 'elsewhere', 'ad_operations', 'other')
    const global = await signedIn(agent, 'global', 'ad_operations')
    await policy(['ad_operations', 'finance'])
    expect([await isIn(free), await isIn(elsewhere), await isIn(global), await isIn(client)]).toEqual([true, true, false, false])
    for (const address of [
      '/console/open/x',
      '/console',
      '/console/publishers',
      '/console/nothing',
      `/console/t/${agent.tenant}/live`,
    ])
      expect([address, (await client.get(address)).location]).toEqual([address, OWN])
    for (const route of consoleRouteTable()) {
      const { method, path, access } = route
      if (access === 'anyone' || (access === 'signed-in' && 'withoutFactor' in route)) continue
      const address = `/console${path.replace('{tenant}', agent.tenant).replaceAll(/\{\w+\}/g, 'x')}`
      const { status, location } = await (method === 'GET' ? client.get(address) : client.post(address))
      expect([path, status, location]).toEqual([path, 303, OWN])
    }
    const page = await client.get(OWN)
    expect(page.text).toContain('Your role needs a second factor')
    expect(page.text).not.toContain(`/t/${agent.tenant}`)
    const { secret } = await withApp(client)
    expect((await client.get(`/console/t/${agent.tenant}/home`)).status).toBe(200)
    const last = await client.post(`${OWN}/authenticator/remove`)
    expect([last.status, last.text]).toEqual([409, expect.stringContaining('needs a second factor')])
    const { device } = await withPasskey(client)
    const removals = [
      client.post(`${OWN}/authenticator/remove`),
      client.post(`${OWN}/passkeys/${JSON.parse(device.create({ challenge: '', rp: { id: '' } })).id}/remove`),
    ]
    expect((await Promise.all(removals)).map(({ status }) => status).sort(), 'one of the last two at once').toEqual([303, 409])
    await policy([])
    expect([await isIn(global), secret.length]).toEqual([true, 32])
  })

  it('an invited person sets it up first, and a new role asks for it at once', async () => {
    await policy(['administrator'])
    const invited = visitor()
    const path = await invitationOf(agent, 'administrator', agent.tenant)
    await invited.get(path)
    await invited.post(path, { username: 'invited', name: 'I', password: PASSWORD })
    expect((await invited.get('/console')).location).toBe(OWN)
    await withApp(invited)
    expect((await invited.get(`/console/t/${agent.tenant}/people`)).text).toContain('authenticator app')
    const promoted = await signedIn(agent, 'promoted', 'viewer', agent.tenant)
    await performAs(operator(), agent.tenant, setRole, { username: 'promoted', role: 'administrator' })
    expect(await isIn(promoted)).toBe(false)
    await performAs(operator(), agent.tenant, removePerson, { username: 'promoted' })
    expect(await isIn(promoted)).toBe(true)
    await policy([])
  })

  it('factors are changed for a quarter of an hour after the sign-in', async () => {
    const client = await signedIn(agent, 'later', 'viewer', agent.tenant)
    const { text } = await client.get(`${OWN}/authenticator`)
    const given = { ticket: ticketIn(text), code: codeOf(secretIn(text)) }
    wait(15 * 60 + 1)
    expect((await client.post(`${OWN}/authenticator`, given)).location).toBe(OWN)
    expect((await client.get(`${OWN}/passkeys`)).location).toBe(OWN)
    const page = await client.get(OWN)
    expect(page.text).toContain('Sign in again')
    expect(page.text).not.toContain('Add a passkey')
    expect((await client.post(`${OWN}/again`)).location).toContain('/console/sign-in?next=')
    expect(await isIn(client)).toBe(false)
  })

  it('a new password makes no session younger: who knows the old one in an open browser changes no factors', async () => {
    const client = await signedIn(agent, 'renewed', 'viewer', agent.tenant)
    await withApp(client)
    wait(15 * 60 + 1)
    const given = { present: PASSWORD, next: `${PASSWORD} 2` }
    expect((await client.post('/console/account/password', given)).location).toBe('/console/account?done=changed')
    expect((await client.get(OWN)).text).toContain('Sign in again')
    expect((await client.post(`${OWN}/authenticator/remove`)).location).toBe(OWN)
    expect((await client.get('/console/account')).text).toContain('password and code')
    for (let minutes = 17; minutes < 12 * 60; minutes += 50) {
      expect(await isIn(client)).toBe(true)
      wait(50 * 60)
    }
    expect(await isIn(client), 'and it ends twelve hours after the sign-in').toBe(false)
  })
})

describe('an administrator', () => {
  it('removes the factors of a person who lost them: sessions end, the log says it, and no secret is anywhere', async () => {
    const client = await signedIn(agent, 'lost', 'viewer', agent.tenant)
    const { secret, codes } = await withApp(client)
    await withPasskey(client)
    const address = 'https://93.184.215.14/notifications'
    await performAs(operator(), agent.tenant, setPersonChannel, {
      username: 'lost',
      channel: 'webhook',
      address,
      kinds: ['drift'],
    })
    const half = await halfIn('lost')
    const boss = await signedIn(agent, 'boss', 'administrator', agent.tenant)
    const people = `/console/t/${agent.tenant}/people`
    expect((await boss.get(people)).text).toContain('authenticator app, 1 passkey')
    expect((await boss.post(`${people}/lost/reset-factors`)).location).toBe(`${people}?done=removed`)
    expect([await isIn(client), (await half.get(FACTOR)).status]).toEqual([false, 303])
    const plain = visitor()
    await plain.get('/console/sign-in')
    expect((await plain.post('/console/sign-in', { username: 'lost', password: PASSWORD })).location).toBe('/console')
    const told = await agent.server.store.read.selectFrom('notification_outbox').select('document').execute()
    expect(told.map(({ document }) => JSON.parse(document).items)).toEqual([
      [expect.objectContaining({ kind: 'account', subject: 'lost', text: expect.stringContaining('An administrator removed') })],
    ])
    await agent.server.audit.settled()
    const [entry] = await listAuditEntries(operator(), agent.tenant, { task: 'people.reset-factors', limit: 1 })
    expect(entry).toMatchObject({
      principal: 'person:boss',
      subject: 'lost',
      changes: { authenticator_app: [true, false], passkeys: [1, 0] },
    })
    expect((await boss.post(`${people}/boss/reset-factors`)).status, 'not their own').toBe(409)
    const viewer = await signedIn(agent, 'looks', 'viewer', agent.tenant)
    expect((await viewer.post(`${people}/boss/reset-factors`)).status).toBe(403)
    expect((await viewer.get(people)).text).not.toContain('authenticator app')
    const log = JSON.stringify(await agent.server.store.read.selectFrom('audit_entries').selectAll().execute())
    for (const text of [secret, ...codes, ...codes.map((code) => code.replaceAll('-', ''))]) expect(log).not.toContain(text)
    const stored = await agent.server.store.read.selectFrom('person_totps').selectAll().execute()
    expect(stored.every((row) => row.secret.startsWith('v1.'))).toBe(true)
  })

  it('of one publisher not those of who works for others too', async () => {
    const both = await signedIn(agent, 'both', 'viewer')
    await withApp(both)
    const act = performAs(operator(), agent.tenant, resetPersonFactors, { username: 'both' })
    await expect(act).rejects.toMatchObject({ code: 'INVALID_STATE', field: 'username' })
    const { items } = await performAs(operator(), agent.tenant, listPeopleFactors, {})
    expect(items.find(({ username }) => username === 'both')).toMatchObject({
      authenticator_app: true,
      needed: false,
      elsewhere: true,
    })
    const [people, path] = [`/console/t/${agent.tenant}/people`, `/console/t/${agent.tenant}/people/both/reset-factors`]
    const ofOne = await signedIn(agent, 'boss-of-one', 'administrator', agent.tenant)
    expect((await ofOne.get(people)).text).not.toContain(path)
    expect([(await ofOne.post(path)).status, await isIn(both)]).toEqual([403, true])
    const ofAll = await signedIn(agent, 'boss-of-all', 'administrator')
    expect((await ofAll.get(people)).text).toContain(path)
    expect([(await ofAll.post(path)).location, await isIn(both)]).toEqual([`${people}?done=removed`, false])
    expect(await performAs(operator(), agent.tenant, resetAnyFactors, { username: 'both' })).toEqual({
      username: 'both',
      removed: false,
    })
    await signedIn(agent, 'far', 'viewer', 'other')
    await expect(performAs(operator(), agent.tenant, resetPersonFactors, { username: 'far' })).rejects.toMatchObject({
      code: 'REFERENCE_NOT_FOUND',
    })
  })
})

it('the sessions of the account are those that count, and the others are ended at once', async () => {
  const client = await signedIn(agent, 'tabs', 'viewer', agent.tenant)
  const others = []
  for (let n = 0; n < 2; n += 1) {
    const other = visitor()
    await other.get('/console/sign-in')
    await other.post('/console/sign-in', { username: 'tabs', password: PASSWORD })
    others.push(other)
  }
  const ends = (text: string) => [...text.matchAll(/sessions\/[0-9a-f-]{36}\/end"/g)].length
  expect(ends((await client.get('/console/account')).text)).toBe(2)
  wait(61 * 60)
  const fresh = visitor()
  await fresh.get('/console/sign-in')
  await fresh.post('/console/sign-in', { username: 'tabs', password: PASSWORD })
  expect(ends((await fresh.get('/console/account')).text), 'idle for an hour: over').toBe(0)
  const second = visitor()
  await second.get('/console/sign-in')
  await second.post('/console/sign-in', { username: 'tabs', password: PASSWORD })
  await fresh.get('/console/account')
  expect((await fresh.post('/console/account/sessions/end-others')).location).toBe('/console/account?done=removed')
  expect([await isIn(fresh), await isIn(second)]).toEqual([true, false])
})
