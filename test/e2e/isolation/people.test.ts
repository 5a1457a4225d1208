import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storePath } from '../../../src/store/open.ts'
import { sqliteDriver } from '../../../src/store/sqlite/choose-sqlite-driver.ts'
import type { SqliteDatabase } from '../../../src/store/sqlite/sqlite-driver.ts'
import { type Holder, NOW, startWorld, type World } from '../../support/isolation/holdings.ts'
import { ask, faceOf } from './attack.ts'

/** What two buyers know of the same person. */
const PERSON = {
  external_id: 'customer-of-both-buyers',
  hashed_email: createHash('sha256').update('person@mail.example').digest('hex'),
  uids: [{ type: 'uid2', value: 'universal-id-of-the-person' }],
}
const EVENT = {
  event_id: 'order-of-the-person',
  event_type: 'purchase',
  event_time: new Date(NOW.getTime() - 3_600_000).toISOString(),
  user_match: { hashed_email: PERSON.hashed_email, uids: PERSON.uids, click_id: 'click-of-the-person' },
}

let world: World
let database: SqliteDatabase
beforeAll(async () => {
  world = await startWorld(false)
  database = sqliteDriver().open(storePath(world.config.data), { mode: 'readonly' })
})
afterAll(() => {
  database.close()
  return world.stop()
})

const upload = (who: Holder, audience_id: string, change: 'add' | 'remove' = 'add') =>
  ask(who, 'sync_audiences', { account: { account_id: who.own.account }, audiences: [{ audience_id, [change]: [PERSON] }] })
const report = (who: Holder) => ask(who, 'log_event', { event_source_id: who.own.event_source, events: [EVENT] })

describe('a person whom several buyers know', () => {
  it('is new to each: no answer tells that another has uploaded or reported the person', async () => {
    const [before, after] = [`earlier-${randomUUID()}`, `later---${randomUUID()}`]
    for (const attacker of world.attackers) {
      const first = await upload(attacker, before)
      expect(first.data.audiences[0]).toMatchObject({ action: 'created', uploaded_count: 1, total_uploaded_count: 1 })
      await upload(world.victim, `of-victim-${randomUUID()}`)
      expect(faceOf(await upload(attacker, after), after)).toEqual(faceOf(first, before))
    }
    const mine = await report(world.victim)
    expect(mine.data).toMatchObject({ events_received: 1, events_processed: 1 })
    for (const attacker of world.attackers) expect(faceOf(await report(attacker))).toEqual(faceOf(mine))
    expect((await report(world.victim)).data).toMatchObject({ events_processed: 0 })
  })

  it('stays with one when another lets the person go', async () => {
    const audience = `shared-name-${randomUUID()}`
    for (const who of [world.victim, ...world.attackers]) await upload(who, audience)
    for (const attacker of world.attackers) {
      expect((await upload(attacker, audience, 'remove')).data.audiences[0]).toMatchObject({ total_uploaded_count: 0 })
    }
    expect((await upload(world.victim, audience)).data.audiences[0]).toMatchObject({ total_uploaded_count: 1 })
  })

  it('bears another name in the store of each publisher, and none that a buyer has sent', () => {
    for (const table of ['audience_identifiers', 'event_identifiers']) {
      const namesIn = (tenant: string) =>
        database
          .prepare<{ pseudonym: string }>(`select distinct pseudonym from ${table} where tenant_id = ?`)
          .all([tenant])
          .map(({ pseudonym }) => pseudonym)
      const [acme, globex] = [namesIn('acme'), namesIn('globex')]
      expect(acme.length, table).toBeGreaterThanOrEqual(2)
      expect(globex.length, table).toBe(acme.length)
      expect(globex.filter((name) => acme.includes(name))).toEqual([])
    }
    const sent = [
      PERSON.external_id,
      PERSON.hashed_email,
      'universal-id-of-the-person',
      'order-of-the-person',
      'click-of-the-person',
    ]
    const tables = database.prepare<{ name: string }>("select name from sqlite_master where type = 'table'").all([])
    const holding = tables.filter(({ name }) => {
      const text = JSON.stringify(database.prepare(`select * from "${name}"`).all([]))
      return sent.some((value) => text.includes(value))
    })
    expect(holding).toEqual([])
  })
})
