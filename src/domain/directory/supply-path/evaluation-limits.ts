import { isObject } from '../../../protocol/is-object.ts'
import type { SupplyPathInput } from './types.ts'

/** AdCP supply-path verification, semantics version 1. */
const MOST = { entries: 1_024, characters: 8_192, values: 32_768, selectorWork: 4_000_000 }

/** Whether an input is larger than one evaluation may be. */
export function exceedsLimits(input: SupplyPathInput): boolean {
  const open: unknown[] = Object.values(input)
  let values = 0
  for (let value = open.pop(); open.length > 0 || value !== undefined; value = open.pop()) {
    values += 1
    if (values > MOST.values) return true
    if (typeof value === 'string' && value.length > MOST.characters) return true
    if (Array.isArray(value)) {
      if (value.length > MOST.entries) return true
      for (const each of value) open.push(each ?? null)
    } else if (isObject(value)) {
      for (const [name, each] of Object.entries(value)) {
        if (name.length > MOST.characters) return true
        open.push(each ?? null)
      }
    }
  }
  return selectorWork(input) > MOST.selectorWork
}

/** Upper bound of the comparisons: each agent entry of either file meets each collection and each property. */
function selectorWork({ ownerManifest: owner, hostManifest: host }: SupplyPathInput): number {
  const agents = lengthAt(owner, 'authorized_agents') + lengthAt(host, 'authorized_agents')
  return (agents + 1) * (lengthAt(owner, 'collections') + 1) * (lengthAt(host, 'properties') + 1)
}

function lengthAt(manifest: unknown, name: string): number {
  const list = isObject(manifest) ? manifest[name] : undefined
  return Array.isArray(list) ? list.length : 0
}
