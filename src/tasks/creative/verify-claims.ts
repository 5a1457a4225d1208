import { storyObservation } from '../../domain/compliance/story-verifier.ts'
import type { SentCreative } from '../../domain/creative/creative.ts'
import { acceptedVerifiers, type Claim, claimsOf, contradictionOf } from '../../domain/creative/provenance-claims.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import type { AdcpError } from '../../protocol/errors.ts'

/** What became of the provenance claims of creatives, by creative id. */
export interface VerifiedClaims {
  /** Claims that their verifier refutes. */
  readonly contradicted: ReadonlyMap<string, AdcpError>
  /** Verifiers that gave no answer: a person looks at the creative. */
  readonly unverified: ReadonlyMap<string, string>
}

/** Questions of one call, and how many are asked at once; creatives beyond go to a person. */
const MOST_QUESTIONS = 20
const AT_ONCE = 5

interface Asked {
  readonly creative: SentCreative
  readonly claim: Claim
}

/**
 * Asks the verifiers that products accept (AdCP 3.1, `accepted_verifiers`) whether creatives were made as they say. Buyers name the verifier; an agent that
 * no product lists is never asked. Uses the network, so it is for `prepare`.
 */
export async function verifyClaims(context: AuthenticatedContext, creatives: readonly SentCreative[]): Promise<VerifiedClaims> {
  const contradicted = new Map<string, AdcpError>()
  const unverified = new Map<string, string>()
  const asked = await questionsOf(context, creatives)
  const silent = new Set<string>()
  const settle = async ({ creative, claim }: Asked) => {
    const { agentUrl } = claim.verifier
    const found = silent.has(agentUrl) ? undefined : await observe(context, creative, claim)
    if (found) {
      const refusal = contradictionOf(claim, found)
      if (refusal) contradicted.set(creative.creative_id, refusal)
    } else if (!context.principal.conformance) {
      silent.add(agentUrl)
      unverified.set(creative.creative_id, `could not be verified: ${agentUrl} gave no answer`)
    }
  }
  for (let start = 0; start < Math.min(asked.length, MOST_QUESTIONS); start += AT_ONCE)
    await Promise.all(asked.slice(start, Math.min(start + AT_ONCE, MOST_QUESTIONS)).map(settle))
  for (const { creative } of asked.slice(MOST_QUESTIONS))
    unverified.set(creative.creative_id, `could not be verified: one call has at most ${MOST_QUESTIONS} claims verified`)
  return { contradicted, unverified }
}

async function questionsOf(
  { db, tenant, principal, services }: AuthenticatedContext,
  creatives: readonly SentCreative[],
): Promise<readonly Asked[]> {
  const { products } = await services.products.get(db, tenant, principal)
  const accepted = new Map(products.flatMap(({ offer }) => acceptedVerifiers(offer.creative_policy)))
  if (accepted.size === 0) return []
  return creatives.flatMap((creative, index) =>
    claimsOf(creative, accepted, `creatives[${index}]`).map((claim) => ({ creative, claim })),
  )
}

function observe({ principal, services }: AuthenticatedContext, creative: SentCreative, { verifier, featureId }: Claim) {
  if (principal.conformance) return storyObservation(creative.assets)
  const { format_id, assets, provenance } = creative
  const manifest = { format_id, assets, ...(provenance && { provenance }) }
  return services.claimVerifier({ agentUrl: verifier.agentUrl, featureId, manifest })
}
