import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AdminOperation, isQueried } from '../../src/admin-api/operation.ts'
import { OPERATIONS } from '../../src/admin-api/operations.ts'
import { paramNames } from '../../src/operator/act.ts'
import type { FieldSet } from '../../src/operator/fields.ts'
import { type AdminCall, adminClient } from '../support/admin-client.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { consoleRouteTable } from '../support/console-routes.ts'
import { seededChance } from '../support/match-attack/page-views.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createAdminKey, operatorBeside } from '../support/operator.ts'

const ROUNDS = 12
const chance = seededChance(20_260_301)
const pick = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)] as T

/** Texts that break programs: too long, empty, of other scripts, code of several languages, control characters. */
const TEXTS = [
  '',
  ' ',
  'none',
  '-',
  '*',
  '0',
  '1e309',
  '2026-02-30',
  '2026-03-01T00:00:00Z',
  '9d',
  'news',
  'buyer',
  'Europe/Berlin',
  'https://[::1]/',
  '../../etc/passwd',
  "' OR 1=1; --",
  '<script>alert(1)</script>',
  '=HYPERLINK("x")',
  '%00',
  'a\u0000b',
  '\ud800',
  '🎉'.repeat(50),
  'x'.repeat(1_999),
  'x'.repeat(2_001),
  '__proto__',
  'constructor',
]
const OTHERS = [null, true, false, 0, -1, 1, 50, 2 ** 53, 1.5, [], {}, [[]], { a: { b: [] } }, ['x', 1], { x: 'y' }]

/** A value that fits most of the time, and breaks a rule at other times. */
function sampleOf(schema: Readonly<Record<string, unknown>>): unknown {
  if (chance() < 0.15) return pick([...TEXTS, ...OTHERS])
  if (Array.isArray(schema.enum)) return pick(schema.enum)
  if (schema.type === 'string') return pick(TEXTS)
  if (schema.type === 'integer') return pick([0, 1, 7, 23, 50, 200, 500, 2 ** 52])
  if (schema.type === 'boolean') return chance() < 0.5
  if (schema.type === 'array') return [pick(TEXTS), pick(TEXTS)].slice(Math.floor(chance() * 3))
  return pick<object>([{}, { version: 1 }, { version: 1, products: [{}] }, { name: 'x' }, { a: pick(TEXTS) }])
}

function membersOf(fields: FieldSet): Record<string, unknown> {
  const members = Object.entries(fields).flatMap(([name, { required, schema }]) =>
    required || chance() < 0.5 ? [[name, sampleOf(schema)] as const] : [],
  )
  return Object.fromEntries(chance() < 0.1 ? [...members, [pick(['unknown', '__proto__']), 1]] : members)
}

let agent: MediaBuyAgent
let call: AdminCall
let person: ConsoleClient
let ids: readonly string[]

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], {
    clock: () => new Date('2026-03-01T12:00:00.000Z'),
    flags: { 'limits.adminRequests': 1_000_000 },
  })
  const operator = operatorBeside(agent, () => new Date('2026-03-01T12:00:00.000Z'))
  const key = { tenantId: agent.tenant, name: 'fuzz', role: 'administrator' as const, deployment: true }
  call = adminClient(agent.url, (await createAdminKey(operator, key)).token)
  person = await signedIn(agent, 'robin', 'administrator', agent.tenant)
  ids = ['none', '-', 'news', 'buyer', String((await agent.create()).data.media_buy_id), '2026-02', ...TEXTS.filter(Boolean)]
})
afterAll(() => agent?.stop())

/** A path without the lone surrogate, which no client can write. */
const part = () => encodeURIComponent(pick(ids.filter((id) => id !== '\ud800')))

function request(operation: AdminOperation): { readonly path: string; readonly body?: unknown } {
  const path = paramNames(operation.path).reduce((text, name) => text.replace(`{${name}}`, part()), operation.path)
  const members = membersOf(operation.fields)
  if (!isQueried(operation)) return { path, body: chance() < 0.05 ? pick(OTHERS) : members }
  const query = new URLSearchParams(Object.entries(members).map(([name, value]): [string, string] => [name, String(value)]))
  return { path: `${path}?${query}` }
}

/** These end the keys and the sessions that the test works with. */
const LAST = ['revokeAdminKey', 'removePublisher', 'revokePerson', 'removePerson', 'setRole']

describe('operations of the admin API under hostile members', () => {
  it.each(OPERATIONS.filter(({ id }) => !LAST.includes(id)).map((operation) => [operation.id, operation] as const))(
    '%s answers or refuses, and never fails',
    async (_id, operation) => {
      for (let round = 0; round < ROUNDS; round++) {
        const { path, ...rest } = request(operation)
        const answer = await call(operation.method, path, rest)
        const told = JSON.stringify([operation.method, path.slice(0, 300), rest, answer.data]).slice(0, 1_500)
        expect([answer.status === 500, told]).toEqual([false, told])
        if (answer.status === 200) continue
        expect(answer.type).toBe('application/problem+json')
        expect(answer.data).toMatchObject({ title: expect.stringMatching(/^[A-Z_]+$/), status: answer.status })
        expect(answer.data.detail).not.toMatch(/SQLITE|syntax error at|at .*\.ts:\d|node:internal/)
      }
    },
  )

  it('the server is as it was', async () => {
    expect((await call('GET', '/orders')).data.items).toHaveLength(1)
  })
})

const forms = consoleRouteTable().filter(({ method, path }) => method === 'POST' && path.startsWith('/t/'))
const NAMES =
  'id reason question conditions action ends_at revision package_ids name principal scopes expires role username address kinds timing digest_hour status amount currency month file mapping above products time_zone'

describe('forms of the console under hostile fields', () => {
  it.each(forms.map(({ path }) => [path]))('%s answers or refuses, and never fails', async (path) => {
    for (let round = 0; round < ROUNDS; round++) {
      const address = `/console${path.replace('{tenant}', agent.tenant).replaceAll(/\{\w+\}/g, part)}`
      const fields = Object.fromEntries(NAMES.split(' ').flatMap((name) => (chance() < 0.6 ? [[name, pick(TEXTS)]] : [])))
      const reply = await person.post(address, fields)
      const told = JSON.stringify([address.slice(0, 300), fields, reply.text.slice(0, 300)]).slice(0, 1_500)
      expect([reply.status >= 500, told]).toEqual([false, told])
      expect(reply.text).not.toContain('<script>alert(1)')
    }
  })
})
