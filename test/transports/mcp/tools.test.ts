import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { COMPACT_LIFECYCLE, ESTABLISHED_LIFECYCLE } from '../../../src/domain/identity/lifecycle.ts'
import { defineTask } from '../../../src/pipeline/task.ts'
import { BASE_SOURCE } from '../../../src/protocol/contract-source.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { presentReleases } from '../../../src/protocol/present-sources.ts'
import { TASKS } from '../../../src/tasks/index.ts'
import { createToolList, toolEntry } from '../../../src/transports/mcp/tools.ts'
import { BASE_TASKS } from '../../support/base-tasks.ts'

const contracts = loadContracts([BASE_SOURCE])
const { manifest, schemas: documents } = contracts.base
/** As a sandbox of the lowest release lists them: every task that it has. */
const tools = createToolList(contracts).entriesOf({ tasks: BASE_TASKS, authenticated: true })
/** Areas that a publisher of media alone has nothing for. */
const OTHER_AREAS = new Set(['signals', 'governance', 'brand', 'sponsored_intelligence', 'compliance'])
/** Areas that buying media needs nothing of; lists are also read by the token of each. */
const OF_NO_BUYER = new Set(['governance', 'brand', 'sponsored_intelligence', 'compliance', 'lists:fetch'])
/** Members of the envelope that every task takes, named once in the instructions of the server. */
const RETURNED_AS_SENT = new Set(['$schema', 'adcp_major_version', 'context', 'context_id', 'ext'])
/** What a model pays for: a host does not hand `_meta` on to it. */
const tokensOf = (value: unknown) => encode(JSON.stringify(value, (key, each) => (key === '_meta' ? undefined : each))).length

describe('the wire definition', () => {
  test.each(tools.map((tool) => [tool.name, tool] as const))('of %s is the committed one', async (name, tool) => {
    await expect(`${JSON.stringify(tool, null, 2)}\n`).toMatchFileSnapshot(`snapshots/${name}.json`)
  })

  test('is there once for every task: an alias is callable, not listed', () => {
    expect(tools.map(({ name }) => name)).toEqual(BASE_TASKS.map(({ name }) => name))
  })
})

test('a task that takes an account lists it, also where the official schema leaves it to additional properties', () => {
  const task = (account: 'none' | 'optional') =>
    defineTask()({
      name: 'log_event',
      summary: '',
      access: 'public',
      scope: 'products',
      account,
      handle: async () => ({}),
    })
  const fields = (account: 'none' | 'optional') => Object.keys(toolEntry(task(account), contracts).inputSchema.properties!)
  expect(fields('none')).not.toContain('account')
  expect(fields('optional')).toEqual([...fields('none'), 'account'])
})

describe('what tools/list costs an assistant', () => {
  test('the tasks of a publisher of media: at most 7,500 tokens', () => {
    const tasks = BASE_TASKS.filter(({ scope }) => !OTHER_AREAS.has(scope))
    const listed = createToolList(contracts).entriesOf({ tasks, authenticated: true })
    expect(tokensOf(listed)).toBeLessThanOrEqual(7_500)
  })

  test('without credentials: at most 6,000 tokens', () => {
    const listed = createToolList(contracts).entriesOf({ tasks: BASE_TASKS, authenticated: false })
    expect(tokensOf(listed)).toBeLessThanOrEqual(6_000)
  })

  test('every task: at most 30,000 tokens', () => {
    const names = new Set(tools.map(({ name }) => name))
    expect(Object.keys(manifest.tools).filter((name) => !names.has(name))).toEqual([])
    expect(tokensOf({ tools })).toBeLessThanOrEqual(30_000)
  })
})

describe.each(tools.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
  test('has a title and a plain input schema that names every member of its request', () => {
    expect(tool.title).toMatch(/^[A-Z][A-Za-z :]+$/)
    const text = JSON.stringify(tool.inputSchema)
    for (const keyword of ['$ref', 'oneOf', 'anyOf', 'allOf', 'not', 'if', '$defs']) expect(text).not.toContain(`"${keyword}":`)
    expect(tool.inputSchema.type).toBe('object')
    const path = manifest.tools[name]?.request_schema
    const full = path === undefined ? undefined : existing(path)
    if (full === undefined) return
    const properties = tool.inputSchema.properties ?? {}
    const named = Object.keys((full.properties ?? {}) as object).filter((member) => !RETURNED_AS_SENT.has(member))
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(named))
    expect(Object.keys(properties).filter((member) => RETURNED_AS_SENT.has(member))).toEqual([])
    for (const required of (full.required ?? []) as string[]) expect(tool.inputSchema.required).toContain(required)
    for (const [field, schema] of Object.entries(properties)) expect(schema, field).toHaveProperty('type')
    const key = (full.properties as Record<string, { minLength?: number }>).idempotency_key
    if (key?.minLength) {
      expect(properties.idempotency_key).toMatchObject({ type: 'string', minLength: key.minLength })
    }
  })
})

test('list_creative_formats names the members of both of its official requests', () => {
  const { properties } = tools.find(({ name }) => name === 'list_creative_formats')!.inputSchema
  expect(Object.keys(properties!)).toEqual(expect.arrayContaining(['format_ids', 'type', 'include_pricing', 'account']))
})

describe.skipIf(presentReleases().length < 3)('with every release', () => {
  const all = loadContracts(presentReleases().map(({ source }) => source))

  test('every note of a task names a member of its request', () => {
    for (const task of BASE_TASKS) {
      const { inputSchema } = toolEntry(task, all)
      for (const path of Object.keys(task.input)) expect(at(inputSchema, path.split('.')), `${task.name}: ${path}`).toBeDefined()
    }
  })

  test.each(['established', 'compact'] as const)(
    'the key of a media buyer, with the %s tools: at most 9,000 tokens',
    (lifecycle) => {
      const mine = TASKS.filter(({ scope }) => !OF_NO_BUYER.has(scope))
      const hidden: readonly string[] = lifecycle === 'compact' ? ESTABLISHED_LIFECYCLE : COMPACT_LIFECYCLE
      const listed = createToolList(all).entriesOf({
        tasks: mine.filter(({ name }) => !hidden.includes(name)),
        authenticated: true,
      })
      expect(listed.length).toBeGreaterThan(45)
      expect(tokensOf(listed)).toBeLessThanOrEqual(9_000)
      for (const { inputSchema } of listed) expect(inputSchema.properties).not.toHaveProperty('adcp_version')
    },
  )

  test('what is refused or has no effect in every release is not listed', () => {
    const listed = (name: string) => {
      const task = TASKS.find((each) => each.name === name)
      return task ? Object.keys(toolEntry(task, all).inputSchema.properties ?? {}) : []
    }
    const refused = ['budget_cap_timezone', 'budget_allocation', 'frequency_cap']
    for (const name of ['create_media_buy', 'update_media_buy', 'buy_products', 'accept_proposal', 'control_media_buy'])
      expect(
        listed(name).filter((member) => refused.includes(member)),
        name,
      ).toEqual([])
    expect(listed('provide_performance_feedback')).not.toContain('baseline')
    expect(listed('list_creatives')).toContain('include_webhook_activity')
    expect(listed('control_media_buy')).toContain('total_budget')
    expect(listed('accept_proposal')).toContain('total_budget')
  })

  // `@adcp/sdk` 14 sends a creative in the shape of 3.2 only to a seller whose tool lists `format_kind`.
  test('a creative is listed with the members of both its shapes, and neither is required', () => {
    const { inputSchema } = toolEntry(BASE_TASKS.find(({ name }) => name === 'sync_creatives')!, all)
    const creative = at(inputSchema, ['creatives']) as { properties: object; required: string[] }
    expect(Object.keys(creative.properties)).toEqual(expect.arrayContaining(['format_id', 'format_kind']))
    expect(creative.required).toEqual(['creative_id', 'name', 'assets'])
  })
})

test('a buyer sees what a package can carry', () => {
  const { inputSchema } = tools.find(({ name }) => name === 'create_media_buy')!
  const names = (path: string) => Object.keys((at(inputSchema, path.split('.')) as { properties: object }).properties)
  expect(names('packages')).toEqual(
    expect.arrayContaining(['bid_price', 'targeting_overlay', 'creative_assignments', 'pacing', 'optimization_goals']),
  )
  expect(names('push_notification_config')).toEqual(expect.arrayContaining(['url', 'token', 'authentication']))
})

test('hints say what writes, what takes something away, and what spends money', () => {
  const hints = (name: string) => tools.find((tool) => tool.name === name)?.annotations
  expect(hints('get_products')).toEqual({ readOnlyHint: true })
  expect(hints('sync_governance')).toEqual({ destructiveHint: true, idempotentHint: true })
  expect(hints('create_media_buy')).toEqual({ destructiveHint: true, idempotentHint: true })
  expect(hints('provide_performance_feedback')).toEqual({ destructiveHint: false, idempotentHint: true })
  expect(tools.find(({ name }) => name === 'create_media_buy')?.description).toContain('Spends money')
  // What is kept with every call: the check of a plan, and the token of an offering.
  const keeps = ['check_governance', 'si_get_offering']
  for (const tool of tools)
    expect(tool.annotations?.readOnlyHint ?? false, tool.name).toBe(
      !manifest.tools[tool.name]?.mutating && !keeps.includes(tool.name),
    )
})

test('without credentials a protected tool is listed without its arguments', () => {
  const listed = createToolList(contracts).entriesOf({ tasks: BASE_TASKS, authenticated: false })
  for (const [index, { access, name }] of BASE_TASKS.entries()) {
    const { inputSchema, description } = listed[index]!
    expect(inputSchema.properties === undefined, name).toBe(access === 'authenticated')
    expect(description!.includes('Needs credentials.'), name).toBe(access === 'authenticated')
  }
})

/** The schema of a member by path; array items take no step of their own. */
function at(schema: unknown, [step, ...rest]: readonly string[]): unknown {
  const object = (schema as { items?: unknown }).items ?? schema
  const member = (object as { properties?: Record<string, unknown> }).properties?.[step!]
  return rest.length === 0 || member === undefined
    ? ((member as { items?: unknown } | undefined)?.items ?? member)
    : at(member, rest)
}

function existing(path: string) {
  try {
    return documents.document(path)
  } catch {
    return undefined
  }
}
