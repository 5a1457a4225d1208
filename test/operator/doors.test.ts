import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { isQueried } from '../../src/admin-api/operation.ts'
import { commandsFor } from '../../src/cli/commands.ts'
import { type Act, paramNames } from '../../src/operator/act.ts'
import { ACTS } from '../../src/operator/acts.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { perform } from '../../src/operator/perform.ts'
import { AdcpError } from '../../src/protocol/errors.ts'
import { sampleOf, wrongOf } from '../support/field-samples.ts'
import { createAdminKey, listAuditEntries, operatorBeside } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const folder = mkdtempSync(join(tmpdir(), 'sales-agent-doors-'))
const file = join(folder, 'sample.json')
/** What an act says here in place of what it does. */
const REACHED = 'the act was reached'

let agent: TestAgent
let operator: OperatorContext
let key: string

beforeAll(async () => {
  writeFileSync(file, JSON.stringify(sampleOf({ type: 'object' })))
  agent = await startAgent({ flags: { 'limits.adminRequests': 100_000 } })
  operator = operatorBeside(agent, () => new Date())
  const made = { tenantId: agent.tenant, name: 'doors', role: 'administrator' as const, deployment: true }
  key = (await createAdminKey(operator, made)).token
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
    if (act.changes) await context.store.transaction(async () => undefined)
    throw new AdcpError('CONFLICT', REACHED)
  })
  return got
}

/** The words of the command of an act with a sample of each of its fields; undefined: it has none, or takes a secret from standard input. */
function commandLine({ name, path, fields, scope, publisher, command: form }: Act): readonly string[] | undefined {
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
  const words = args.map((arg) => (fields[arg]?.local ? file : wordsOf(sampleOf(fields[arg]?.schema ?? {}))))
  const options = Object.entries(fields).flatMap(([field, { schema, local }]) => {
    if (local || elsewhere.includes(field)) return []
    const flag = `--${form.flags?.[field] ?? field.replaceAll('_', '-')}`
    if (form.files?.includes(field)) return [flag, file]
    if (form.onOff?.includes(field)) return [flag, 'on']
    return schema.type === 'boolean' ? [flag] : [flag, wordsOf(sampleOf(schema))]
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
async function send(act: Act, members: Members): Promise<{ readonly status: number; readonly data: Members }> {
  const params = paramNames(act.path)
  const path = params.reduce((text, name) => text.replace(`{${name}}`, encodeURIComponent(String(members[name]))), act.path)
  const sent = Object.entries(members).filter(([name]) => !params.includes(name))
  const query = new URLSearchParams(sent.map(([name, value]): [string, string] => [name, String(value)]))
  const response = await fetch(`${new URL(agent.url).origin}/admin/v1${path}${isQueried(act) ? `?${query}` : ''}`, {
    method: act.method,
    headers: { Authorization: `Bearer ${key}`, ...(!isQueried(act) && { 'Content-Type': 'application/json' }) },
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

describe('an act through two doors', () => {
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
    if (leavesEntry)
      expect(await newestEntry(tenant)).toEqual(entry ?? expect.objectContaining({ task: act.name, outcome: 'ok' }))
  })
})

describe('the limits of a field', () => {
  it.each(ACTS.map((act) => [act.name, act] as const))(
    '%s: the admin API refuses what the act refuses, in the same words',
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
        expect([name, data.detail]).toEqual([name, refusal instanceof Error ? refusal.message : ''])
      }
    },
  )
})
