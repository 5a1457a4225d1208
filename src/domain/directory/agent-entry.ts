import type { Steps } from '../../platform/concurrency/steps.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Warn } from './adagents-file.ts'
import { agentKey } from './agent-url.ts'
import { type Parsed, type Property, parseProperty, stringsOf } from './property.ts'
import { byId, byTag, MAX_SELECTED, parseSelector, type Selection, type Selector } from './selector.ts'

/** What one entry of `authorized_agents` grants; a file may hold several for one agent, and their scopes add up. */
export interface AgentEntry {
  /** Canonical agent key. */
  readonly agent: string
  readonly scope: Scope
  /** Unix milliseconds; the entry grants nothing outside [from, until). */
  readonly effectiveFrom: number
  readonly effectiveUntil: number
  readonly pinsSigningKeys: boolean
  readonly delegation: Delegation | undefined
}

/** How the publisher's inventory is sold through the agent, most direct first (AdCP adagents.json, `delegation_type`). */
export const DELEGATIONS = ['direct', 'delegated', 'ad_network'] as const
export type Delegation = (typeof DELEGATIONS)[number]

export type Scope =
  | { readonly kind: 'properties'; readonly selects: Selection }
  | { readonly kind: 'inline'; readonly properties: readonly Property[] }
  | { readonly kind: 'selectors'; readonly selectors: readonly Selector[] }
  | { readonly kind: 'signals' }

/**
 * Reads one entry of `authorized_agents`. A malformed entry gives the reason and is skipped alone; malformed
 * properties and selectors inside it go to `warn`. Source: AdCP adagents.json, `authorized_agents`.
 */
export function* parseAgentEntry(value: unknown, path: string, warn: Warn): Steps<Parsed<AgentEntry>> {
  if (!isObject(value)) return { reason: 'is not an object' }
  const agent = typeof value.url === 'string' ? agentKey(value.url) : undefined
  if (agent === undefined) return { reason: 'has no usable url' }
  const scope = yield* parseScope(value, path, warn)
  if ('reason' in scope) return scope
  const effectiveFrom = instant(value.effective_from, Number.NEGATIVE_INFINITY)
  const effectiveUntil = instant(value.effective_until, Number.POSITIVE_INFINITY)
  if (Number.isNaN(effectiveFrom) || Number.isNaN(effectiveUntil)) return { reason: 'has an unreadable effective window' }
  const pinsSigningKeys = Array.isArray(value.signing_keys) && value.signing_keys.length > 0
  const delegation = DELEGATIONS.find((each) => each === value.delegation_type)
  return { value: { agent, scope: scope.value, effectiveFrom, effectiveUntil, pinsSigningKeys, delegation } }
}

function* parseScope(value: Readonly<Record<string, unknown>>, path: string, warn: Warn): Steps<Parsed<Scope>> {
  switch (value.authorization_type) {
    case 'property_ids':
      return predicateScope(stringsOf(value.property_ids), byId, 'property_ids')
    case 'property_tags':
      return predicateScope(stringsOf(value.property_tags), byTag, 'property_tags')
    case 'inline_properties': {
      // The companion field is `properties`, not the name of the discriminator.
      const properties = yield* parseEach(value.properties, `${path}.properties`, warn, parseProperty)
      return properties ? { value: { kind: 'inline', properties } } : { reason: 'has no properties' }
    }
    case 'publisher_properties': {
      const selectors = yield* parseEach(value.publisher_properties, `${path}.publisher_properties`, warn, parseSelector)
      return selectors ? { value: { kind: 'selectors', selectors } } : { reason: 'has no publisher_properties' }
    }
    case 'signal_ids':
    case 'signal_tags':
      return { value: { kind: 'signals' } }
    default:
      return { reason: 'has no known authorization_type' }
  }
}

function predicateScope(
  values: readonly string[],
  selection: (values: readonly string[]) => Selection,
  field: string,
): Parsed<Scope> {
  if (values.length === 0) return { reason: `has no ${field}` }
  if (values.length > MAX_SELECTED) return { reason: `has more than ${MAX_SELECTED} ${field}` }
  return { value: { kind: 'properties', selects: selection(values) } }
}

/** Items between two steps: some tenths of a millisecond. */
const ITEMS_OF_A_STEP = 64

/** Parses each item of a list, skipping malformed ones with a warning; undefined when there is no list. */
export function* parseEach<T>(
  list: unknown,
  path: string,
  warn: Warn,
  parse: (item: unknown, path: string) => Parsed<T> | Steps<Parsed<T>>,
): Steps<readonly T[] | undefined> {
  if (!Array.isArray(list) || list.length === 0) return undefined
  const parsed: T[] = []
  for (const [index, item] of list.entries()) {
    if (index % ITEMS_OF_A_STEP === ITEMS_OF_A_STEP - 1) yield
    const given = parse(item, `${path}[${index}]`)
    const result = 'next' in given ? yield* given : given
    if ('reason' in result) warn(`${path}[${index}]`, result.reason)
    else parsed.push(result.value)
  }
  return parsed
}

function instant(value: unknown, absent: number): number {
  if (value === undefined) return absent
  return typeof value === 'string' ? Date.parse(value) : Number.NaN
}
