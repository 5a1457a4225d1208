import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { removePersonChannel, setPersonChannel } from '../../src/operator/notifications/channel-acts.ts'
import { listNotifications } from '../../src/operator/notifications/list-notifications.ts'
import { listChannels } from '../../src/operator/notifications/manage-channels.ts'
import { testChannel } from '../../src/operator/notifications/test-channel.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { revokePerson } from '../../src/operator/people/manage-people.ts'
import { recordDrift } from '../../src/store/ad-serving/ad-server-drift.ts'
import { listAudit } from '../../src/store/audit/audit.ts'
import { leaseMessages } from '../../src/store/notification/notification-outbox.ts'
import { insertPerson, saveRole } from '../../src/store/people/people.ts'
import { ConsoleClient, signedIn } from '../support/console-client.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

const PASSWORD = 'correct horse battery staple'
/** A text of a buyer that names a person. */
const PERSONAL = 'po-of-jane-doe@agency.example'

let agent: MediaBuyAgent
let operator: OperatorContext
let mail: MailServer
let receiver: WebhookReceiver
let now = new Date('2026-03-01T12:00:00Z')
const log: string[] = []
// biome-ignore lint/suspicious/noExplicitAny: answers are judged by assertions
let late: any

const CREATIVE = {
  creative_id: 'c1',
  name: 'Spring',
  format_id: { agent_url: '', id: 'display_300x250' },
  assets: {
    image: { asset_type: 'image', url: 'https://cdn.brand.example/a.png', width: 300, height: 250 },
    click_url: { asset_type: 'url', url: 'https://brand.example/', url_type: 'clickthrough' },
  },
}

beforeAll(async () => {
  mail = await startMailServer('ads', PASSWORD)
  receiver = await startReceiver()
  const products = [productDocument('news'), productDocument('takeover', {}, { approval: 'manual' })]
  agent = await startMediaBuyAgent(products, {
    clock: () => now,
    // Each look is asked for: see `settle`.
    notifications: { everyMs: 0, pollMs: 3_600_000, random: () => 0.5 },
    onLog: (line) => log.push(line),
    flags: {
      'notifications.smtp.host': '127.0.0.1',
      'notifications.smtp.port': mail.port,
      'notifications.smtp.security': 'none',
      'notifications.smtp.user': 'ads',
      'notifications.smtp.password': PASSWORD,
      'notifications.smtp.from': 'ads@acme.example',
    },
  })
  operator = operatorBeside(agent, () => now)
  CREATIVE.format_id.agent_url = agent.url
  late = (await agent.create()).data
  for (const username of ['robin', 'kim', 'lee', 'max']) await addPerson(username)
})
afterAll(async () => {
  await agent.stop()
  await mail.close()
  await receiver.close()
})

async function addPerson(username: string): Promise<void> {
  await agent.server.store.transaction(async (tx) => {
    await insertPerson(tx, { personId: `person-${username}`, username, name: username, passwordHash: 'none' }, now)
    await saveRole(tx, `person-${username}`, { tenantId: agent.tenant, role: 'ad_operations' })
  })
}

/** Looks once for what is new, writes messages and sends them. */
async function settle(): Promise<void> {
  const { watch, dispatcher } = agent.server.notifications
  watch.wake()
  await watch.idle()
  dispatcher.wake()
  await dispatcher.idle()
}

const later = (minutes: number) => {
  now = new Date(now.getTime() + minutes * 60_000)
}
const order = async () => {
  const packages = [{ product_id: 'takeover', pricing_option_id: 'cpm', budget: 500 }]
  const flight = { start_time: '2026-06-01T00:00:00Z', end_time: '2026-06-11T00:00:00Z' }
  const { data } = await agent.create({ packages, po_number: PERSONAL, ...flight })
  return String(data.task_id)
}
const channel = (username: string, name: string, more: object = {}) =>
  performAs(operator, agent.tenant, setPersonChannel, { username, channel: name, ...more })

describe('channels of people', () => {
  it('are set, shown without the secrets of their addresses, changed in parts, and removed', async () => {
    const shown = await channel('robin', 'slack', { address: `${receiver.origin}/services/T0/secret`, kinds: ['waiting'] })
    expect(shown).toMatchObject({ address: `${receiver.origin}/…`, kinds: ['waiting'], timing: 'at_once', digest_hour: null })
    expect(await channel('robin', 'slack', { timing: 'digest' })).toMatchObject({ kinds: ['waiting'], digest_hour: 7 })
    expect(await listChannels(operator, { tenantId: agent.tenant, username: 'robin' })).toHaveLength(1)
    await performAs(operator, agent.tenant, removePersonChannel, { username: 'robin', channel: 'slack' })
    expect(await listChannels(operator, { tenantId: agent.tenant })).toEqual([])
    await agent.server.audit.settled()
    const entries = await listAudit(agent.server.store.read, agent.tenant, { limit: 10 })
    expect(entries.filter(({ task }) => task.startsWith('notifications.')).map(({ task, subject }) => [task, subject])).toEqual([
      ['notifications.remove', 'robin/slack'],
      ['notifications.set', 'robin/slack'],
      ['notifications.set', 'robin/slack'],
    ])
  })

  it.each([
    ['an unknown channel', 'pigeon', {}, 'channel must be one of mail, slack, webhook'],
    ['no address', 'mail', {}, 'a new mail channel needs an address'],
    ['two addresses', 'mail', { address: 'a@acme.example, b@acme.example' }, 'one mail address'],
    ['another header', 'mail', { address: 'a@acme.example\r\nBcc: b@acme.example' }, 'one mail address'],
    ['plain HTTP', 'slack', { address: 'http://hooks.acme.example/x' }, 'not https'],
    ['a private address', 'webhook', { address: 'https://10.0.0.8/x' }, 'reserved'],
    ['a name of a local network', 'webhook', { address: 'https://intranet/x' }, 'no domain'],
    ['the same with the dot of the root', 'webhook', { address: 'https://intranet.:8443/x' }, 'no domain'],
    ['the metadata service', 'webhook', { address: 'https://169.254.169.254/latest' }, 'reserved'],
    ['user information', 'webhook', { address: 'https://a:b@hooks.acme.example/x' }, 'user information'],
    ['an unknown kind', 'mail', { address: 'a@acme.example', kinds: ['all'] }, 'kinds must be a list of some of waiting'],
    ['an hour that there is not', 'mail', { address: 'a@acme.example', digest_hour: 24 }, 'from 0 to 23'],
    ['another timing', 'mail', { address: 'a@acme.example', timing: 'weekly' }, 'one of at_once, digest'],
  ])('refuse %s', async (_name, name, settings, message) => {
    await expect(channel('robin', name, settings)).rejects.toThrow(message)
  })

  it('are of people with a role here', async () => {
    await expect(channel('nobody', 'mail', { address: 'a@acme.example' })).rejects.toThrow('there is no person nobody')
  })
})

describe('what people are told', () => {
  it('a decision that waits comes by mail, Slack and signed webhook, once, and without texts of the buyer', async () => {
    await channel('robin', 'mail', { address: 'robin@acme.example' })
    await channel('kim', 'slack', { address: `${receiver.origin}/slack` })
    await channel('lee', 'webhook', { address: `${receiver.origin}/hook` })
    const task = await order()
    await settle()
    await settle()
    expect(mail.mails).toHaveLength(1)
    expect(mail.mails[0]).toMatchObject({ from: 'ads@acme.example', to: ['robin@acme.example'] })
    expect(mail.mails[0]?.source).toContain('Auto-Submitted: auto-generated')
    const text = mail.mails[0]?.source.replaceAll(/=\r\n/g, '')
    expect(text).toContain('Subject: acme: A new order of buyer')
    const [link = ''] = /\/console\/open\/[\w-]+/.exec(text ?? '') ?? []
    const stranger = new ConsoleClient(new URL(agent.url).origin)
    expect((await stranger.get(link)).location).toBe(`/console/sign-in?next=${encodeURIComponent(link)}`)
    const ada = await signedIn(agent, 'ada', 'viewer', agent.tenant)
    expect((await ada.get(link)).location).toBe(`/console/t/acme/inbox/${task}`)
    expect(text).toMatch(/Choose what you are told, and when: \S+\/console\/t\/acme\/notifications\b/)
    expect(receiver.at('/slack').map(({ body }) => body.text)).toEqual([
      expect.stringMatching(/A new order of buyer .* needs a decision by \d+ Mar 2026/),
    ])
    expect(receiver.at('/slack')[0]?.body.blocks).toEqual([
      { type: 'section', text: { type: 'mrkdwn', text: expect.stringMatching(/^\*acme: A new order/) } },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: expect.stringContaining('needs a decision') },
        accessory: {
          type: 'button',
          text: { type: 'plain_text', text: 'Decide' },
          url: expect.stringMatching(/^http:.*\/console\/open\/[\w-]+$/),
        },
      },
    ])
    const links = await operator.services.decisionLinks()
    const over = await ada.get(`/console${links.pathOf({ path: '/t/acme/inbox', expiresAt: now.getTime() })}`)
    expect([over.status, over.text.includes('This link has expired')]).toEqual([410, true])
    const changed = `${link.slice(0, -1)}${link.endsWith('A') ? 'Q' : 'A'}`
    const none = await ada.get(changed)
    expect(none.status).toBe(404)
    // Whoever has a role elsewhere learns no more from a link than from one that was never made, also when it has expired.
    await agent.addBuyer({ principal: 'other', tenant: 'elsewhere' })
    const eve = await signedIn(agent, 'eve', 'administrator', 'elsewhere')
    const expired = `/console${links.pathOf({ path: `/t/acme/inbox/${task}`, expiresAt: now.getTime() })}`
    const pages = [await eve.get(link), await eve.get(expired), await eve.get(changed)]
    expect(pages.map(({ status, location }) => [status, location])).toEqual(Array(3).fill([404, null]))
    for (const { text: shown } of pages) {
      expect(shown).toContain('There is nothing to decide here for eve. Sign in as the person that the message was sent to')
      expect(shown).not.toMatch(/acme/)
      expect(shown).not.toContain(task)
    }
    expect(none.text).toContain('There is nothing to decide here for ada')
    const [hook] = receiver.at('/hook')
    expect(receiver.at('/hook')).toHaveLength(1)
    expect(hook?.headers['signature-input']).toContain('tag="adcp/webhook-signing')
    expect(operator.schemas.validator('own:notification-webhook.json')(hook?.body)).toEqual([])
    expect(hook?.body.items[0]).toMatchObject({ kind: 'waiting', subject: task, expires_at: '2026-03-04T12:00:00.000Z' })
    const sent = [...mail.mails.map(({ source }) => source), ...receiver.received.map(({ bytes }) => bytes.toString())].join()
    expect(sent).not.toMatch(/jane|po-of/i)
  })

  it('a request that is about to expire, once', async () => {
    later(61 * 60)
    await settle()
    await settle()
    const [, expiring] = receiver.at('/hook')
    expect(receiver.at('/hook')).toHaveLength(2)
    expect(expiring?.body.items.map(({ kind }: { kind: string }) => kind)).toEqual(['expiring'])
  })

  it('an order that underdelivers, and drift at an ad server', async () => {
    later(24 * 60)
    // Its creative came days after the flight had begun.
    const { data } = await agent.run('sync_creatives', { creatives: [CREATIVE] })
    expect(data.creatives[0]).toMatchObject({ action: 'created' })
    const [{ package_id }] = late.packages
    const packages = [{ package_id, creative_assignments: [{ creative_id: 'c1' }] }]
    const updated = await agent.run('update_media_buy', { media_buy_id: late.media_buy_id, packages })
    expect(updated.isError).toBe(false)
    const before = receiver.at('/hook').length
    const tenantId = agent.tenant
    await agent.server.store.transaction((tx) =>
      recordDrift(
        tx,
        { tenantId, mediaBuyId: 'mb_1', adServer: 'gam' },
        ['end', 'rate'].map((field) => ({ subject: 'order', field, expected: 1, observed: 2 })),
        now,
      ),
    )
    await settle()
    await settle()
    const items = receiver
      .at('/hook')
      .slice(before)
      .flatMap(({ body }) => body.items)
    expect(items.filter(({ kind }) => kind === 'underdelivery')).toEqual([
      expect.objectContaining({
        subject: late.media_buy_id,
        text: expect.stringContaining('has delivered 0 % of what was ordered'),
      }),
    ])
    expect(items).toContainEqual(
      expect.objectContaining({ kind: 'drift', subject: 'mb_1', text: expect.stringContaining('2 settings') }),
    )
  })

  it('only kinds that they chose; several things at a time are one message; a daily summary comes at its hour', async () => {
    await channel('robin', 'mail', { kinds: ['drift'] })
    await channel('max', 'mail', { address: 'max@acme.example', timing: 'digest', digest_hour: 6 })
    mail.mails.length = 0
    const [first, second] = [await order(), await order()]
    const before = receiver.at('/hook').length
    await settle()
    expect(mail.mails).toEqual([])
    const [both] = receiver.at('/hook').slice(before)
    expect(receiver.at('/hook').slice(before)).toHaveLength(1)
    expect(both?.body.items.map(({ subject }: { subject: string }) => subject).sort()).toEqual([first, second].sort())
    later(24 * 60)
    await settle()
    expect(mail.mails.map(({ to }) => to)).toEqual([['max@acme.example']])
    expect(mail.mails[0]?.source).toContain('daily summary')
  })
})

describe('delivery', () => {
  it('is repeated with the same message id after a failure and after a process died, and given up when it is refused', async () => {
    await performAs(operator, agent.tenant, removePersonChannel, { username: 'max', channel: 'mail' })
    await channel('robin', 'mail', { kinds: ['waiting'] })
    mail.mails.length = 0
    mail.refuse({ code: 451, text: 'try again later' })
    await order()
    await settle()
    const [failed] = (await performAs(operator, agent.tenant, listNotifications, { username: 'robin' })).items
    expect(failed).toMatchObject({ state: 'pending', attempts: 1, last_error: expect.stringContaining('451') })
    later(1)
    // Another process leases it and dies.
    expect(await leaseMessages(agent.server.store, { now, leaseMs: 60_000, limit: 1 })).toHaveLength(1)
    mail.refuse(undefined)
    await settle()
    expect(mail.mails).toHaveLength(0)
    later(2)
    await settle()
    expect(mail.mails).toHaveLength(1)
    expect(mail.mails[0]?.source).toContain(`Message-ID: <${failed?.delivery_id}@acme.example>`)
    mail.refuse({ code: 550, text: 'no such mailbox' })
    await order()
    await settle()
    expect((await performAs(operator, agent.tenant, listNotifications, { username: 'robin', state: 'dead' })).items).toHaveLength(
      1,
    )
    mail.refuse(undefined)
  })

  it('a test says what came of it, and no answer or log line repeats the password', async () => {
    const named = { tenantId: agent.tenant, username: 'robin', channel: 'mail' } as const
    expect(await testChannel(operator, named)).toEqual({ delivered: true, status: 250, error: null })
    mail.refuse({ code: 554, text: `spam, ${PASSWORD}` })
    const refused = await testChannel(operator, named)
    expect(refused).toMatchObject({ delivered: false, error: expect.stringContaining('554') })
    mail.refuse(undefined)
    expect(JSON.stringify(refused) + log.join('')).not.toContain(PASSWORD)
    await expect(testChannel(operator, { ...named, username: 'kim' })).rejects.toThrow('kim has no mail channel')
  })

  it('nobody who has left is told anything', async () => {
    await performAs(operator, agent.tenant, revokePerson, { username: 'lee' })
    const before = receiver.at('/hook').length
    await order()
    await settle()
    expect(receiver.at('/hook')).toHaveLength(before)
    expect(receiver.at('/slack').length).toBeGreaterThan(1)
  })
})
