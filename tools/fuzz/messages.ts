import { HOSTILE_VALUES } from './hostile-values.ts'
import { pick } from './mutations.ts'

const INITIALIZE = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } }

/** Methods of MCP beside `tools/call`, with the members that they take. */
const METHODS: readonly (readonly [method: string, params: Readonly<Record<string, unknown>>])[] = [
  ['initialize', INITIALIZE],
  ['tools/list', { cursor: 'x' }],
  ['resources/list', { cursor: 'x' }],
  ['resources/templates/list', { cursor: 'x' }],
  ['resources/read', { uri: 'adcp://x' }],
  ['resources/subscribe', { uri: 'adcp://x' }],
  ['prompts/list', { cursor: 'x' }],
  ['prompts/get', { name: 'x', arguments: {} }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'x', value: 'y' } }],
  ['logging/setLevel', { level: 'info' }],
  ['tasks/get', { taskId: 'x' }],
  ['tasks/list', { cursor: 'x' }],
  ['ping', {}],
  ['server/discover', {}],
  ['notifications/initialized', {}],
  ['notifications/cancelled', { requestId: 1, reason: 'x' }],
  ['tools/call', { name: 'get_products', arguments: { buying_mode: 'brief', brief: 'x' }, _meta: { progressToken: 1 } }],
]

/** A JSON-RPC message of MCP of which some part is not what it should be. */
export function hostileMessage(random: () => number): unknown {
  const [method, params] = pick(METHODS, random)
  const message: Record<string, unknown> = { jsonrpc: '2.0', id: 1, method, params: { ...params } }
  const names = Object.keys(params)
  const how = random()
  if (how < 0.6 && names.length > 0) message.params = { ...params, [pick(names, random)]: pick(HOSTILE_VALUES, random) }
  else if (how < 0.7) message.params = pick(HOSTILE_VALUES, random)
  else if (how < 0.8) message.id = pick(HOSTILE_VALUES, random)
  else if (how < 0.9) message.params = { ...params, _meta: pick(HOSTILE_VALUES, random) }
  else if (how < 0.95) message.method = pick(HOSTILE_VALUES, random)
  return message
}
