import { A2A_VERSION_HEADER } from 'a2a'
import { isObject } from '../../protocol/is-object.ts'
import { nearestName } from '../../protocol/nearest-name.ts'
import type { JsonObject } from '../json-rpc/json.ts'
import { Refusal } from '../json-rpc/json-rpc.ts'
import type { A2aVersion } from './exchange.ts'

/** JSON-RPC 2.0 §5.1. */
const METHOD_NOT_FOUND = -32601

/** The methods of A2A 1.0 (§5.3) with their names in 0.3; `ListTasks` is new in 1.0. */
const METHODS: readonly (readonly [one: string, zero: string | undefined])[] = [
  ['SendMessage', 'message/send'],
  ['SendStreamingMessage', 'message/stream'],
  ['GetTask', 'tasks/get'],
  ['ListTasks', undefined],
  ['CancelTask', 'tasks/cancel'],
  ['SubscribeToTask', 'tasks/resubscribe'],
  ['CreateTaskPushNotificationConfig', 'tasks/pushNotificationConfig/set'],
  ['GetTaskPushNotificationConfig', 'tasks/pushNotificationConfig/get'],
  ['ListTaskPushNotificationConfigs', 'tasks/pushNotificationConfig/list'],
  ['DeleteTaskPushNotificationConfig', 'tasks/pushNotificationConfig/delete'],
  ['GetExtendedAgentCard', 'agent/getAuthenticatedExtendedCard'],
]

/** How a method is asked for whose revision is the one of `wanted`. */
const HEADER_OF: Readonly<Record<A2aVersion, string>> = {
  '1.0': `with the header ${A2A_VERSION_HEADER}: 1.0`,
  '0.3': `without the header ${A2A_VERSION_HEADER}`,
}

/** A message that calls a task, as both revisions write it. */
const MESSAGE: Readonly<Record<A2aVersion, string>> = {
  '0.3':
    '{"message": {"role": "user", "messageId": "m-1", "parts": [{"kind": "data", "data": {"skill": "get_products", "parameters": {…}}}]}}',
  '1.0':
    '{"message": {"role": "ROLE_USER", "messageId": "m-1", "parts": [{"data": {"skill": "get_products", "parameters": {…}}}]}}',
}

/**
 * Throws Refusal with -32601 for a method that the revision does not have, naming the one that was meant: that of the other revision, which the header decides on, one that is
 * spelled otherwise, and for what reads as the name of a task (or `tools/call` of MCP) the message that calls it.
 */
export function checkMethod(method: string, version: A2aVersion): void {
  const at = version === '1.0' ? 0 : 1
  if (METHODS.some((names) => names[at] === method)) return
  const refuse = (message: string) => new Refusal(200, METHOD_NOT_FOUND, message)
  const other = version === '1.0' ? '0.3' : '1.0'
  const known = METHODS.find((names) => names[1 - at] === method)
  if (known) {
    const own = known[at]
    const instead = own === undefined ? '' : `, or ${own} as it is`
    const how = other === '1.0' ? `send the header ${A2A_VERSION_HEADER}: 1.0 with it` : `send it ${HEADER_OF[other]}`
    throw refuse(`${method} is a method of A2A ${other}: ${how}${instead}`)
  }
  const pair = nearestMethod(method)
  const near = pair && (pair[at] ?? `${pair[1 - at]} ${HEADER_OF[other]}`)
  if (near === undefined && (TASK.test(method) || method === 'tools/call'))
    throw refuse(`tasks are called by the method ${METHODS[0]?.[at]} here, with params ${MESSAGE[version]}`)
  const named = METHODS.flatMap((names) => names[at] ?? []).join(', ')
  throw refuse(`A2A ${version} has no such method; ${near === undefined ? `there is: ${named}` : `did you mean ${near}?`}`)
}

/** The form of the names of tasks. */
const TASK = /^[a-z]+(?:_[a-z]+)+$/

/** Older and other names, without separators. */
const SYNONYMS: Readonly<Record<string, string>> = {
  taskssend: 'SendMessage',
  taskssendsubscribe: 'SendStreamingMessage',
  taskslist: 'ListTasks',
  getagentcard: 'GetExtendedAgentCard',
  agentgetcard: 'GetExtendedAgentCard',
}

/** A method, with its name in either revision, by its words alone: `message.send`, `sendMessage` and `messages/send` are one. */
function nearestMethod(method: string): (typeof METHODS)[number] | undefined {
  const folded = (name: string) => name.replace(/[^A-Za-z]/g, '').toLowerCase()
  const typed = folded(method.slice(0, 64))
  const names = METHODS.flatMap((pair) => pair.flatMap((name) => (name === undefined ? [] : [[folded(name), pair] as const])))
  const meant = SYNONYMS[typed] === undefined ? typed : folded(SYNONYMS[typed])
  const near = nearestName(
    meant,
    names.map(([name]) => name),
  )
  return names.find(([name]) => name === near)?.[1]
}

/** Methods whose params are a message. */
const SENDING = new Set(['SendMessage', 'SendStreamingMessage', 'message/send', 'message/stream'])
/** The member of params by which a method names its task. */
const TASK_MEMBER: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['GetTask', 'CancelTask', 'SubscribeToTask', 'tasks/get', 'tasks/cancel', 'tasks/resubscribe'].map((method) => [
      method,
      'id',
    ]),
  ),
  ...Object.fromEntries(['get', 'list', 'delete'].map((what) => [`tasks/pushNotificationConfig/${what}`, 'id'])),
  ...Object.fromEntries(['Create', 'Get', 'Delete'].map((what) => [`${what}TaskPushNotificationConfig`, 'taskId'])),
  ListTaskPushNotificationConfigs: 'taskId',
  'tasks/pushNotificationConfig/set': 'taskId',
}
/** Names that the id of a task has elsewhere; the last one is `taskId` in the JSON of protobuf, which A2A 1.0 is written in. */
const OTHER_IDS = ['taskId', 'id', 'name', 'task_id']
/** Names that the parts of a message have elsewhere. */
const OTHER_PARTS = ['content', 'contents', 'part']

/**
 * What is wrong with the form of `params`, in words that say what to send instead; undefined for nothing. The words of the SDK name neither the place nor what was sent. Values
 * are never repeated.
 */
export function paramsFault({ method, params, ...root }: JsonObject, version: A2aVersion): string | undefined {
  if (SENDING.has(String(method))) {
    if (isObject(params)) return messageFault(params, version)
    return `params must be an object${'message' in root ? ' that holds message' : ''}: ${MESSAGE[version]}`
  }
  if (params !== undefined && !isObject(params)) return 'params must be an object'
  const member = Object.hasOwn(TASK_MEMBER, String(method)) ? TASK_MEMBER[String(method)] : undefined
  if (member === undefined || params?.[member] !== undefined) return undefined
  const other = OTHER_IDS.find((name) => params?.[name] !== undefined)
  if (version === '1.0' && member === 'taskId' && other === 'task_id') return undefined
  return `params.${member} must be the id of the task${other === undefined ? '' : `, not params.${other}`}: {"${member}": "…"}`
}

function messageFault(params: JsonObject, version: A2aVersion): string | undefined {
  const { message, pushNotificationConfig } = params
  if (!isObject(message)) return `params.message must be an object: ${MESSAGE[version]}`
  if (pushNotificationConfig !== undefined)
    return `params.configuration must hold ${version === '1.0' ? 'taskPushNotificationConfig' : 'pushNotificationConfig'}, not params`
  const { messageId, message_id: other, role, parts } = message
  if (messageId === undefined)
    return `message.messageId must be an id that you choose, such as a UUID${other === undefined ? '' : ', not message.message_id'}`
  if (version === '0.3' && role !== 'user' && role !== 'agent') return 'message.role must be "user" (ROLE_USER is of A2A 1.0)'
  if (!Array.isArray(parts)) {
    const elsewhere = OTHER_PARTS.find((name) => message[name] !== undefined)
    return `message.parts must be a list${elsewhere === undefined ? '' : `, not message.${elsewhere}`}: ${MESSAGE[version]}`
  }
  return version === '0.3' ? parts.map(kindFault).find((fault) => fault !== undefined) : undefined
}

/** The SDK reads a part by its `kind`, under 0.3 alone. */
function kindFault(part: unknown, index: number): string | undefined {
  if (!isObject(part) || typeof part.kind === 'string') return undefined
  const inner = 'root' in part ? ', without root around it' : ''
  const type = 'type' in part ? ', not type' : ''
  const content = part.text === undefined ? '"data"' : '"text"'
  return `message.parts[${index}].kind must be ${content}${type}${inner}: {"kind": "data", "data": {"skill": "get_products", "parameters": {…}}}`
}
