import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { isObject } from '../../protocol/is-object.ts'
import { agentKey } from './agent-url.ts'
import { DISCOVERY_METHODS } from './claim.ts'
import type { FileForm } from './file-form.ts'
import { publisherDomain } from './publisher-domain.ts'

/** What another directory says of one agent and publisher. */
export interface MirroredClaim {
  readonly agent_url: string
  readonly publisher_domain: string
  readonly discovery_method: string | null
  readonly manager_domain: string | null
  readonly properties_authorized: number | null
  readonly properties_total: number | null
  /** How the file names its agents, where that directory says so. */
  readonly file_form: FileForm | null
  /** When that directory last verified it, as it says. */
  readonly verified_at: string | null
}

/** Reads a line of a snapshot (AdCP registry, authorizations/snapshot); gives the reason for one that names no agent or publisher. */
export function readMirroredClaim(line: string): { readonly claim: MirroredClaim } | { readonly reason: string } {
  const row = foreignJsonIn(line)
  if (!isObject(row)) return { reason: 'is no JSON object' }
  const agent = typeof row.agent_url === 'string' ? agentKey(row.agent_url) : undefined
  if (agent === undefined) return { reason: 'has no agent_url' }
  const domain = publisherDomain(row.publisher_domain)
  if (domain === undefined) return { reason: 'has no publisher_domain' }
  const method = DISCOVERY_METHODS.find((each) => each === row.discovery_method) ?? null
  return {
    claim: {
      agent_url: agent,
      publisher_domain: domain,
      discovery_method: method,
      manager_domain: publisherDomain(row.manager_domain) ?? null,
      properties_authorized: countOf(row.properties_authorized),
      properties_total: countOf(row.properties_total),
      file_form: row.file_form === 'short' || row.file_form === 'official' ? row.file_form : null,
      verified_at: momentOf(row.updated_at),
    },
  }
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

function momentOf(value: unknown): string | null {
  const time = typeof value === 'string' && value.length <= 40 ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}
