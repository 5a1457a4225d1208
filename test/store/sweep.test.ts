import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appendEmbeddedEvents, decisionIdPrefix, type EmbeddedEvent, firstLoggedHour } from '../../src/store/embedded/events.ts'
import { rebuildEmbeddedSums } from '../../src/store/embedded/reports.ts'
import { openSqlite, type SqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { sweep } from '../../src/store/sweep.ts'

const NOW = new Date('2026-05-01T00:00:00Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000).toISOString()
/** More than two transactions take. */
const ANSWERS = 1_201
const fail = (step: string, error: unknown) => {
  throw new Error(`sweeping ${step} failed`, { cause: error })
}

const folder = mkdtempSync(join(tmpdir(), 'sales-agent-sweep-'))
let store: SqliteStore
beforeAll(async () => {
  store = await openSqlite(join(folder, 'store.sqlite'))
  const answer = (key: string, expiresAt: string, forgetAt: string) => ({
    tenant_id: 't',
    principal_id: 'p',
    account_id: 'a',
    idempotency_key: key,
    request_hash: 'h',
    claim: 'c',
    lease_until: daysAgo(10),
    response: '{}',
    expires_at: expiresAt,
    forget_at: forgetAt,
  })
  const proposal = (id: string, expiresAt: string) => ({
    tenant_id: 't',
    principal_id: 'p',
    proposal_id: id,
    account_id: null,
    status: 'draft' as const,
    document: '{}',
    expires_at: expiresAt,
    revision: 1,
    created_at: daysAgo(50),
    updated_at: daysAgo(50),
  })
  await store.transaction(async (tx) => {
    await tx
      .insertInto('tenants')
      .values({
        tenant_id: 't',
        name: 't',
        domain: 't.example',
        is_public_default: 0,
        products_revision: 1,
        settings: '{}',
        created_at: daysAgo(50),
      })
      .execute()
    for (let n = 0; n < ANSWERS; n++)
      await tx
        .insertInto('idempotency')
        .values(answer(`old-${n}`, daysAgo(1), daysAgo(-6)))
        .execute()
    await tx
      .insertInto('idempotency')
      .values([answer('kept', daysAgo(-1), daysAgo(-8)), answer('forgotten', daysAgo(9), daysAgo(2))])
      .execute()
    await tx
      .insertInto('proposals')
      .values([proposal('long over', daysAgo(31)), proposal('just over', daysAgo(29))])
      .execute()
  })
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

describe('sweeping', () => {
  it('empties every answer past its time, in as many rounds as it takes, and drops what is forgotten', async () => {
    const limits = { sweep: async () => {} }
    const privacy = { audienceRetentionDays: 1, eventRetentionDays: 1 }
    while (await sweep(store, { privacy, limits, withOauth: true, clock: () => NOW, onFailure: fail }));
    const rows = await store.read.selectFrom('idempotency').select(['idempotency_key', 'response']).execute()
    expect(rows.filter(({ response }) => response === '')).toHaveLength(ANSWERS)
    expect(rows.filter(({ response }) => response !== '')).toEqual([{ idempotency_key: 'kept', response: '{}' }])
    const proposals = await store.read.selectFrom('proposals').select('proposal_id').execute()
    expect(proposals).toEqual([{ proposal_id: 'just over' }])
  })
})

it('does the other steps when one fails, and tells which did', async () => {
  const over = { token_hash: 'h', invitation_id: 'i', role: 'viewer', created_at: daysAgo(50), expires_at: daysAgo(1) } as const
  await store.transaction((tx) =>
    tx
      .insertInto('person_invitations')
      .values({ ...over, tenant_id: null })
      .execute(),
  )
  const failed: string[] = []
  await sweep(store, {
    privacy: { audienceRetentionDays: 1, eventRetentionDays: 1 },
    limits: {
      sweep: async () => {
        throw new Error('away')
      },
    },
    withOauth: true,
    clock: () => NOW,
    onFailure: (step) => failed.push(step),
  })
  expect(failed).toEqual(['limits'])
  expect(await store.read.selectFrom('person_invitations').selectAll().execute()).toEqual([])
})

describe('the log of events of ads', () => {
  /** An impression of an ad that was decided on a minute before. */
  const seen = (name: string, happenedAt: string): EmbeddedEvent => {
    const decisionId = `${decisionIdPrefix(new Date(Date.parse(happenedAt) - 60_000))}${name}`
    return {
      eventId: `${decisionId}.impression`,
      decisionId,
      tenantId: 't',
      lineId: 'line',
      creativeId: 'creative',
      place: 'home',
      kind: 'impression',
      isBot: false,
      rateMicros: 1,
      happenedAt,
    }
  }

  it('loses events of whole hours that are over for ninety days, and the sums that are made again from it lose nothing', async () => {
    // More than one transaction takes.
    const old = Array.from({ length: 5_001 }, (_, n) => seen(`old${n}`, daysAgo(91)))
    const early = seen('early', new Date(Date.parse(daysAgo(90)) - 1).toISOString())
    const kept = [seen('first', daysAgo(90)), seen('late', daysAgo(1))]
    await store.transaction((tx) => appendEmbeddedEvents(tx, [...old, early, ...kept]))
    const sums = async () => ({
      hours: await store.read.selectFrom('embedded_hours').select(['hour', 'events']).orderBy('hour').execute(),
      totals: await store.read.selectFrom('embedded_totals').select(['line_id', 'kind', 'events']).execute(),
    })
    const before = await sums()
    const privacy = { audienceRetentionDays: 1, eventRetentionDays: 1 }
    while (
      await sweep(store, { privacy, limits: { sweep: async () => {} }, withOauth: true, clock: () => NOW, onFailure: fail })
    );
    const left = await store.read.selectFrom('embedded_events').select('event_id').orderBy('event_id').execute()
    expect(left.map(({ event_id }) => event_id)).toEqual(kept.map(({ eventId }) => eventId))
    await store.transaction((tx) => rebuildEmbeddedSums(tx, 't', firstLoggedHour(NOW)))
    expect(await sums()).toEqual(before)
    expect(before.totals).toEqual([{ line_id: 'line', kind: 'impression', events: 5_004 }])
  })
})
