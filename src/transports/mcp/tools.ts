import type { Tool } from '@modelcontextprotocol/server'
import type { Task } from '../../pipeline/task.ts'
import type { Contracts } from '../../protocol/contracts.ts'
import { ENVELOPE_MEMBERS } from '../../protocol/envelope-members.ts'
import { isObject } from '../../protocol/is-object.ts'
import { isWithoutEffect } from '../../protocol/judge-member.ts'
import type { JsonObject } from '../json-rpc/json.ts'
import { cardMetaOf } from './cards.ts'
import { COMPACT_TOOLS } from './compact-profile.ts'
import { compactInputSchema } from './compact-schema.ts'
import { namesOf } from './flatten-schema.ts'
import { requestSchemaOf, schemaByReference } from './schema-source.ts'

/** Mutating tasks that can take something away: cancel, archive, deactivate, remove what is missing, or force a state. */
const DESTRUCTIVE_NAME = /^(?:update|delete|sync|activate|comply)_|_terminate_/

/** What a caller finds in `tools/list`. */
export interface VisibleTasks {
  readonly tasks: readonly Task[]
  /** Whether the caller proved who it is. If not, tasks that need that are listed without their arguments. */
  readonly authenticated: boolean
  /** Whether the caller wants two tools by which every task is reached. */
  readonly compact?: boolean
}

/** `tools/list` entries of tasks, each built once: a task's entry depends on nothing but the contract. */
export interface ToolList {
  entriesOf(visible: VisibleTasks): Tool[]
}

/** The tools of the contracts that are served. Holds one entry a task. */
export function createToolList(contracts: Contracts): ToolList {
  const known = new WeakMap<Task, Tool>()
  const entryOf = (task: Task) => {
    const entry = known.get(task) ?? toolEntry(task, contracts)
    known.set(task, entry)
    return entry
  }
  return {
    entriesOf: ({ tasks, authenticated, compact }) =>
      compact
        ? [...COMPACT_TOOLS]
        : tasks.map((task) => (authenticated || task.access !== 'authenticated' ? entryOf(task) : outlineOf(entryOf(task)))),
  }
}

/**
 * An entry without its arguments. A client that connects by address alone sees that the tool exists; calling it is answered with the HTTP 401
 * that starts OAuth, and the list then shows the arguments.
 */
function outlineOf(entry: Tool): Tool {
  return { ...entry, description: `${entry.description} Needs credentials.`, inputSchema: { type: 'object' } }
}

/** A task as its `tools/list` entry. Aliases are callable, but listed they would cost every assistant the same schema twice. */
export function toolEntry(task: Task, contracts: Contracts): Tool {
  const full = contracts.having(task.name).map((contract) => requestSchemaOf(contract, task.name) ?? {})
  const [lowest = {}, ...later] = full.map((schema) =>
    compactInputSchema(
      schema,
      (reference) => schemaByReference(contracts, reference),
      task.input,
      task.ofPrograms ? 0 : undefined,
    ),
  )
  const compact = later.reduce(united, lowest)
  const card = cardMetaOf(task.name)
  return {
    name: task.name,
    title: titleOf(task.name),
    description: task.spends ? `${task.summary} Spends money: have a person confirm it.` : task.summary,
    annotations: annotationsOf(task, full[0] ?? {}),
    inputSchema: { ...withAccount(withoutEcho(withEffect(compact, task, contracts)), task), type: 'object' },
    ...(card && { _meta: card }),
  }
}

/** Without the members of later releases that this agent refuses or leaves without effect wherever they come; a task that is carried out as another has those of that one. */
function withEffect(compact: JsonObject, { name, model }: Task, contracts: Contracts): JsonObject {
  const [lowest] = contracts.having(name)
  const paths = [lowest?.schemas.pathsOf(name), model && contracts.base.schemas.pathsOf(model.task)]
  const places = paths.flatMap((path) => (path ? [`${path.request}#`] : []))
  const isListed = (member: string) => !places.some((place) => isWithoutEffect(place, member))
  return {
    ...compact,
    properties: Object.fromEntries(Object.entries(membersOf(compact)).filter(([member]) => isListed(member))),
  }
}

/** Members of the envelope that change what a call does, or where its answer goes. */
const TELLING_ENVELOPE = new Set(['governance_context', 'idempotency_key', 'push_notification_config'])

/**
 * Without the members of the envelope that every task takes alike, the release and what only comes back: the instructions of the server name them once.
 * Official clients send them whatever a tool lists.
 */
function withoutEcho(compact: JsonObject): JsonObject {
  const required = namesOf(compact.required)
  const isListed = (name: string) => !ENVELOPE_MEMBERS.has(name) || TELLING_ENVELOPE.has(name) || required.includes(name)
  return { ...compact, properties: Object.fromEntries(Object.entries(membersOf(compact)).filter(([name]) => isListed(name))) }
}

/**
 * The schema of one release with the members that a later one adds, each by its type alone: a client has to find their names, and pays for every
 * word. At every level, required is what both require: a creative has `format_id` in 3.0 and may have `format_kind` instead from 3.1 on.
 */
function united(schema: JsonObject, later: JsonObject): JsonObject {
  const required = namesOf(schema.required).filter((name) => namesOf(later.required).includes(name))
  const { required: _, ...rest } = schema
  const [mine, theirs] = [membersOf(schema), membersOf(later)]
  const added = Object.entries(theirs).map(([name, member]) => [name, typeOnly(member)])
  const shared = Object.entries(mine).map(([name, member]) => [name, unitedMember(member, theirs[name])])
  const properties = { ...Object.fromEntries(added), ...Object.fromEntries(shared) }
  return { ...rest, properties, ...(required.length > 0 && { required }) }
}

/** A member that both releases list; objects and items of lists are united too. */
function unitedMember(mine: unknown, theirs: unknown): unknown {
  if (!isObject(mine) || !isObject(theirs)) return mine
  if (isObject(mine.properties) && isObject(theirs.properties)) return united(mine, theirs)
  return isObject(mine.items) && isObject(theirs.items) ? { ...mine, items: unitedMember(mine.items, theirs.items) } : mine
}

function membersOf(schema: JsonObject): JsonObject {
  return isObject(schema.properties) ? schema.properties : {}
}

function typeOnly(member: unknown): JsonObject {
  return isObject(member) && member.type !== undefined ? { type: member.type } : {}
}

const ABBREVIATIONS: ReadonlyMap<string, string> = new Map([
  ['adcp', 'AdCP'],
  ['si', 'Sponsored intelligence:'],
])

/** A task's name as a person reads it: `create_media_buy` is `Create media buy`. */
function titleOf(name: string): string {
  const words = name.split('_').map((word) => ABBREVIATIONS.get(word) ?? word)
  const text = words.join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/**
 * A task that takes an account says so even where the official schema leaves the field to additional properties: clients send
 * only the fields that a tool lists.
 */
function withAccount(compact: JsonObject, task: Task): JsonObject {
  const properties = isObject(compact.properties) ? compact.properties : {}
  if (task.account === 'none' || 'account' in properties) return compact
  return { ...compact, properties: { ...properties, account: { type: 'object' } } }
}

/**
 * Hints for the assistant (MCP, ToolAnnotations; those on changes mean nothing for a tool that only reads). What spends cannot be withdrawn, so a host should ask its person first.
 */
function annotationsOf(task: Task, request: JsonObject): NonNullable<Tool['annotations']> {
  // Of tasks that write for some requests only, the calls of an assistant read.
  const changes = task.mutating || task.writes?.({}) === true
  if (!changes) return { readOnlyHint: true }
  const properties = isObject(request.properties) ? request.properties : {}
  // Without readOnlyHint a tool is taken to change something.
  return {
    destructiveHint: task.spends || DESTRUCTIVE_NAME.test(task.name),
    idempotentHint: 'idempotency_key' in properties,
  }
}
