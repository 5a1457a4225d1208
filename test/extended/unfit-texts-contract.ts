import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { adminDoors } from '../../bench/hostile/admin-doors.ts'
import { consoleTargets } from '../../bench/hostile/console-doors.ts'
import { askOf, type Exchange } from '../../bench/hostile/exchange.ts'
import type { Target } from '../../bench/hostile/exchange-door.ts'
import { filePlaces } from '../../bench/hostile/file-places.ts'
import { routeTargets } from '../../bench/hostile/route-targets.ts'
import { isRecord } from '../../bench/hostile/schema-node.ts'
import { type Ask, callOf, send } from '../../bench/stalls/stall.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { BASE_SOURCE } from '../../src/protocol/contract-source.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { TASKS } from '../../src/tasks/index.ts'
import { skillMessage } from '../support/a2a-client.ts'
import { invitationOf, PASSWORD } from '../support/console-client.ts'
import { createAdminKey } from '../support/operator.ts'
import { DEMO_ACCOUNT, startAgent, type TestAgent } from '../support/start-agent.ts'

const contracts = loadContracts([BASE_SOURCE])

/** What no text can be: PostgreSQL has none with NUL, and half a surrogate pair has no UTF-8 form. */
const UNFIT = ['a\u0000b', 'a\ud800b'] as const
/** The same in addresses, which are bytes. */
const IN_ADDRESSES = ['a%00b', 'a%ED%A0%80b', '%ED%B0%80'] as const
/** Some thousands of requests, which take a busy machine minutes. */
const PATIENCE_MS = 900_000
/** Names that addresses and forms of the server look for; each target is asked with all of them. */
const NAMES = [
  ...[
    'place',
    'visitor_id',
    'key_values',
    'keywords',
    'page_url',
    'gpp',
    'tcf',
    'us_privacy',
    't',
    'preview',
    'sizes',
    'language',
  ],
  ...['q', 'search', 'cursor', 'after', 'status', 'state', 'task', 'principal', 'product', 'order', 'creative', 'from', 'until'],
  ...[
    'code',
    'state',
    'client_id',
    'redirect_uri',
    'scope',
    'username',
    'password',
    'next',
    'network',
    'include',
    'since',
    'brief',
  ],
]

/**
 * Sends texts that no text can be through every entry point: tools, A2A, operations of the admin API (so each act), routes, pages, forms and imports. Each is
 * refused or taken; none is a fault of the server.
 * @param database connection string of an empty PostgreSQL database; undefined: a file
 */
export function unfitTextsContract(database: () => Promise<string | undefined>): void {
  let agent: TestAgent
  let port: number
  let shown: Promise<readonly Target[]> | undefined
  const faults: string[] = []

  beforeAll(async () => {
    const url = await database()
    const limits = ['adminRequests', 'anonymous', 'reads', 'changes', 'failuresPerAddress', 'failuresPerCredential']
    const flags = {
      ...{ 'oauth.enabled': true, ...(url !== undefined && { database: url }) },
      ...Object.fromEntries(limits.map((name) => [`limits.${name}`, 1_000_000])),
    }
    agent = await startAgent({ demo: true, sandbox: true, flags })
    port = Number(new URL(agent.url).port)
  })
  afterAll(() => agent?.stop())

  afterEach(() => expect(faults.splice(0)).toEqual([]))

  /** Asks and gives the status. A database that a busy machine is slow to answer from (503) is no fault of a text. */
  async function asked(what: string, ask: Ask): Promise<number> {
    const { status, body } = await send(port, ask).catch((error: unknown) => ({ status: 599, body: String(error) }))
    const isFault = status === 503 ? false : status >= 500 || /something went wrong here/.test(body)
    if (isFault) faults.push(`${what}: ${status} ${body.slice(0, 300)}`)
    return status
  }

  /** Pages and forms of the console, as a person who joined with the one invitation sees them. */
  const targetsOfConsole = () =>
    (shown ??= invitationOf(agent, 'administrator', agent.tenant).then((link) =>
      consoleTargets({ port, invitation: link.split('/').at(-1) ?? '', tenant: agent.tenant }),
    ))

  it('in any argument of a tool, free text and unknown members included', async () => {
    const account = { brand: DEMO_ACCOUNT.brand, operator: DEMO_ACCOUNT.operator, sandbox: true }
    const ofTask: Readonly<Record<string, object>> = {
      get_products: { buying_mode: 'brief', brief: 'video', brand: account.brand },
      sync_accounts: { accounts: [{ ...account, billing: 'operator' }] },
    }
    for (const { name } of TASKS)
      for (const text of UNFIT) {
        const base = { idempotency_key: randomUUID(), account, ...ofTask[name] }
        const all = [{ context: { a: text } }, { ext: { [text]: { b: text } } }, { brief: text }, { idempotency_key: text }]
        for (const more of all) await asked(name, callOf(agent.key, name, { ...base, ...more }))
      }
    const brief = callOf(agent.key, 'get_products', { ...ofTask.get_products, account, brief: 'vid\u0000eo' })
    expect((await send(port, brief)).body).toContain('brief holds a NUL character')
  })

  it('in a user name', async () => {
    const authorization = `Basic ${Buffer.from(`a\u0000b:${PASSWORD}`).toString('base64')}`
    const { headers, ...call } = callOf(agent.key, 'get_products', { buying_mode: 'wholesale' })
    expect(await asked('Basic', { ...call, headers: { ...headers, authorization } })).toBeGreaterThanOrEqual(400)
  })

  it.each(UNFIT)('in messages of A2A: %j', async (text) => {
    const brief = { buying_mode: 'brief', brief: 'video' }
    const messages = [
      ...[skillMessage(text, brief), skillMessage('get_products', { ...brief, context: { [text]: text } })],
      ...['messageId', 'contextId', 'taskId'].map((name) => skillMessage('get_products', brief, { [name]: text })),
      skillMessage('get_products', brief, { metadata: { [text]: text }, extensions: [text] }),
      { ...skillMessage('get_products', brief), parts: [{ kind: 'text', text }] },
    ]
    const calls = [
      ...messages.map((message) => ({ method: 'message/send', params: { message } })),
      ...['tasks/get', 'tasks/cancel', 'tasks/resubscribe'].map((method) => ({ method, params: { id: text } })),
      { method: 'tasks/pushNotificationConfig/get', params: { id: text, pushNotificationConfigId: text } },
      { method: text, params: { [text]: text } },
    ]
    const headers = { authorization: `Bearer ${agent.key}`, 'content-type': 'application/json' }
    for (const call of calls) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: text, ...call })
      await asked(JSON.stringify(call), { method: 'POST', path: '/a2a', headers, body })
    }
  })

  it(
    'in every place of every operation of the admin API',
    async () => {
      const operator = operatorOn(agent.server.store, agent.config)
      const administrator = { tenantId: agent.tenant, name: 'texts', role: 'administrator', deployment: true } as const
      const { token } = await createAdminKey(operator, administrator)
      const known = { publisher: agent.tenant, product: 'ros_display', buyer: 'demo-buyer' }
      let refused = 0
      for (const door of adminDoors(contracts.base.schemas, token, known)) {
        for (const place of door.places)
          for (const text of UNFIT) {
            // Half a pair has no form in an address.
            if (place.path.startsWith('params') && text !== UNFIT[0]) continue
            const value = place.kind === 'text' ? text : place.kind === 'map' ? { [text]: text } : [text]
            if ((await asked(`${door.title} ${place.path}`, door.ask(place, value))) === 400) refused += 1
          }
      }
      expect(refused).toBeGreaterThan(300)
    },
    PATIENCE_MS,
  )

  it(
    'in addresses, queries and forms of the console',
    async () => {
      const targets = await targetsOfConsole()
      for (const { title, base } of targets) for (const exchange of unfitIn(base)) await asked(title, askOf(exchange))
      for (const { title, base } of targets) for (const ask of unfitAddresses(base)) await asked(title, ask)
      const signIn = { username: 'a\u0000b', password: `a\u0000b${PASSWORD}`, next: 'a\u0000b' }
      const form = { method: 'POST', path: '/console/sign-in', params: {}, query: {}, headers: {}, form: signIn }
      await asked('sign-in', askOf(form))
      expect(targets.length).toBeGreaterThan(100)
    },
    PATIENCE_MS,
  )

  it(
    'in files that forms of the console take: in their names, texts, rows and archives',
    async () => {
      const withFile = (await targetsOfConsole()).filter(({ hasFile }) => hasFile)
      expect(withFile.length).toBeGreaterThan(2)
      let refused = 0
      for (const { title, base } of withFile)
        for (const { path, exchange } of unfitFiles(base))
          if ((await asked(`${title} ${path}`, askOf(exchange))) === 400) refused += 1
      expect(refused).toBeGreaterThan(50)
    },
    PATIENCE_MS,
  )

  it(
    'in addresses, queries and bodies of every route',
    async () => {
      const routes = agent.server.routes.map(([pattern]) => pattern.source)
      const targets = routeTargets({ routes, port, tenant: agent.tenant, sandboxKey: agent.key }, contracts.base.schemas, {})
      for (const { title, base } of targets) {
        for (const exchange of unfitIn(base)) await asked(title, askOf(exchange))
        for (const ask of unfitAddresses(base)) await asked(title, ask)
      }
      expect(targets.length).toBeGreaterThan(50)
    },
    PATIENCE_MS,
  )
}

/** The request with an unfit text in each part of it: all names of its query, each field of its form, its JSON, a file of each kind. */
function unfitIn(base: Exchange): readonly Exchange[] {
  const form: Readonly<Record<string, unknown>> = isRecord(base.form) ? base.form : {}
  return UNFIT.flatMap((text): readonly Exchange[] => {
    const named = Object.fromEntries(NAMES.map((name) => [name, text]))
    const fields = Object.keys(form).filter((name) => name !== 'csrf')
    return [
      { ...base, query: { ...(isRecord(base.query) && base.query), ...named } },
      ...(base.form === undefined
        ? []
        : [
            { ...base, form: { ...named, ...form } },
            { ...base, form: { ...form, [text]: text } },
          ]),
      ...fields.map((name) => ({ ...base, form: { ...form, [name]: text } })),
      ...(base.json === undefined
        ? []
        : [
            { ...base, json: undefined, form: named },
            { ...base, json: { ...(isRecord(base.json) && base.json), ...named, [text]: [text] } },
          ]),
    ]
  })
}

/** The form with a file of each kind that holds an unfit text: in its bytes, as an escape of JSON, in its name. */
function unfitFiles(base: Exchange): readonly { readonly path: string; readonly exchange: Exchange }[] {
  return filePlaces(base).flatMap(({ path, kind, put }) => {
    const values = kind === 'text' ? [...UNFIT, ...UNFIT.map(productFile)] : UNFIT.map((text) => unfitPart(kind, text))
    return values.map((value) => ({ path, exchange: { ...base, ...Object(put(base, value)) } }))
  })
}

function unfitPart(kind: string, text: string): unknown {
  return kind === 'map' ? { [text]: text } : [text, { product_id: text, name: text }]
}

/** A product file whose texts are unfit, as JSON escapes them. */
function productFile(text: string): string {
  return JSON.stringify({ version: 1, products: [{ product_id: 'unfit', name: text, description: text, [text]: text }] })
}

/** The request with an unfit text as each part of its address. */
function unfitAddresses(base: Exchange): readonly Ask[] {
  return Object.keys(base.params).flatMap((name) => {
    const ask = askOf({ ...base, params: { ...base.params, [name]: 'UNFIT' } })
    return IN_ADDRESSES.map((text) => ({ ...ask, path: ask.path.replace('UNFIT', text) }))
  })
}
