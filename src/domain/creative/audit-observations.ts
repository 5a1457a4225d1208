import { isObject } from '../../protocol/is-object.ts'

/** What a creative's own declarations give reason to look into (AdCP 3.1, creative/audit-observation.json); no ground to refuse it. */
export interface AuditObservation {
  readonly code: 'OVERSIGHT_DISCLOSURE_CARVEOUT_CLAIMED'
  readonly severity: 'audit-worthy'
  readonly recovery: 'informational'
  readonly field: string
  readonly message: string
  readonly details: {
    readonly agent_url: string
    readonly claimed_value: { readonly human_oversight: 'edited' | 'directed'; readonly disclosure_required: false }
  }
}

interface Declaring {
  readonly provenance?: object | undefined
  readonly assets: object
}

/**
 * The observations on a creative, linear in the number of its assets: a person is said to have edited or directed it, and so no disclosure to be owed (AdCP 3.1,
 * provenance verification page, "Audit observations"). `agentUrl` is the address of the agent that observes.
 */
export function auditObservations({ provenance, assets }: Declaring, agentUrl: string): AuditObservation[] {
  const found = carveOut(provenance, 'creative_manifest.provenance', agentUrl)
  for (const [id, group] of Object.entries(assets)) {
    const list: unknown[] = Array.isArray(group) ? group : [group]
    list.forEach((asset, index) => {
      if (!isObject(asset)) return
      const name = Array.isArray(group) ? `${id}[${index}]` : id
      found.push(...carveOut(asset.provenance, `creative_manifest.assets.${name}.provenance`, agentUrl))
    })
  }
  return found
}

function carveOut(provenance: unknown, path: string, agentUrl: string): AuditObservation[] {
  if (!isObject(provenance) || !isObject(provenance.disclosure) || provenance.disclosure.required !== false) return []
  const { human_oversight: oversight } = provenance
  if (oversight !== 'edited' && oversight !== 'directed') return []
  return [
    {
      code: 'OVERSIGHT_DISCLOSURE_CARVEOUT_CLAIMED',
      severity: 'audit-worthy',
      recovery: 'informational',
      field: `${path}.disclosure.required`,
      message: `human_oversight is "${oversight}" and disclosure.required is false: the claim that no disclosure is owed is worth an audit`,
      details: { agent_url: agentUrl, claimed_value: { human_oversight: oversight, disclosure_required: false } },
    },
  ]
}
