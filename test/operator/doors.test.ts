import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { isQueried } from '../../src/admin-api/operation.ts'
import { commandsFor } from '../../src/cli/commands.ts'
import { ADMIN_ROLES } from '../../src/domain/identity/admin-role.ts'
import { type Act, paramNames } from '../../src/operator/act.ts'
import { ACTS } from '../../src/operator/acts.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { perform } from '../../src/operator/perform.ts'
import { AdcpError } from '../../src/protocol/errors.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { consoleRouteTable } from '../support/console-routes.ts'
import { sampleOf, wrongOf } from '../support/field-samples.ts'
import { FORMS_OF_NETWORKS, LOOKING_FORMS } from '../support/looking-forms.ts'
import { createAdminKey, listAuditEntries, operatorBeside } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const folder = mkdtempSync(join(tmpdir(), 'sales-agent-doors-'))
const file = join(folder, 'sample.json')
/** What an act says here in place of what it does. */
const REACHED = 'the act was reached'

let agent: TestAgent
let operator: OperatorContext
let key: string
/** The keys of the admin API, and the people of the console, of one publisher. */
const keys = new Map<string, string>()
const people = new Map<string, ConsoleClient>()

beforeAll(async () => {
  writeFileSync(file, JSON.stringify(sampleOf({ type: 'object' })))
  agent = await startAgent({ flags: { 'limits.adminRequests': 100_000 } })
  operator = operatorBeside(agent, () => new Date())
  const made = { tenantId: agent.tenant, name: 'doors', role: 'administrator' as const, deployment: true }
  key = (await createAdminKey(operator, made)).token
  for (const role of ADMIN_ROLES) {
    keys.set(role, (await createAdminKey(operator, { tenantId: agent.tenant, name: role, role })).token)
    people.set(role, await signedIn(agent, role, role, agent.tenant))
  }
})
afterEach(() => vi.restoreAllMocks())
afterAll(async () => {
  await agent?.stop()
  rmSync(folder, { recursive: true })
})

type Members = Readonly<Record<string, unknown>>

/** From now on the act notes the members that it gets, changes nothing but the audit log, and is refused. */
function stopAt(act: Act): readonly Members[] {
  const got: Members[] = []
  vi.spyOn(act, 'run').mockImplementation(async (context, values) => {
    got.push(values)
    // What changes nothing is no entry.
    if (act.changes) await context.store.transaction(async () => context.noteChanges({ played: [null, true] }))
    throw new AdcpError('CONFLICT', REACHED)
  })
  return got
}

/**
 * The words of the command of an act with a sample of each of its fields, but for those of `values`; undefined: it has none, or takes a secret from
 * standard input.
 */
function commandLine(
  { name, path, fields, scope, publisher, command: form }: Act,
  values: Members = {},
): readonly string[] | undefined {
  if (!form || form.stdin?.some((field) => fields[field]?.required)) return undefined
  const args = form.args ?? paramNames(path)
  const elsewhere = [
    ...args,
    ...(form.without ?? []),
    ...(form.stdin ?? []),
    ...Object.keys({ ...form.fixed, ...form.switches, ...form.bare }),
    form.assignments,
    publisher,
  ]
  const wordsOf = (value: unknown) => (typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : String(value))
  const givenOf = (field: string) => values[field] ?? sampleOf(fields[field]?.schema ?? {})
  const words = args.map((arg) => (fields[arg]?.local ? file : wordsOf(givenOf(arg))))
  const options = Object.entries(fields).flatMap(([field, { schema, local }]) => {
    if (local || elsewhere.includes(field)) return []
    const flag = `--${form.flags?.[field] ?? field.replaceAll('_', '-')}`
    if (form.files?.includes(field)) return [flag, file]
    if (form.onOff?.includes(field)) return [flag, 'on']
    return schema.type === 'boolean' ? [flag] : [flag, wordsOf(givenOf(field))]
  })
  const ofTenant = scope === 'publisher' || (publisher !== undefined && !args.includes(publisher))
  return [
    ...(form.words ?? name.replaceAll('.', ' ')).split(' '),
    ...(form.anyId ? [] : words),
    ...options,
    ...(ofTenant ? ['--tenant', agent.tenant] : []),
    ...(form.confirm ? ['--yes'] : []),
    ...(form.anyId ? words : []),
    ...(form.assignments === undefined ? [] : ['a=b']),
  ]
}

/** The message of what a command line is refused with. */
async function refusalOf(words: readonly string[]): Promise<unknown> {
  const [root] = await commandsFor(words[0])
  const given = [...words.slice(1), '--data', agent.config.data]
  return root?.parseAsync(given, { from: 'user' }).then(
    () => 'nothing was refused',
    (error: unknown) => (error instanceof Error ? error.message : error),
  )
}

/** Sends members to the operation of an act. */
async function send(act: Act, members: Members, as = key): Promise<{ readonly status: number; readonly data: Members }> {
  const params = paramNames(act.path)
  const path = params.reduce((text, name) => text.replace(`{${name}}`, encodeURIComponent(String(members[name]))), act.path)
  const sent = Object.entries(members).filter(([name]) => !params.includes(name))
  const query = new URLSearchParams(sent.map(([name, value]): [string, string] => [name, String(value)]))
  const response = await fetch(`${new URL(agent.url).origin}/admin/v1${path}${isQueried(act) ? `?${query}` : ''}`, {
    method: act.method,
    headers: { Authorization: `Bearer ${as}`, ...(!isQueried(act) && { 'Content-Type': 'application/json' }) },
    ...(!isQueried(act) && { body: JSON.stringify(Object.fromEntries(sent)) }),
  })
  return { status: response.status, data: JSON.parse(await response.text()) }
}

/** What the newest entry of the log says of an act, beside who did it, when and how. */
async function newestEntry(tenant: string) {
  await agent.server.audit.settled()
  const [entry] = await listAuditEntries(operator, tenant, { limit: 1 })
  const { task, subject, account, outcome, changes } = { subject: undefined, account: undefined, changes: undefined, ...entry }
  return { task, subject, account, outcome, changes }
}

/** What a request of the admin API can hold: of a file, its content. */
function sendable(act: Act, members: Members): Members {
  const kept = Object.entries(members).filter(([name]) => !act.fields[name]?.local)
  const isFile = kept.length < Object.keys(members).length
  return { ...Object.fromEntries(kept), ...(isFile && Object.hasOwn(act.fields, 'document') && { document: { a: 'b' } }) }
}

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
    customer: 'EUR none',
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
    state: 'active',
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

const routes = consoleRouteTable()
/** The addresses of the pages, or of the forms, of an act. Ids in them are of nothing that exists. */
const consoleOf = (act: Act, method: string) =>
  routes.filter((route) => route.act === act.name && route.method === method).map(({ path }) => addressOf(path, agent.tenant))

function addressOf(path: string, tenant = 'any'): string {
  return `/console${path.replace('{tenant}', tenant).replaceAll(/\{\w+\}/g, 'none')}`
}

/** The part of an address after the publisher. */
function placeOf(path: string): string {
  return path.replace(/.*\/t\/\w+/, '')
}

/** Forms that answer a refused act with the page of what they are about, here of nothing that exists. */
const SHOW_AGAIN = [
  '/billing/none/payments',
  '/billing/none/payments/none/take-back',
  '/billing/none/credit',
  '/products/none/seasons',
  '/orders/none/make-goods/credits',
  '/orders/none/make-goods/deliveries',
  '/orders/none/make-goods/none/decide',
]
/** A form that answers a refused act with a part of a page. */
const PART_OF_PAGE = ['/products/none/price/check']

/** Forms that reach no act from here; acts-in-audit.test.ts fills them in. */
const LOOK_FIRST = [...LOOKING_FORMS, ...FORMS_OF_NETWORKS].map((path) => placeOf(addressOf(path)))

describe('an act through every door, as every role', () => {
  it.each(ACTS.map((act) => [act.name, act] as const))('%s', async (_name, act) => {
    for (const role of ADMIN_ROLES) {
      const may = act.roles.includes(role) && act.scope === 'publisher'
      const code = may ? 'INVALID_REQUEST' : 'PERMISSION_DENIED'
      const caller = { actor: operator.actor, tenantId: agent.tenant, role, deployment: false }
      // With an unknown member, so that nothing is done where the role may.
      const members = { ...Object.fromEntries(paramNames(act.path).map((name) => [name, 'none'])), unknown: 1 }
      const refusal = await perform(operator, caller, act, members).catch((error: unknown) => error)
      expect([role, refusal]).toEqual([role, expect.objectContaining({ code })])
      const { data } = await send(act, members, keys.get(role))
      expect([role, data.title, data.detail]).toEqual([role, code, (refusal as Error).message])

      const person = people.get(role) as ConsoleClient
      for (const path of consoleOf(act, 'GET')) {
        const { status } = await person.get(path)
        expect([role, path, status === 403]).toEqual([role, path, !may])
      }
      for (const path of consoleOf(act, 'POST')) {
        const got = stopAt(act)
        const { status } = await person.post(path, FORM)
        expect([role, path, status === 403, got.length > 0 && !may]).toEqual([role, path, !may, false])
        vi.restoreAllMocks()
      }
    }
  })
})

describe('an act through every door', () => {
  it('is played as a command where it has one that asks for no secret', () => {
    const commands = ACTS.filter(({ command }) => command)
    expect(commands.length).toBeGreaterThan(120)
    expect(commands.filter((act) => commandLine(act) === undefined).map(({ name }) => name)).toEqual([])
  })

  it.each(ACTS.map((act) => [act.name, act] as const))('%s gets the same, and leaves the same entry', async (_name, act) => {
    const got = stopAt(act)
    const samples = Object.entries(act.fields).flatMap(([name, { schema, local }]) =>
      local ? [] : [[name, sampleOf(schema)] as const],
    )
    const words = commandLine(act)
    if (words) expect([words.join(' '), await refusalOf(words)]).toEqual([words.join(' '), REACHED])
    const tenant =
      act.scope === 'publisher'
        ? agent.tenant
        : String(act.publisher === undefined ? '' : (got[0] ?? Object.fromEntries(samples))[act.publisher])
    // An act in parts leaves the entries of its parts.
    const leavesEntry = act.changes && !act.inParts
    const entry = words && leavesEntry ? await newestEntry(tenant) : undefined
    if (entry) expect(entry.task).toBe(act.name)

    const members = sendable(act, got[0] ?? Object.fromEntries(samples))
    const { data } = await send(act, members)
    expect([data.title, data.detail]).toEqual(['CONFLICT', REACHED])
    expect(got.at(-1)).toEqual(members)
    const left = leavesEntry ? await newestEntry(tenant) : undefined
    if (left) expect(left).toEqual(entry ?? expect.objectContaining({ task: act.name, outcome: 'ok' }))

    for (const path of consoleOf(act, 'POST')) {
      const before = got.length
      const { status, text } = await (people.get('administrator') as ConsoleClient).post(path, FORM)
      const isReached = got.length > before
      expect([path, isReached]).toEqual([path, !LOOK_FIRST.includes(placeOf(path))])
      if (!isReached) continue
      const isShownAgain = SHOW_AGAIN.includes(placeOf(path))
      const expected = isShownAgain ? 404 : PART_OF_PAGE.includes(placeOf(path)) ? 200 : 409
      expect([path, status, text.includes(REACHED)]).toEqual([path, expected, !isShownAgain])
      if (leavesEntry) expect(await newestEntry(tenant)).toMatchObject({ task: act.name, outcome: 'ok' })
    }
  })
})

it('an act of the deployment is refused in the same words on a page of no publisher', async () => {
  const act = ACTS.find(({ name }) => name === 'tenants.add') as Act
  for (const role of ADMIN_ROLES) {
    const { data } = await send(act, {}, keys.get(role))
    const { status, text } = await (people.get(role) as ConsoleClient).post('/console/publishers', {
      id: 'two',
      domain: 'two.example',
    })
    expect([role, status, data.title]).toEqual([role, 403, 'PERMISSION_DENIED'])
    expect(data.detail).toMatch(
      /^addPublisher acts on the whole deployment: only an administrator of every publisher may do that/,
    )
    expect(text).toContain(data.detail)
  }
})

it('a page of the console that is a door to an act is for the roles of the act', () => {
  const doors = routes.flatMap(({ act: name, access, method, path }) => {
    const act = ACTS.find((each) => each.name === name)
    return act ? [{ place: `${method} ${path}`, access, roles: act.roles }] : []
  })
  expect(doors.length).toBeGreaterThan(70)
  expect(doors.filter(({ access, roles }) => access !== roles).map(({ place }) => place)).toEqual([])
})

describe('the limits of a field', () => {
  it.each(ACTS.map((act) => [act.name, act] as const))(
    '%s: every door refuses what the act refuses, in the same words',
    async (_name, act) => {
      const samples = Object.fromEntries(
        Object.entries(act.fields).flatMap(([name, { schema, local, required }]) =>
          local || !required ? [] : [[name, sampleOf(schema)]],
        ),
      )
      const caller = { actor: operator.actor, tenantId: agent.tenant, role: 'administrator', deployment: true } as const
      for (const [name, { schema, local }] of Object.entries(act.fields)) {
        const wrong = wrongOf(schema)
        if (local || wrong === undefined || (paramNames(act.path).includes(name) && String(wrong).length > 400)) continue
        const members = { ...samples, [name]: wrong }
        const refusal = await perform(operator, caller, act, members).catch((error: unknown) => error)
        expect([name, refusal]).toEqual([name, expect.objectContaining({ code: 'INVALID_REQUEST', field: name })])
        const { data } = await send(act, members)
        const message = refusal instanceof Error ? refusal.message : ''
        expect([name, data.detail]).toEqual([name, message])
        const words = commandLine(act, { [name]: wrong })
        // A list of one word: how several are written differs.
        if (words?.includes(String(wrong)) && !String(wrong).includes(','))
          expect([name, await refusalOf(words)]).toEqual([name, message])
      }
    },
  )
})
