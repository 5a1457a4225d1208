import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { actsCommand } from '../../src/cli/act-command.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { privacyActs } from '../../src/operator/privacy/acts.ts'
import { sweepPersonalData } from '../../src/store/privacy/personal-data.ts'
import { hashed, people } from '../support/buyer-data-agent.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { listAuditEntries } from '../support/operator.ts'

let agent: MediaBuyAgent

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
})
afterAll(() => agent.stop())

const event = (person: number, event_time = '2026-03-01T10:00:00Z') => ({
  event_id: randomUUID(),
  event_type: 'purchase',
  event_time,
  user_match: { hashed_email: hashed(`person${person}@mail.example`) },
})

beforeEach(async () => {
  agent.setClock('2026-03-01T12:00:00Z')
  await run('--before', '2999-01-01')
  const audiences = [
    { audience_id: 'one', add: people(0, 3) },
    { audience_id: 'two', add: people(1, 3) },
  ]
  await agent.run('sync_audiences', { audiences })
  await agent.run('sync_event_sources', { event_sources: [{ event_source_id: 'web' }] })
  await agent.run('log_event', { event_source_id: 'web', events: [event(1), event(1), event(2)] })
})

/** Runs the command on the data folder of the running server, as a second process would. */
async function run(...args: string[]) {
  const written = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  try {
    await actsCommand('privacy', privacyActs).parseAsync(
      ['erase', ...args, '--yes', '--tenant', agent.tenant, '--data', agent.config.data, '--json'],
      {
        from: 'user',
      },
    )
    return JSON.parse(String(written.mock.calls[0]?.[0]))
  } finally {
    written.mockRestore()
  }
}

const sizes = async () => {
  const { data } = await agent.run('sync_audiences', {})
  return data.audiences.map((row: { total_uploaded_count: number }) => row.total_uploaded_count)
}
const events = async () => (await agent.server.store.read.selectFrom('events').selectAll().execute()).length

test('a person leaves every audience and every event goes; a dry run only tells', async () => {
  const who = ['--identifier-hash', hashed('person1@mail.example').toUpperCase()]
  expect(await run(...who, '--dry-run')).toEqual({
    tenant: 'acme',
    dry_run: true,
    audiences: 0,
    members: 2,
    events: 2,
    exposures: 0,
  })
  expect([await sizes(), await events()]).toEqual([[3, 3], 3])
  expect(await run(...who)).toMatchObject({ dry_run: false, members: 2, events: 2 })
  expect([await sizes(), await events()]).toEqual([[2, 2], 1])
  expect(await run(...who)).toMatchObject({ members: 0, events: 0 })
})

test('a buyer without an audience is refused: what is old is erased of everybody', async () => {
  await expect(run('--before', '2999-01-01', '--buyer', 'nobody')).rejects.toMatchObject({
    field: 'audience',
    message: 'audience is required beside buyer',
  })
  expect([await sizes(), await events()]).toEqual([[3, 3], 3])
})

test('an audience goes with everybody in it, for one agent when it is named', async () => {
  expect(await run('--audience', 'one', '--buyer', 'nobody')).toMatchObject({ audiences: 0 })
  expect(await run('--audience', 'one')).toMatchObject({ audiences: 1, members: 3 })
  expect(await sizes()).toEqual([3])
  const left = await agent.server.store.read.selectFrom('audience_identifiers').select('seller_id').distinct().execute()
  expect(left).toHaveLength(1)
})

test('it asks first, and the audit log says how much and not who', async () => {
  const hash = hashed('person1@mail.example')
  const unasked = actsCommand('privacy', privacyActs).parseAsync(
    ['erase', '--identifier-hash', hash, '--tenant', agent.tenant, '--data', agent.config.data],
    { from: 'user' },
  )
  await expect(unasked).rejects.toThrow(/^Personal data is erased for good .* pass --yes to confirm$/)
  expect(await sizes()).toEqual([3, 3])
  await run('--identifier-hash', hash, '--audience', 'one', '--buyer', 'buyer')
  await agent.server.audit.settled()
  const operator = operatorOn(agent.server.store, agent.config)
  const [entry] = await listAuditEntries(operator, agent.tenant, { limit: 1 })
  expect(entry).toMatchObject({
    task: 'privacy.erase',
    subject: 'one',
    changes: { buyer: [null, 'buyer'], erased_audiences: [null, 1], erased_events: [null, 2] },
  })
  expect(JSON.stringify(entry)).not.toContain(hash)
})

test('what is older than a time goes', async () => {
  agent.setClock('2026-04-01T12:00:00Z')
  await agent.run('sync_audiences', { audiences: [{ audience_id: 'two', add: people(1, 1) }] })
  await agent.run('log_event', { event_source_id: 'web', events: [event(5, '2026-04-01T10:00:00Z')] })
  expect(await run('--before', '2026-03-15')).toMatchObject({ audiences: 0, members: 5, events: 3 })
  expect([await sizes(), await events()]).toEqual([[0, 1], 1])
})

test('the sweep of the server forgets by the retention, and who was sent again stays', async () => {
  agent.setClock('2026-07-01T12:00:00Z')
  await agent.run('sync_audiences', { audiences: [{ audience_id: 'one', add: people(0, 1) }] })
  const sweep = (days: number) =>
    agent.server.store.transaction((tx) =>
      sweepPersonalData(tx, new Date(Date.parse('2026-03-01T12:00:00Z') + days * 86_400_000), {
        audienceRetentionDays: 180,
        eventRetentionDays: 365,
      }),
    )
  expect(await sweep(180)).toEqual({ audiences: 0, members: 0, events: 0, exposures: 0 })
  expect(await sweep(181)).toEqual({ audiences: 0, members: 5, events: 0, exposures: 0 })
  expect(await sizes()).toEqual([1, 0])
  expect(await sweep(366)).toEqual({ audiences: 0, members: 1, events: 3, exposures: 0 })
})

test('something has to be named', async () => {
  await expect(run()).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
})

test('what is refused anyway is not asked about', async () => {
  const erase = (...args: string[]) =>
    actsCommand('privacy', privacyActs).parseAsync(['erase', ...args, '--tenant', agent.tenant, '--data', agent.config.data], {
      from: 'user',
    })
  await expect(erase('--before', 'yesterday')).rejects.toThrow('must be a point in time')
  await expect(erase('--before', '2020-01-01')).rejects.toThrow('pass --yes to confirm')
})
