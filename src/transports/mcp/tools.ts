import type { Tool } from '@modelcontextprotocol/server'
import type { Task } from '../../pipeline/task.ts'
import { manifest } from '../../protocol/manifest.ts'
import { isObject, type JsonObject } from '../json-rpc/json.ts'
import { compactInputSchema } from './compact-schema.ts'
import { requestSchemaOf, type SchemaDocuments, schemaByReference } from './schema-source.ts'

/**
 * Names that assistants accept: the MCP specification (2025-11-25, Tools, Tool Names) allows letters, digits, `_`, `-` and
 * `.`; model APIs drop the dot and stop at 64. A task of another name (`tasks/get`) is callable but not listed.
 */
const LISTABLE_NAME = /^[A-Za-z0-9_-]{1,64}$/

/** Mutating tasks that can take something away: cancel, archive, remove what is missing, or force a state. */
const DESTRUCTIVE_NAME = /^(?:update|delete|sync|comply)_/

/** `tools/list` entries of tasks, each built once and kept: a task's entry depends on nothing but the contract. */
export interface ToolCatalogue {
  entriesOf(tasks: readonly Task[]): Tool[]
}

/** A catalogue over the given schemas. Holds one entry list a task. */
export function createToolCatalogue(documents: SchemaDocuments): ToolCatalogue {
  const known = new WeakMap<Task, readonly Tool[]>()
  return {
    entriesOf: (tasks) =>
      tasks.flatMap((task) => {
        const entries = known.get(task) ?? toolEntries(task, documents)
        known.set(task, entries)
        return entries
      }),
  }
}

/** A task as the `tools/list` entries of its name and aliases, those that clients accept as tool names. */
export function toolEntries(task: Task, documents: SchemaDocuments): Tool[] {
  const full = requestSchemaOf(documents, task.name) ?? {}
  const compact = compactInputSchema(full, (reference) => schemaByReference(documents, reference))
  const inputSchema: Tool['inputSchema'] = { ...withAccount(compact, task), type: 'object' }
  const annotations = annotationsOf(task.name, full)
  const [name, ...others] = [task.name, ...task.aliases].filter((each) => LISTABLE_NAME.test(each))
  if (name === undefined) return []
  return [
    { name, description: task.summary, annotations, inputSchema },
    ...others.map((alias) => ({ name: alias, description: `Alias of ${name}.`, annotations, inputSchema })),
  ]
}

/**
 * A task that takes an account says so even where the official schema leaves the field to additional properties: clients send
 * only the fields that a tool lists.
 */
function withAccount(compact: JsonObject, task: Task): JsonObject {
  const properties = isObject(compact.properties) ? compact.properties : {}
  if (task.account === 'none' || 'account' in properties) return compact
  return { ...compact, properties: { ...properties, account: { type: 'object', description: 'Account to answer for' } } }
}

/** Hints for the assistant. What writes is data of the official manifest; a task outside it only reads. */
function annotationsOf(task: string, request: JsonObject): NonNullable<Tool['annotations']> {
  const mutating = manifest.tools[task]?.mutating ?? false
  const properties = isObject(request.properties) ? request.properties : {}
  return {
    readOnlyHint: !mutating,
    destructiveHint: mutating && DESTRUCTIVE_NAME.test(task),
    idempotentHint: !mutating || 'idempotency_key' in properties,
  }
}
