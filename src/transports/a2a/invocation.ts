import { RequestMalformedError } from 'a2a/errors'
import { findCredential, type ScanOptions } from '../../pipeline/credential-scan.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { JsonObject } from '../json-rpc/json.ts'

/** The task that a message asks for. */
export interface Invocation {
  readonly skill: string
  readonly arguments: unknown
  /** What came along with it beside webhooks: scanned for credentials, and for nothing else. */
  readonly meta: JsonObject
  readonly contextId: string | undefined
  readonly taskId: string | undefined
  /** Where the client wants notifications, as AdCP's `push_notification_config`. */
  readonly push: JsonObject | undefined
}

/** Ids are opaque and echoed: printable ASCII, as official clients keep them. */
const ID = /^[\x20-\x7e]{1,256}$/
/** What a part may hold: A2A 0.3 has `file`, 1.0 `url` and `raw`. */
const CONTENTS = ['data', 'text', 'file', 'url', 'raw'] as const
/** Members of the data part that decide what is called. */
const MEMBERS = new Set(['skill', 'parameters', 'input'])
/** Names that the skill has elsewhere. */
const OTHER_SKILLS = ['task', 'name', 'tool', 'skill_id', 'skillId', 'skillName', 'operation', 'action', 'method']
/** What a data part is, as errors show it. */
const SHAPE = '{"skill": "get_products", "parameters": {…}}'
/** No member beside the skill may be a credential. */
const ANYWHERE: ScanOptions = { isDeclared: () => false, secrets: [] }
/** More parts than any message has a use for. */
const MAX_PARTS = 32

/**
 * Reads `params` of `message/send` (AdCP A2A guide, explicit skill invocation): one data part `{skill, parameters}`; `input` is the
 * later name of `parameters`. Text is commentary and never an instruction. Throws RequestMalformedError (JSON-RPC -32602).
 */
export function invocationOf(params: JsonObject): Invocation {
  const message = objectIn(params, 'message')
  idIn(message, 'messageId', 'required')
  const { parts } = message
  if (!Array.isArray(parts) || parts.length === 0 || parts.length > MAX_PARTS)
    throw malformed(`message.parts must be a list of 1 to ${MAX_PARTS} parts, one of them {"kind": "data", "data": ${SHAPE}}`)
  parts.forEach(checkPart)
  const [data, ...more] = parts.filter((part) => isObject(part) && part.data !== undefined)
  if (!isObject(data))
    throw malformed(
      `text calls nothing: message.parts must hold one data part with what it asks for, {"kind": "data", "data": ${SHAPE}}`,
    )
  if (more.length > 0)
    throw malformed(`message.parts must hold exactly one data part ${SHAPE}; several calls are several messages`)
  if (typeof data.data === 'string') throw malformed(`data must be an object, not a text of it: ${SHAPE}`)
  const invocation = objectIn(data, 'data')
  const variant = Object.keys(invocation).find((name) => name !== name.toLowerCase() && MEMBERS.has(name.toLowerCase()))
  if (variant !== undefined) throw malformed(`data.${variant.slice(0, 40)} must be written ${variant.toLowerCase()}`)
  const { skill, parameters, input, ...rest } = invocation
  if (typeof skill !== 'string' || skill === '') {
    const other = OTHER_SKILLS.find((name) => typeof rest[name] === 'string')
    const not = other === undefined ? '' : `, not data.${other}`
    throw malformed(`data.skill must name the task${not}, and data.parameters must hold its arguments: ${SHAPE}`)
  }
  if (parameters !== undefined && input !== undefined) throw malformed('data must hold parameters or input, not both')
  for (const [name, value] of [
    ['parameters', parameters],
    ['input', input],
  ] as const) {
    if (typeof value === 'string') throw malformed(`data.${name} must be an object, not a text of it: ${SHAPE}`)
    if (value !== undefined && !isObject(value)) throw malformed(`data.${name} must be an object: ${SHAPE}`)
  }
  const [beside] = Object.keys(rest)
  // Arguments in another place would be dropped, and the task would miss what was sent. Credentials there have a refusal of their own.
  if (parameters === undefined && input === undefined && beside !== undefined && findCredential(rest, ANYWHERE) === undefined)
    throw malformed(`data.parameters must hold the arguments of the task, not data.${beside.slice(0, 40)}: ${SHAPE}`)
  return {
    skill,
    arguments: parameters ?? input ?? {},
    meta: { rest, others: parts.filter((part) => part !== data), metadata: [params.metadata, message.metadata, data.metadata] },
    contextId: idIn(message, 'contextId'),
    taskId: idIn(message, 'taskId'),
    push: pushIn(params),
  }
}

/**
 * A part is a data part or a text part, and nothing else beside: another program might take a file, or a second content, for what is asked (AdCP
 * "Operation resolution over A2A"). `kind` is what A2A 0.3 calls it by.
 */
function checkPart(part: unknown): void {
  if (!isObject(part)) throw malformed('every entry of message.parts must be an object')
  const contents = CONTENTS.filter((name) => part[name] !== undefined)
  const [content] = contents
  if (contents.length !== 1 || (content !== 'data' && content !== 'text')) {
    throw malformed(
      'every entry of message.parts must hold either data or text; send files by their addresses, as members of data.parameters',
    )
  }
  if (part.kind !== undefined && part.kind !== content) throw malformed(`a part with ${content} must have the kind "${content}"`)
}

/** A2A 0.3 `pushNotificationConfig`, 1.0 `taskPushNotificationConfig`. */
function pushIn({ configuration }: JsonObject): JsonObject | undefined {
  if (configuration === undefined) return undefined
  if (!isObject(configuration)) throw malformed('configuration must be an object')
  const config = configuration.pushNotificationConfig ?? configuration.taskPushNotificationConfig
  if (config === undefined || config === null) return undefined
  if (!isObject(config)) throw malformed('the push notification configuration must be an object')
  if (typeof config.url !== 'string')
    throw malformed('url of the push notification configuration must be the address of the webhook')
  return adcpPush(config)
}

/** A push notification configuration of A2A as one of AdCP (core/push-notification-config), which checks the rest. */
export function adcpPush({ url, token, operation_id, authentication }: JsonObject): JsonObject {
  return {
    url,
    ...(operation_id !== undefined && { operation_id }),
    ...(token !== undefined && token !== '' && { token }),
    ...(isObject(authentication) && { authentication: adcpAuthentication(authentication) }),
  }
}

/** 0.3 lists `schemes`, 1.0 has one `scheme`; HTTP scheme names are distinguished without regard to case (RFC 9110 §11.1). */
function adcpAuthentication({ scheme, schemes, credentials }: JsonObject): JsonObject {
  const names: readonly unknown[] = Array.isArray(schemes) ? schemes : [scheme]
  return {
    schemes: names.map((name) => (typeof name === 'string' && name.toLowerCase() === 'bearer' ? 'Bearer' : name)),
    credentials,
  }
}

function objectIn(parent: JsonObject, name: string): JsonObject {
  const value = parent[name]
  if (!isObject(value)) throw malformed(`${name} must be an object`)
  return value
}

function idIn(message: JsonObject, name: string, presence: 'required' | 'optional' = 'optional'): string | undefined {
  const value = message[name]
  if ((value === undefined || value === '') && presence === 'optional') return undefined
  if (typeof value !== 'string' || !ID.test(value)) throw malformed(`message.${name} must be 1 to 256 printable characters`)
  return value
}

/**
 * Members that several methods have, as they came: the SDK makes text of every id and a number of every length. What the methods of A2A cannot
 * do without is checked by them. Throws RequestMalformedError (JSON-RPC -32602).
 */
export function checkShared(params: JsonObject): void {
  for (const name of ['id', 'taskId']) {
    if (params[name] != null && typeof params[name] !== 'string') throw malformed(`${name} must be text`)
  }
  const { configuration } = params
  checkLength(params, 'historyLength')
  if (isObject(configuration)) checkLength(configuration, 'configuration.historyLength')
}

/** The number of messages that is wanted; protobuf's JSON, which A2A 1.0 is written in, allows digits as text and the name of the protobuf file. */
function checkLength({ historyLength, history_length: length = historyLength }: JsonObject, name: string): void {
  if (length == null || /^\d{1,9}$/.test(String(length))) return
  throw malformed(`${name} must be an integer from 0 on`)
}

/** The id of a task that a method cannot do without. Throws RequestMalformedError (JSON-RPC -32602). */
export function checkTaskId(id: unknown): void {
  if (typeof id !== 'string' || !ID.test(id)) throw malformed('the id of the task must be 1 to 256 printable characters')
}

/** What is wrong with the parameters, in public words: JSON-RPC -32602. */
export function malformed(message: string): Error {
  return new RequestMalformedError(message)
}
