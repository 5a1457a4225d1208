import { ownValue } from '../own-value.ts'

/** What an agent says of itself, as far as the registry keeps it. */
export interface AgentProfile {
  readonly name: string | undefined
  /** Kinds of agent that it is: sales, creative, signals, governance, brand, si. */
  readonly types: readonly string[]
  /** Names of the AdCP tasks that it offers, ascending. */
  readonly capabilities: readonly string[]
  /** Advertising channels that it declares, ascending. */
  readonly channels: readonly string[]
}

/** AdCP get-adcp-capabilities-response.json, `supported_protocols`, in the words of brand.json's `agents[].type`. */
const TYPE_OF_PROTOCOL: Readonly<Record<string, string>> = {
  media_buy: 'sales',
  creative: 'creative',
  signals: 'signals',
  governance: 'governance',
  brand: 'brand',
  sponsored_intelligence: 'si',
}

/** A name in snake_case, as tasks and channels have it. */
const WORD = /^[a-z][a-z0-9_]{0,63}$/
/** AdCP enums/channels.json has twenty; what a stranger declares is bounded. */
const MOST_CHANNELS = 40
const LONGEST_NAME = 200

/**
 * Reads the answers of an agent: its list of tools, and the payload of get_adcp_capabilities. Undefined when it is no AdCP agent: no protocol, or
 * none of the tasks.
 */
export function agentProfile(
  tools: readonly string[],
  capabilities: unknown,
  name: string | undefined,
  isTask: (tool: string) => boolean,
): AgentProfile | undefined {
  const types = textsIn(capabilities, 'supported_protocols').flatMap((protocol) => ownValue(TYPE_OF_PROTOCOL, protocol) ?? [])
  const tasks = [...new Set(tools)].filter(isTask).sort()
  if (types.length === 0 || tasks.length === 0) return undefined
  const channels = textsIn(memberOf(memberOf(capabilities, 'media_buy'), 'portfolio'), 'primary_channels')
  return {
    name: name?.trim().slice(0, LONGEST_NAME) || undefined,
    types: [...new Set(types)].sort(),
    capabilities: tasks,
    channels: wordsOf(channels),
  }
}

/** Distinct words, ascending, bounded. */
export function wordsOf(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value) => WORD.test(value)))].sort().slice(0, MOST_CHANNELS)
}

/** The words that an agent is found by; the empty one finds every agent. */
export function facetsOf({ types, capabilities, channels }: AgentProfile): readonly string[] {
  return ['', ...types.map(typeFacet), ...capabilities.map(capabilityFacet), ...channels.map(channelFacet)]
}

export const typeFacet = (type: string): string => `type:${type}`
export const capabilityFacet = (task: string): string => `capability:${task}`
export const channelFacet = (channel: string): string => `channel:${channel}`

function textsIn(value: unknown, name: string): readonly string[] {
  const found = memberOf(value, name)
  return Array.isArray(found) ? found.filter((each: unknown) => typeof each === 'string') : []
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Object.entries(value).find(([key]) => key === name)?.[1]
}
