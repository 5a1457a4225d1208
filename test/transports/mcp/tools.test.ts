import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { defineTask } from '../../../src/pipeline/task.ts'
import { manifest } from '../../../src/protocol/manifest.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'
import { TASKS } from '../../../src/tasks/index.ts'
import { createToolCatalogue, toolEntries } from '../../../src/transports/mcp/tools.ts'
import { issueTasks } from './tasks.ts'

const documents = new Schemas()
/** As a sandbox lists them: every task, and the names besides its own that clients accept. */
const tools = createToolCatalogue(documents).entriesOf(TASKS)
const mediaBuying = new Set(issueTasks.map(({ name }) => name))
const tokensOf = (value: unknown) => encode(JSON.stringify(value)).length

describe('the wire definition', () => {
  test.each(tools.map((tool) => [tool.name, tool] as const))('of %s is the committed one', async (name, tool) => {
    await expect(`${JSON.stringify(tool, null, 2)}\n`).toMatchFileSnapshot(`snapshots/${name}.json`)
  })

  test('is there for every task under each name that clients accept', () => {
    expect(tools.map(({ name }) => name)).toEqual(
      TASKS.flatMap(({ name, aliases }) => [name, ...aliases]).filter((name) => !name.includes('/')),
    )
  })
})

test('a task that takes an account lists it, also where the official schema leaves it to additional properties', () => {
  const task = (account: 'none' | 'optional') =>
    defineTask()({
      name: 'list_creative_formats',
      summary: '',
      access: 'public',
      scope: 'products',
      account,
      handle: async () => ({}),
    })
  const fields = (account: 'none' | 'optional') => Object.keys(toolEntries(task(account), documents)[0]!.inputSchema.properties!)
  expect(fields('none')).not.toContain('account')
  expect(fields('optional')).toEqual([...fields('none'), 'account'])
})

describe('what tools/list costs an assistant', () => {
  test('the media-buy tasks: at most 12,000 tokens', () => {
    const some = createToolCatalogue(documents).entriesOf(TASKS.filter(({ name }) => mediaBuying.has(name)))
    expect(some.length).toBeGreaterThan(mediaBuying.size)
    expect(tokensOf({ tools: some })).toBeLessThanOrEqual(12_000)
  })

  test('every task: at most 30,000 tokens', () => {
    const names = new Set(tools.map(({ name }) => name))
    expect(Object.keys(manifest.tools).filter((name) => !names.has(name))).toEqual([])
    expect(tokensOf({ tools })).toBeLessThanOrEqual(30_000)
  })
})

describe.each(tools.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
  test('has a plain input schema with every top-level field, typed and described', () => {
    const text = JSON.stringify(tool.inputSchema)
    for (const keyword of ['$ref', 'oneOf', 'anyOf', 'allOf', 'not', 'if', '$defs']) expect(text).not.toContain(`"${keyword}":`)
    expect(tool.inputSchema.type).toBe('object')
    const path = manifest.tools[name]?.request_schema
    const full = path === undefined ? undefined : existing(path)
    if (full === undefined) return
    const properties = tool.inputSchema.properties ?? {}
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys((full.properties ?? {}) as object)))
    for (const required of (full.required ?? []) as string[]) expect(tool.inputSchema.required).toContain(required)
    for (const [field, schema] of Object.entries(properties)) {
      expect(schema, field).toHaveProperty('type')
      expect(schema, field).toHaveProperty('description')
      expect((schema as { description: string }).description, field).not.toContain('\n')
      const official = (full.properties as Record<string, { enum?: unknown[] }> | undefined)?.[field]
      if (official?.enum) expect(schema, field).toMatchObject({ enum: official.enum })
    }
  })
})

test('annotations say what the manifest says', () => {
  const hints = (name: string) => tools.find((tool) => tool.name === name)?.annotations
  expect(hints('get_products')).toEqual({ readOnlyHint: true, destructiveHint: false, idempotentHint: true })
  expect(hints('create_media_buy')).toEqual({ readOnlyHint: false, destructiveHint: false, idempotentHint: true })
  expect(hints('update_media_buy')).toEqual({ readOnlyHint: false, destructiveHint: true, idempotentHint: true })
  for (const tool of tools) expect(tool.annotations?.readOnlyHint).toBe(!manifest.tools[tool.name]?.mutating)
})

test('a task whose only name clients refuse is not listed', () => {
  const task = defineTask()({ name: 'tasks/get', summary: 's', access: 'public', scope: 'tasks', handle: async () => ({}) })
  expect(toolEntries(task, documents)).toEqual([])
})

function existing(path: string) {
  try {
    return documents.document(path)
  } catch {
    return undefined
  }
}
