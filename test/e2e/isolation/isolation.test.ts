import { randomUUID } from 'node:crypto'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manifest } from '../../../src/protocol/manifest.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'
import { storePath } from '../../../src/store/open.ts'
import { TASKS } from '../../../src/tasks/index.ts'
import type { TaskReply } from '../../support/client.ts'
import { idFieldsOf, withId } from '../../support/id-fields.ts'
import { absentLike, acquire, type Holder, type Kind, startWorld, type World } from './holdings.ts'
import { CONTROLLER, kindOf, NOT_OWNED, requestFor, UNCHECKED } from './requests.ts'

const schemas = new Schemas()

/** Every id of every task that leads to something of somebody's: from the registry and the official schemas, so that none is forgotten. */
const CASES = TASKS.flatMap((task) =>
  idFieldsOf(schemas, task.name).flatMap((field) => {
    const kind = kindOf(task.name, field)
    return kind === undefined ? [] : [{ task, field, kind }]
  }),
)

describe('the list of ids', () => {
  it('every id of every request is known to this test: owned by somebody, or with a reason why not', () => {
    const unknown = TASKS.flatMap((task) =>
      idFieldsOf(schemas, task.name)
        .filter((field) => kindOf(task.name, field) === undefined && !(String(field.path.split('.').at(-1)) in NOT_OWNED))
        .map((field) => `${task.name} ${field.path} (${field.entity ?? 'no entity'})`),
    )
    expect(unknown).toEqual([])
  })

  it('every task that takes an owned id has a request here', () => {
    const own = new Proxy({} as Holder['own'], { get: () => 'id' })
    const missing = CASES.filter(({ task, field }) => !requestFor(task.name, field.path, own, 'https://ads.example/mcp'))
    expect(missing.map(({ task, field }) => `${task.name} ${field.path}`)).toEqual([])
  })

  it('is no empty list', () => {
    expect(new Set(CASES.map(({ kind }) => kind)).size).toBe(14)
    expect(CASES.length).toBeGreaterThan(50)
  })
})

/** Ids and other things made by chance, and the ids under test, blanked out: two answers may differ in nothing else. */
function faceOf({ status, headers, raw }: TaskReply, ...ids: readonly string[]): object {
  const text = ids.reduce((json, id) => json.replaceAll(id, '<id>'), JSON.stringify(raw))
  const blanked = text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>').replace(/[pc]lt_[\w-]{43}/g, '<token>')
  const kept = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
  return { status, headers: kept, body: JSON.parse(blanked) }
}

/** Every row of the store, as text that begins with its table. Over a connection of its own: what it sees is committed. */
function dump(data: string): readonly string[] {
  const database = new Database(storePath(data), { readonly: true })
  try {
    const tables = database.prepare("select name from sqlite_master where type = 'table'").pluck().all().map(String)
    return tables.flatMap((name) =>
      database
        .prepare(`select * from "${name}"`)
        .raw()
        .all()
        .map((row) => `${name} ${JSON.stringify(row)}`),
    )
  } finally {
    database.close()
  }
}

/** How many rows of each table came or went. */
function growth(after: readonly string[], before: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  const count = (rows: readonly string[], by: number) => {
    for (const row of rows) {
      const table = row.slice(0, row.indexOf(' '))
      counts.set(table, (counts.get(table) ?? 0) + by)
    }
  }
  count(after, 1)
  count(before, -1)
  return Object.fromEntries([...counts].filter(([, by]) => by !== 0))
}

describe.each([
  ['agents', false],
  ['sandbox agents', true],
])('%s', (_who, sandbox) => {
  let world: World
  beforeAll(async () => {
    world = await startWorld(sandbox)
  })
  afterAll(() => world.stop())

  const ask = (who: Holder, task: string, request: object) =>
    who.client.call(task, { ...request, ...(manifest.tools[task]?.mutating && { idempotency_key: randomUUID() }) })

  /** Somebody with new things, as far as this request needs them. */
  const freshly = async (who: Holder, task: string, path: string, kind: Kind): Promise<Holder> => {
    const kinds = new Set<Kind>([kind])
    const recorder = new Proxy(who.own, { get: (_own, name) => kinds.add(String(name) as Kind) && String(name) })
    requestFor(task, path, recorder, world.url)
    return { ...who, own: await acquire(who.client, who.name, world.url, kinds) }
  }

  /** Asks with the victim's id and with one that nobody has; the two must be the same in everything but the id. */
  async function expectNoDifference(
    attackers: readonly [Holder, Holder],
    victim: Holder,
    kind: Kind,
    task: string,
    requestOf: (who: Holder, id: string) => object,
  ): Promise<void> {
    const { data } = world.config
    const id = victim.own[kind]
    const absent = absentLike(id)
    const [first, second] = attackers
    const before = dump(data)
    const toAbsent = await ask(first, task, requestOf(first, absent))
    const between = dump(data)
    const toReal = await ask(second, task, requestOf(second, id))
    const after = dump(data)
    // An account that a sandbox agent opens by naming it has an id of the server's where the name is taken.
    const accountsIn = ({ raw }: TaskReply) =>
      sandbox && kind === 'account' ? [...JSON.stringify(raw).matchAll(/acc_[-0-9a-f]{36}/g)].map(String) : []
    expect(faceOf(toReal, id, ...accountsIn(toReal)), `${first.name} sees a difference`).toEqual(
      faceOf(toAbsent, absent, ...accountsIn(toAbsent)),
    )
    expect(growth(after, between), 'side effects differ').toEqual(growth(between, before))
    const ids = Object.values(victim.own).filter((own) => own !== '')
    const kept = new Set(after)
    const changed = before.filter((row) => ids.some((own) => row.includes(own)) && !kept.has(row))
    expect(changed, "something of the victim's was changed").toEqual([])
    expect(JSON.stringify(toReal.raw)).not.toMatch(/of victim|says victim/)
  }

  describe.each(CASES.filter(({ task }) => !task.sandboxOnly))('$task.name $field.path', ({ task, field, kind }) => {
    const fresh = (who: Holder) => freshly(who, task.name, field.path, kind)
    const requestOf = (who: Holder, id: string) => withId(requestFor(task.name, field.path, who.own, world.url) ?? {}, field, id)

    it.each(sandbox ? [0] : [0, 1])('of somebody else is as absent (attacker %i)', async (index) => {
      const attacker = world.attackers[index]
      if (!attacker) throw new Error('no attacker')
      const pair: [Holder, Holder] = [await fresh(attacker), await fresh(attacker)]
      const victim = await fresh(world.victim)
      const sent = requestOf(pair[0], victim.own[kind])
      const complete = { ...sent, ...(manifest.tools[task.name]?.mutating && { idempotency_key: randomUUID() }) }
      expect(schemas.request(task.name)(complete), 'the request is no request').toEqual([])
      await expectNoDifference(pair, victim, kind, task.name, requestOf)
    })

    const isChecked = !(`${task.name} ${field.path}` in UNCHECKED)
    it.runIf(isChecked && !sandbox)('its owner is told a difference: the id is looked at', async () => {
      const [owner, twin] = [await fresh(world.victim), await fresh(world.victim)]
      const id = owner.own[kind]
      const absent = absentLike(id)
      const mine = await ask(owner, task.name, requestOf(owner, id))
      const none = await ask(twin, task.name, requestOf(twin, absent))
      expect(faceOf(mine, id)).not.toEqual(faceOf(none, absent))
    })
  })

  it.each(TASKS.filter((task) => !task.sandboxOnly && /^(list|get)_/.test(task.name)).map(({ name }) => name))(
    '%s shows nothing of others without being asked',
    async (task) => {
      for (const attacker of world.attackers) {
        const { raw } = await ask(attacker, task, requestFor(task, '', attacker.own, world.url) ?? {})
        const text = JSON.stringify(raw)
        for (const id of Object.values(world.victim.own)) expect(text).not.toContain(id)
        expect(text).not.toMatch(/of victim|says victim/)
      }
    },
  )

  it.each(sandbox ? CONTROLLER : [])('comply_test_controller %s %s', async (scenario, parameter, kind, more) => {
    const name = 'comply_test_controller'
    for (const attacker of world.attackers) {
      const fresh = (who: Holder) => freshly(who, name, '', kind)
      const requestOf = (_who: Holder, id: string) => ({ scenario, params: { [parameter]: id, ...more } })
      await expectNoDifference([await fresh(attacker), await fresh(attacker)], await fresh(world.victim), kind, name, requestOf)
    }
  })

  it("an idempotency key of somebody else's is a new one", async () => {
    const idempotency_key = randomUUID()
    const create = (who: Holder) =>
      who.client.call('create_property_list', { idempotency_key, name: 'Mine', account: { account_id: who.own.account } })
    const first = await create(world.victim)
    for (const attacker of world.attackers) {
      const reply = await create(attacker)
      expect(reply.isError).toBe(false)
      expect(reply.data.replayed).toBeUndefined()
      expect(reply.data.list.list_id).not.toBe(first.data.list.list_id)
    }
  })

  it('what a buyer made of a draft proposal is its own', async () => {
    const { data } = await world.victim.client.call('get_products', {
      buying_mode: 'brief',
      brief: 'video for commuters, 50000 USD',
    })
    const proposal_id = data.proposals.at(-1).proposal_id
    const refine = [{ scope: 'proposal', proposal_id, action: 'finalize' }]
    const firm = await world.victim.client.call('get_products', { buying_mode: 'refine', refine })
    expect(firm.data.proposals[0].proposal_status).toBe('committed')
    for (const attacker of world.attackers) {
      const seen = await attacker.client.call('get_products', {
        buying_mode: 'refine',
        refine: [{ scope: 'proposal', proposal_id }],
      })
      expect(seen.data.proposals?.[0]?.proposal_status).not.toBe('committed')
    }
  })
})
