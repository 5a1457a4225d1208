import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { canonicalUrl } from '../canonical-url.ts'

/** What a product asks of the provenance of its creatives (AdCP 3.1, core/creative-policy.json). */
export interface ProvenancePolicy {
  readonly productId: string
  readonly required: boolean
  readonly digitalSourceType: boolean
  readonly disclosure: boolean
  readonly embedded: boolean
  /** Canonical URLs of the agents that may be named as verifiers; undefined where the product publishes none. */
  readonly verifiers: ReadonlySet<string> | undefined
}

/** The policy of a product, or undefined when it asks nothing. Requirements count only while provenance itself is required. */
export function provenancePolicyOf(productId: string, creativePolicy: object | undefined): ProvenancePolicy | undefined {
  if (!isObject(creativePolicy)) return undefined
  const { provenance_required, provenance_requirements: asked, accepted_verifiers: accepted } = creativePolicy
  const required = provenance_required === true
  const requirements = required && isObject(asked) ? asked : {}
  const verifiers = Array.isArray(accepted)
    ? new Set(accepted.flatMap((each: unknown) => (isObject(each) ? canonicalTargets(each.agent_url) : [])))
    : undefined
  if (!required && !verifiers) return undefined
  return {
    productId,
    required,
    digitalSourceType: requirements.require_digital_source_type === true,
    disclosure: requirements.require_disclosure_metadata === true,
    embedded: requirements.require_embedded_provenance === true,
    verifiers,
  }
}

/** A creative or a manifest. */
export interface WithProvenance {
  readonly provenance?: object | undefined
  readonly assets: object
}

/** A declaration with its path in the request. */
export interface Declared {
  readonly provenance: Readonly<Record<string, unknown>>
  readonly path: string
}

/**
 * The first requirement of a product that a creative does not meet, undefined when it meets all. `field` is the path of the creative, e.g.
 * `creatives[0]`. An asset's own declaration replaces that of its creative as a whole (AdCP 3.1, "Provenance verification" and core/provenance.json).
 */
export function provenanceFault(creative: WithProvenance, policy: ProvenancePolicy, field: string): AdcpError | undefined {
  const declarations = declarationsOf(creative, field)
  if (declarations.length === 0) {
    if (!policy.required) return undefined
    const why = 'needs a provenance object on the creative or on an asset'
    return fault('PROVENANCE_REQUIRED', `${field}.provenance`, why, policy)
  }
  for (const declared of declarations) {
    const found = missingMember(declared, policy) ?? unacceptedVerifier(declared, policy)
    if (found) return found
  }
  return undefined
}

/** The same for a creative of the library that an assignment names: `field` is the path of its id in the request. */
export function libraryProvenanceFault(
  creative: WithProvenance,
  policy: ProvenancePolicy | undefined,
  field: string,
): AdcpError | undefined {
  const found = policy && provenanceFault(creative, policy, 'the creative')
  if (!found) return undefined
  const { code, message, details } = found
  return new AdcpError(code, `${field}: ${message}`, { field, ...(details && { details }) })
}

/** Declarations of a creative and of its assets, with their paths below `field`. */
export function declarationsOf({ provenance, assets }: WithProvenance, field: string): Declared[] {
  const own: Declared[] = isObject(provenance) ? [{ provenance, path: `${field}.provenance` }] : []
  for (const [id, group] of Object.entries(assets)) {
    const list: unknown[] = Array.isArray(group) ? group : [group]
    list.forEach((asset, index) => {
      if (!isObject(asset) || !isObject(asset.provenance)) return
      const at = Array.isArray(group) ? `${id}[${index}]` : id
      own.push({ provenance: asset.provenance, path: `${field}.assets.${at}.provenance` })
    })
  }
  return own
}

function missingMember({ provenance, path }: Declared, policy: ProvenancePolicy): AdcpError | undefined {
  if (policy.digitalSourceType && typeof provenance.digital_source_type !== 'string') {
    const member = `${path}.digital_source_type`
    return fault('PROVENANCE_DIGITAL_SOURCE_TYPE_MISSING', member, 'needs a value of the enumeration digital-source-type', policy)
  }
  if (policy.disclosure && !isDisclosed(provenance.disclosure)) {
    const why = 'needs required: true with at least one jurisdiction, or required: false'
    return fault('PROVENANCE_DISCLOSURE_MISSING', `${path}.disclosure`, why, policy)
  }
  if (policy.embedded && entriesOf(provenance.embedded_provenance).length === 0) {
    return fault('PROVENANCE_EMBEDDED_MISSING', `${path}.embedded_provenance`, 'needs at least one entry', policy)
  }
  return undefined
}

function isDisclosed(disclosure: unknown): boolean {
  if (!isObject(disclosure) || typeof disclosure.required !== 'boolean') return false
  return !disclosure.required || entriesOf(disclosure.jurisdictions).length > 0
}

/** No address that a buyer names is called before it was found in the product's own list. */
function unacceptedVerifier({ provenance, path }: Declared, policy: ProvenancePolicy): AdcpError | undefined {
  const { verifiers } = policy
  if (!verifiers) return undefined
  for (const member of ['embedded_provenance', 'watermarks']) {
    for (const [index, entry] of entriesOf(provenance[member]).entries()) {
      if (!isObject(entry) || !isObject(entry.verify_agent)) continue
      if (canonicalTargets(entry.verify_agent.agent_url).some((url) => verifiers.has(url))) continue
      const why = 'is not among creative_policy.accepted_verifiers of the product; name one of those, or leave verify_agent out'
      return fault('PROVENANCE_VERIFIER_NOT_ACCEPTED', `${path}.${member}[${index}].verify_agent.agent_url`, why, policy)
    }
  }
  return undefined
}

function fault(code: string, field: string, why: string, { productId }: ProvenancePolicy): AdcpError {
  return new AdcpError(code, `${field} ${why} (product ${productId})`, { field, details: { product_id: productId } })
}

/** A list, or nothing where the value is none. */
export function entriesOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The canonical form of an agent's URL; none for what is no URL. */
export function canonicalTargets(url: unknown): string[] {
  try {
    return typeof url === 'string' ? [canonicalUrl(url).targetUri] : []
  } catch {
    return []
  }
}
