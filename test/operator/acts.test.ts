import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { flagOf } from '../../src/cli/act-flags.ts'
import { allCommands } from '../../src/cli/commands.ts'
import { CHANGE_TYPE } from '../../src/domain/audit/change-type.ts'
import { ADMIN_ROLES } from '../../src/domain/identity/admin-role.ts'
import { type Act, paramNames } from '../../src/operator/act.ts'
import { ACTS } from '../../src/operator/acts.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { ACT_STEPS, perform } from '../../src/operator/perform.ts'
import { AdcpError } from '../../src/protocol/errors.ts'
import { adminClient } from '../support/admin-client.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { consoleRouteTable } from '../support/console-routes.ts'
import { createAdminKey, operatorBeside } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
let operator: OperatorContext
const keys = new Map<string, string>()
const people = new Map<string, ConsoleClient>()

beforeAll(async () => {
  agent = await startAgent({ flags: { 'limits.adminRequests': 100_000 } })
  operator = operatorBeside(agent, () => new Date())
  for (const role of ADMIN_ROLES) {
    keys.set(role, (await createAdminKey(operator, { tenantId: agent.tenant, name: role, role })).token)
    people.set(role, await signedIn(agent, role, role, agent.tenant))
  }
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => agent.stop())

it('an act runs through these steps, in this order', () => {
  expect(ACT_STEPS.map(({ name }) => name)).toEqual(['identify', 'authorise', 'checkFields', 'replay', 'audit', 'nameFields'])
})

it('every act has a name, an operation and a path of its own', () => {
  for (const of of [ACTS.map(({ name }) => name), ACTS.map(({ id }) => id), ACTS.map(({ method, path }) => `${method} ${path}`)])
    expect(new Set(of).size).toBe(of.length)
  expect(ACTS.filter(({ name }) => !CHANGE_TYPE.test(name)).map(({ name }) => name)).toEqual([])
})

it('every area of operator/ that has acts lists them, and every act is in the list', () => {
  const root = fileURLToPath(new URL('../../src/operator', import.meta.url))
  const areas = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const defined = areas.flatMap(({ name }) =>
    readdirSync(`${root}/${name}`).flatMap((file) =>
      [...readFileSync(`${root}/${name}/${file}`, 'utf8').matchAll(/defineAct\(\{\s+(?:\.{3}\w+,\s+)?name: '([a-z.-]+)'/g)].map(
        ([, act = '']) => {
          expect([act, existsSync(`${root}/${name}/acts.ts`)]).toEqual([act, true])
          return act
        },
      ),
    ),
  )
  expect(defined.toSorted()).toEqual(ACTS.map(({ name }) => name).toSorted())
})

/** Members of the path, so that only the rights and the unknown member are judged. */
const membersOf = (act: Act) => ({ ...Object.fromEntries(paramNames(act.path).map((name) => [name, 'none'])), unknown: 1 })
const isQueried = ({ method }: Act) => method === 'GET' || method === 'DELETE'
const placed = (act: Act) => paramNames(act.path).reduce((text, name) => text.replace(`{${name}}`, 'none'), act.path)

/** What forms of the console need before they reach their act. */
const FORM = {
  ...{
    reason: 'x',
    confirmed: 'yes',
    revision: '1',
    decision: 'approve',
    creative: 'creative:a::b',
    month: '2026-03',
    order: 'mb_none',
    what: 'all',
    note: 'x',
    answer: 'accept',
    settle_as: 'acknowledged',
    line: 'x',
    until: '2026-12-01',
    hours: '24',
    hour: '7',
    every: 'daily',
    to: 'none',
    placement: 'none',
    season: 'x',
    from: '2026-11-01',
  },
  ...{
    rule: 'review',
    status: 'active',
    amount: '10',
    currency: 'EUR',
    payment_days: '30',
    language: 'en',
    id: 'b',
    role: 'viewer',
  },
  ...{ name: 'x', type: 'manual', value: '1', column: 'price', pricing_option_id: 'cpm', credentials: '{}', date: '2026-03-01' },
}

describe('every act through every door, as every role', () => {
  const routes = consoleRouteTable()
  const consoleOf = (act: Act, method: string) =>
    routes
      .filter((route) => route.act === act.name && route.method === method)
      .map(({ path }) => `/console${path.replace('{tenant}', agent.tenant).replaceAll(/\{\w+\}/g, 'none')}`)
  /** Paths of forms from which an act was reached here. */
  const reached = new Set<string>()

  it.each(ACTS.map((act) => [act.name, act] as const))('%s', async (_name, act) => {
    for (const role of ADMIN_ROLES) {
      const may = act.roles.includes(role) && act.scope === 'publisher'
      const code = may ? 'INVALID_REQUEST' : 'PERMISSION_DENIED'
      const caller = { actor: operator.actor, tenantId: agent.tenant, role, deployment: false }
      const refusal = await perform(operator, caller, act, membersOf(act)).catch((error: unknown) => error)
      expect([role, refusal]).toEqual([role, expect.objectContaining({ code })])

      const call = adminClient(agent.url, keys.get(role) ?? '')
      const options = isQueried(act) ? {} : { body: { unknown: 1 } }
      const { data } = await call(act.method, `${placed(act)}${isQueried(act) ? '?unknown=1' : ''}`, options)
      expect([role, data.title, data.detail]).toEqual([role, code, (refusal as Error).message])

      const person = people.get(role) as ConsoleClient
      for (const path of consoleOf(act, 'GET')) {
        const { status } = await person.get(path)
        expect([role, path, status === 403]).toEqual([role, path, !may])
      }
      for (const path of consoleOf(act, 'POST')) {
        const run = vi.spyOn(act, 'run').mockRejectedValue(new AdcpError('CONFLICT', 'the act was reached'))
        const { status } = await person.post(path, FORM)
        expect([role, path, status === 403]).toEqual([role, path, !may])
        expect([role, path, run.mock.calls.length > 0 && !may]).toEqual([role, path, false])
        if (run.mock.calls.length > 0) reached.add(path)
        run.mockRestore()
      }
    }
  })

  it('the forms of the console reach their act, but those that look first for what they are about', () => {
    const forms = ACTS.flatMap((act) => consoleOf(act, 'POST'))
    expect(forms.length).toBeGreaterThan(40)
    expect([...new Set(forms)].filter((path) => !reached.has(path)).map((path) => path.replace(/.*\/t\/\w+/, ''))).toEqual([
      '/orders/none/terms',
      '/settings/expiry',
      '/buyers/none/creative-rules',
      '/accounts/none/status',
      '/accounts/none/credit',
      '/billing/details',
      '/reports/saved',
      '/settings/publisher',
      '/products/import',
      '/products/new',
      '/products/none/edit',
      '/products/none/price',
      '/placements/none/edit',
      '/direct-orders/none/edit',
      '/direct-orders/none/none',
      '/reports/shortfalls/policy',
      '/settings/connect-network',
      '/settings/ad-servers/none/drafts',
    ])
  })
})

it('an act of the deployment is refused in the same words on a page of no publisher', async () => {
  const act = ACTS.find(({ name }) => name === 'tenants.add') as Act
  for (const role of ADMIN_ROLES) {
    const { data } = await adminClient(agent.url, keys.get(role) ?? '')('POST', placed(act), { body: {} })
    const { status, text } = await (people.get(role) as ConsoleClient).post('/console/publishers', {
      id: 'two',
      domain: 'two.example',
    })
    expect([role, status, data.title]).toEqual([role, 403, 'PERMISSION_DENIED'])
    expect(data.detail).toMatch(
      /^addPublisher acts on the whole deployment: for that you are an administrator of every publisher/,
    )
    expect(text).toContain(data.detail)
  }
})

it('a page of the console that is a door to an act is for the roles of the act', () => {
  const doors = consoleRouteTable().flatMap(({ act: name, access, method, path }) => {
    const act = ACTS.find((each) => each.name === name)
    return act ? [{ place: `${method} ${path}`, access, roles: act.roles }] : []
  })
  expect(doors.length).toBeGreaterThan(70)
  expect(doors.filter(({ access, roles }) => access !== roles).map(({ place }) => place)).toEqual([])
})

describe('the command line', () => {
  const find = (commands: readonly Command[], words: readonly string[]): Command | undefined => {
    const next = commands.find((each) => each.name() === words[0])
    return words.length <= 1 ? next : next && find(next.commands, words.slice(1))
  }

  it('has every field of every act that is a command, as an argument or an option', async () => {
    const commands = await allCommands()
    for (const act of ACTS.filter(({ command }) => command)) {
      const words = (act.command?.words ?? act.name.replaceAll('.', ' ')).split(' ')
      const command = find(commands, words)
      const taken = Object.keys(act.fields).filter((field) => !act.command?.without?.includes(field))
      expect([act.name, taken.filter((field) => flagOf(command, field) === undefined)]).toEqual([act.name, []])
      const renamed = Object.keys(act.command?.flags ?? {}).filter((field) => !Object.hasOwn(act.fields, field))
      expect([act.name, renamed]).toEqual([act.name, []])
    }
  })
})
