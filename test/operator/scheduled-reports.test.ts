import { readSheet } from 'read-excel-file/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setPersonChannel } from '../../src/operator/notifications/channel-acts.ts'
import { listNotifications } from '../../src/operator/notifications/list-notifications.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { removePerson } from '../../src/operator/people/manage-people.ts'
import { deliveryReport } from '../../src/operator/reports/delivery-report.ts'
import { reportCsv } from '../../src/operator/reports/report-csv.ts'
import { forgetReport, openReport, saveReport } from '../../src/operator/reports/saved-reports.ts'
import { listReportSchedules, scheduleReport, unscheduleReport } from '../../src/operator/reports/schedule-reports.ts'
import { sendDueReport } from '../../src/operator/reports/send-due-report.ts'
import { changeTenant } from '../../src/operator/tenants/set-tenant.ts'
import { insertPerson, saveRole } from '../../src/store/people/people.ts'
import { claimSchedule } from '../../src/store/saved-report/report-schedules.ts'
import { banner } from '../support/creative-agent.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { acting, operatorBeside, performAs } from '../support/operator.ts'

const PASSWORD = 'correct horse battery staple'

let agent: MediaBuyAgent
let operator: OperatorContext
let mail: MailServer
let now = new Date('2026-03-01T12:00:00Z')

beforeAll(async () => {
  mail = await startMailServer('ads', PASSWORD)
  agent = await startMediaBuyAgent([productDocument('news')], {
    clock: () => now,
    notifications: { everyMs: 0, pollMs: 3_600_000, random: () => 0.5 },
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
  await changeTenant(acting(operator, agent.tenant), agent.tenant, { timeZone: 'Europe/Berlin' })
  await agent.run('sync_creatives', { creatives: [banner(agent.url, 'one')] })
  const creative_assignments = [{ creative_id: 'one', weight: 100 }]
  await agent.create({ packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000, creative_assignments }] })
  for (const username of ['robin', 'kim', 'lee']) await addPerson(username)
  for (const username of ['robin', 'kim'])
    await act(setPersonChannel, { username, channel: 'mail', address: `${username}@acme.example` })
  await act(saveReport, { report: 'Week / all', by: ['product', 'day'], last_days: 7 })
})
afterAll(async () => {
  await agent.stop()
  await mail.close()
})

const act = <F extends object>(one: Parameters<typeof performAs>[2] & F, members: Readonly<Record<string, unknown>>) =>
  performAs(operator, agent.tenant, one, members)
const schedules = async () => (await performAs(operator, agent.tenant, listReportSchedules, {})).items
const only = async () => (await schedules())[0]

async function addPerson(username: string): Promise<void> {
  await agent.server.store.transaction(async (tx) => {
    await insertPerson(tx, { personId: `person-${username}`, username, name: username, passwordHash: 'none' }, now)
    await saveRole(tx, `person-${username}`, { tenantId: agent.tenant, role: 'ad_operations' })
  })
}

/** Makes the reports that are due and sends all mail. */
async function settle(): Promise<void> {
  const { watch, reports, dispatcher } = agent.server.notifications
  for (const job of [reports, watch, dispatcher]) {
    job.wake()
    await job.idle()
  }
}

/** The decoded parts of a mail that have a file name. */
function filesOf(source: string): ReadonlyMap<string, Buffer> {
  const boundary = /boundary="([^"]+)"/.exec(source)?.[1] ?? ''
  const parts = source.split(`--${boundary}`).flatMap((part) => {
    const [head = '', ...body] = part.split('\r\n\r\n')
    const name = /filename=(?:"([^"]+)"|(\S+))/.exec(head)
    if (!name) return []
    const text = body.join('\r\n\r\n')
    const isBase64 = /base64/i.test(head)
    return [[name[1] ?? name[2] ?? '', isBase64 ? Buffer.from(text, 'base64') : Buffer.from(text)] as const]
  })
  return new Map(parts)
}

describe('a schedule', () => {
  it.each([
    ['a report that there is not', { report: 'none' }, 'report', 'there is no saved report none'],
    ['somebody who is not here', { to: ['nobody'] }, 'to', 'there is no person nobody'],
    ['somebody without mail', { to: ['lee'] }, 'to', 'lee has no mail channel'],
    ['nobody', { to: [] }, 'to', 'to must be a list of 1 to 50 user names'],
    ['a weekday of every day', { weekday: 'monday' }, 'weekday', 'leave it out'],
    ['a day of the month of every day', { month_day: 2 }, 'month_day', 'leave it out'],
    ['a day that some months lack', { every: 'monthly', month_day: 29 }, 'month_day', 'from 1 to 28'],
    ['an hour that there is not', { hour: 24 }, 'hour', 'from 0 to 23'],
  ])('refuses %s', async (_name, members, field, message) => {
    const asked = act(scheduleReport, { report: 'Week / all', every: 'daily', to: ['robin'], ...members })
    await expect(asked).rejects.toMatchObject({ field, message: expect.stringContaining(message) })
    expect(await schedules()).toEqual([])
  })

  it('is at an hour of the publisher, is shown with its report, changed and ended', async () => {
    // Sunday noon in Berlin: the next Monday at 7.
    await act(scheduleReport, { report: 'Week / all', every: 'weekly', to: ['robin', 'kim', 'robin'] })
    expect(await only()).toMatchObject({
      ...{ report: 'Week / all', every: 'weekly', weekday: 'monday', month_day: null, hour: 7, days: 'saved' },
      ...{ time_zone: 'Europe/Berlin', next_at: '2026-03-02T06:00:00.000Z', last_sent_at: null, sends_mail: true },
      to: [{ username: 'robin' }, { username: 'kim' }],
    })
    const { schedule } = await performAs(operator, agent.tenant, openReport, { report: 'Week / all' })
    expect(schedule).toEqual(await only())
    await act(unscheduleReport, { report: 'Week / all' })
    expect(await schedules()).toEqual([])
    await expect(act(unscheduleReport, { report: 'Week / all' })).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
  })
})

describe('sending', () => {
  it('comes once at its hour, to each person, with the figures of the days that are over, as CSV and workbook', async () => {
    await act(scheduleReport, { report: 'Week / all', every: 'weekly', to: ['robin', 'kim'] })
    now = new Date('2026-03-09T05:59:00Z')
    // The Monday of March 2 is made up for, the one of March 9 is not due yet.
    await settle()
    expect(mail.mails).toHaveLength(2)
    mail.mails.length = 0
    now = new Date('2026-03-09T06:00:00Z')
    await settle()
    await settle()
    expect(mail.mails.map(({ to }) => to[0]).sort()).toEqual(['kim@acme.example', 'robin@acme.example'])
    const source = mail.mails[0]?.source ?? ''
    expect(source.replaceAll(/=\r\n/g, '')).toMatch(/Subject: acme: Week \/ all, 2026-03-02 to 2026-03-08/)
    expect(source.replaceAll(/=\r\n/g, '')).toContain('/console/t/acme/reports/saved/Week%20%2F%20all')
    const report = await performAs(operator, agent.tenant, deliveryReport, {
      ...{ by: ['product', 'day'], first: '2026-03-02', last: '2026-03-08' },
    })
    expect(report.rows.length).toBeGreaterThan(0)
    const files = filesOf(source)
    expect([...files.keys()]).toEqual(['Week-all-2026-03-02-2026-03-08.csv', 'Week-all-2026-03-02-2026-03-08.xlsx'])
    expect(files.get('Week-all-2026-03-02-2026-03-08.csv')?.toString().trim()).toBe(reportCsv(report).trim())
    const sheet = await readSheet(files.get('Week-all-2026-03-02-2026-03-08.xlsx') ?? Buffer.alloc(0))
    expect(sheet.length).toBe(report.rows.length + 1)
    expect(await only()).toMatchObject({ next_at: '2026-03-16T06:00:00.000Z', last_sent_at: now.toISOString(), last_error: null })
  })

  it('is made by one of several processes, and by another one when that dies before the messages are written', async () => {
    mail.mails.length = 0
    now = new Date('2026-03-16T06:00:10Z')
    const failures: unknown[] = []
    const look = () => sendDueReport(operator, { chance: 0.5, onFailure: (_, error) => failures.push(error) })
    // A process claims it and dies.
    expect(await claimSchedule(agent.server.store, now, 60_000)).toMatchObject({ report: 'Week / all' })
    expect(await Promise.all([look(), look(), look()])).toEqual([false, false, false])
    now = new Date('2026-03-16T06:01:11Z')
    const looks = await Promise.all([look(), look(), look(), look()])
    expect(looks.filter(Boolean)).toHaveLength(1)
    await settle()
    expect([mail.mails.length, failures]).toEqual([2, []])
  })

  it('a process that comes back after its claim is over writes nothing', async () => {
    mail.mails.length = 0
    now = new Date('2026-03-23T06:00:10Z')
    const adServers = await agent.server.services.adServers
    let isReady = () => {}
    const waits = new Promise<void>((resolve) => {
      isReady = resolve
    })
    const slow: OperatorContext = {
      ...operator,
      services: {
        ...operator.services,
        adServers: async () => {
          await waits
          return adServers
        },
      },
    }
    const late = sendDueReport(slow, { chance: 0.5, onFailure: () => undefined })
    await new Promise((resolve) => setTimeout(resolve, 50))
    now = new Date('2026-03-23T06:06:00Z')
    await settle()
    expect(mail.mails).toHaveLength(2)
    isReady()
    await late
    await settle()
    expect(mail.mails).toHaveLength(2)
    expect(await only()).toMatchObject({ next_at: '2026-03-30T05:00:00.000Z' })
  })

  it('the period before: after a change of the hour, of an outage the newest seven days', async () => {
    mail.mails.length = 0
    await act(scheduleReport, { report: 'Week / all', every: 'daily', hour: 8, days: 'period', to: ['robin'] })
    now = new Date('2026-04-20T10:00:00Z')
    await settle()
    const subjects = mail.mails.map(({ source }) => /2026-\d\d-\d\d to 2026-\d\d-\d\d/.exec(source)?.[0])
    const days = [13, 14, 15, 16, 17, 18, 19].map((day) => `2026-04-${day} to 2026-04-${day}`)
    expect(subjects.toSorted()).toEqual(days)
    await settle()
    expect(mail.mails).toHaveLength(7)
  })
})

describe('what fails', () => {
  it('is tried again and told, and the report is sent once the ad server answers', async () => {
    mail.mails.length = 0
    now = new Date('2026-04-21T06:00:00Z')
    const broken: OperatorContext = {
      ...operator,
      services: { ...operator.services, adServers: () => Promise.reject(new Error('connection of a secret host refused')) },
    }
    const failures: unknown[] = []
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await sendDueReport(broken, { chance: 0.5, onFailure: (_, error) => failures.push(error) })).toBe(true)
      now = new Date(now.getTime() + 5 * 60_000)
    }
    expect(failures).toHaveLength(3)
    expect(await only()).toMatchObject({
      last_error: expect.stringContaining('could not be made'),
      failed_at: '2026-04-21T06:00:00.000Z',
    })
    const { watch, reports, dispatcher } = agent.server.notifications
    watch.wake()
    await watch.idle()
    dispatcher.wake()
    await dispatcher.idle()
    expect(mail.mails.map(({ source }) => /Subject: (.*)/.exec(source)?.[1]).join()).toContain(
      'The report Week / all was not sent',
    )
    expect(mail.mails.map(({ source }) => source).join()).not.toContain('secret host')
    mail.mails.length = 0
    reports.wake()
    await reports.idle()
    await settle()
    expect(mail.mails.map(({ source }) => source).join()).toContain('2026-04-20 to 2026-04-20')
    expect(await only()).toMatchObject({ last_error: null, next_at: '2026-04-22T06:00:00.000Z' })
  })

  it('a mail that is refused is told to the others', async () => {
    now = new Date('2026-04-22T06:00:00Z')
    mail.refuse({ code: 550, text: 'no such mailbox' })
    await settle()
    mail.refuse(undefined)
    mail.mails.length = 0
    await settle()
    expect(mail.mails.map(({ source }) => source.replaceAll(/=\r\n/g, '')).join()).toContain(
      'The report Week / all did not reach robin by mail: EMESSAGE',
    )
    const { items } = await performAs(operator, agent.tenant, listNotifications, { state: 'dead' })
    expect(items[0]).toMatchObject({ username: 'robin', items: [{ kind: 'report', subject: 'Week / all' }] })
  })

  it('who has left gets nothing, and a report for nobody is given up with the reason', async () => {
    await act(removePerson, { username: 'robin' })
    mail.mails.length = 0
    now = new Date('2026-04-23T06:00:00Z')
    await settle()
    expect(mail.mails.filter(({ to }) => to.includes('robin@acme.example'))).toEqual([])
    expect(await only()).toMatchObject({
      ...{ to: [], last_error: expect.stringContaining('nobody whom it is sent to'), next_at: '2026-04-24T06:00:00.000Z' },
    })
  })

  it('a report that is forgotten is not sent', async () => {
    await act(forgetReport, { report: 'Week / all' })
    expect(await schedules()).toEqual([])
  })
})
