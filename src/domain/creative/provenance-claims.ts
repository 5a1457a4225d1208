import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { canonicalTargets, declarationsOf, entriesOf, type WithProvenance } from './check-provenance.ts'

/** An agent that a product trusts to verify claims (AdCP 3.1, core/creative-policy.json `accepted_verifiers`). */
export interface AcceptedVerifier {
  readonly agentUrl: string
  readonly featureId: string | undefined
}

/** How content says it was made, with the agent that a buyer names as its verifier. */
export interface Claim {
  readonly verifier: AcceptedVerifier
  readonly featureId: string
  /** A value of enums/digital-source-type.json. */
  readonly claimed: string
  /** Path of the claim in the request. */
  readonly field: string
}

/** The one feature whose values can contradict a source type. */
const AI_GENERATED = 'ai_generated'
/** Less certain findings refute nothing. */
const CERTAIN = 0.9

const WITHOUT_AI: ReadonlySet<string> = new Set([
  ...['digital_capture', 'digital_creation', 'composite_capture', 'human_edits', 'algorithmic_media'],
])
const WITH_AI: ReadonlySet<string> = new Set([
  ...['trained_algorithmic_media', 'composite_with_trained_algorithmic_media', 'composite_synthetic'],
])

/** The verifiers of a creative policy by their canonical URL. */
export function acceptedVerifiers(creativePolicy: unknown): readonly (readonly [url: string, verifier: AcceptedVerifier])[] {
  const accepted = isObject(creativePolicy) ? entriesOf(creativePolicy.accepted_verifiers) : []
  return accepted.flatMap((entry) => {
    if (!isObject(entry) || typeof entry.agent_url !== 'string') return []
    const featureId = typeof entry.feature_id === 'string' ? entry.feature_id : undefined
    const verifier = { agentUrl: entry.agent_url, featureId }
    return canonicalTargets(entry.agent_url).map((url) => [url, verifier] as const)
  })
}

/** The claims of a creative that one of the accepted verifiers can refute. `field` is its path, e.g. `creatives[0]`. */
export function claimsOf(
  creative: WithProvenance,
  accepted: ReadonlyMap<string, AcceptedVerifier>,
  field: string,
): readonly Claim[] {
  return declarationsOf(creative, field).flatMap(({ provenance, path }) => {
    const { digital_source_type: claimed } = provenance
    if (typeof claimed !== 'string' || !(WITHOUT_AI.has(claimed) || WITH_AI.has(claimed))) return []
    const entries = [...entriesOf(provenance.embedded_provenance), ...entriesOf(provenance.watermarks)]
    const [found] = entries.flatMap((entry): Claim[] => {
      const agent = isObject(entry) && isObject(entry.verify_agent) ? entry.verify_agent : undefined
      const verifier = canonicalTargets(agent?.agent_url).flatMap((url) => accepted.get(url) ?? [])[0]
      const featureId = verifier?.featureId ?? agent?.feature_id ?? AI_GENERATED
      return verifier && featureId === AI_GENERATED
        ? [{ verifier, featureId, claimed, field: `${path}.digital_source_type` }]
        : []
    })
    return found ? [found] : []
  })
}

/** The refusal of a claim that a finding refutes; undefined where it does not, or is not certain. Details are those that enums/error-code.json allows. */
export function contradictionOf(
  { verifier, featureId, claimed, field }: Claim,
  { value, confidence }: { readonly value: boolean; readonly confidence: number },
): AdcpError | undefined {
  const refuted = value ? WITHOUT_AI : WITH_AI
  if (confidence < CERTAIN || !refuted.has(claimed)) return undefined
  const { agentUrl } = verifier
  return new AdcpError(
    'PROVENANCE_CLAIM_CONTRADICTED',
    `${field} is "${claimed}", and ${agentUrl} found ${featureId} ${value} with confidence ${confidence}; state how it was made, or send another creative`,
    {
      field,
      details: { agent_url: agentUrl, feature_id: featureId, claimed_value: claimed, observed_value: value, confidence },
    },
  )
}
