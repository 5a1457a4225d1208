import type { Policy } from '../policy.ts'
import type { Artifact } from './artifact.ts'
import type { StandardsDocument } from './content-standards.ts'

/** What a classifier makes of one artifact under one policy. `unjudged` is an honest answer, not a pass. */
export interface PolicyAssessment {
  readonly policyId: string
  readonly outcome: 'met' | 'violated' | 'unjudged'
  /** 0 to 1. */
  readonly confidence: number
  readonly explanation: string
}

/** `likeExemplar`: the artifact is nearly the same as one that was judged before. */
export interface ArtifactAssessment {
  readonly policies: readonly PolicyAssessment[]
  readonly likeExemplar?: 'pass' | 'fail' | undefined
}

/** Where an artifact was delivered; an absent fact restricts nothing. */
export interface DeliveryPlace {
  readonly country?: string | undefined
  readonly channel?: string | undefined
}

/** One line of the breakdown (AdCP content-standards/validate-content-delivery-response.json, `features`). */
export interface FeatureResult {
  readonly featureId: string
  readonly status: 'passed' | 'failed' | 'warning' | 'unevaluated'
  readonly policyId?: string
  readonly explanation: string
  readonly confidence?: number
}

export interface Judgement {
  readonly verdict: 'pass' | 'fail'
  readonly confidence: number
  readonly explanation: string
  readonly features: readonly FeatureResult[]
}

/** Confidence where nothing was found and not everything could be examined. */
const UNCERTAIN = 0.5

/**
 * The verdict on one artifact: it fails when a mandatory policy that is in force here is violated, or when it is like an example that
 * fails. Weaker policies warn. An artifact that is like a passing example only warns.
 */
export function judge(
  document: StandardsDocument,
  artifact: Artifact,
  assessment: ArtifactAssessment,
  delivered: DeliveryPlace,
  now: Date,
): Judgement {
  // Once: it is compared with each value of the scope and of each policy.
  const place = { country: delivered.country?.toLowerCase(), channel: delivered.channel?.toLowerCase() }
  const outside = outOfScope(document, artifact, place)
  if (outside !== undefined) {
    const explanation = `${outside} is outside the scope of these standards`
    return {
      verdict: 'pass',
      confidence: 1,
      explanation,
      features: [{ featureId: 'record:scope', status: 'unevaluated', explanation }],
    }
  }
  const byPolicy = new Map(assessment.policies.toReversed().map((each) => [each.policyId, each]))
  const features = document.policies
    .filter((policy) => isInForce(policy, place, now))
    .flatMap((policy) => {
      const found = byPolicy.get(policy.policy_id)
      return found ? [featureOf(policy, found, assessment.likeExemplar === 'pass', now)] : []
    })
  if (assessment.likeExemplar === 'fail') {
    features.push({
      featureId: 'calibration_exemplar',
      status: 'failed',
      explanation: 'nearly the same as an example that fails',
      confidence: 0.9,
    })
  }
  return { ...conclude(features), features }
}

function conclude(features: readonly FeatureResult[]): Omit<Judgement, 'features'> {
  const those = (status: FeatureResult['status']) => features.filter((feature) => feature.status === status)
  const [failed, warnings, open] = [those('failed'), those('warning'), those('unevaluated')]
  if (failed.length > 0) {
    const confidence = Math.max(...failed.map((feature) => feature.confidence ?? UNCERTAIN))
    return { verdict: 'fail', confidence, explanation: `fails: ${sentence(failed)}` }
  }
  const confidence = open.length > 0 ? UNCERTAIN : Math.min(1, ...features.map((feature) => feature.confidence ?? UNCERTAIN))
  const parts = [
    warnings.length > 0 ? `passes with warnings: ${sentence(warnings)}` : 'passes every policy that could be evaluated',
    ...(open.length > 0 ? [`not evaluated: ${sentence(open)}`] : []),
  ]
  return { verdict: 'pass', confidence, explanation: parts.join('; ') }
}

function sentence(features: readonly FeatureResult[]): string {
  return features.map(({ policyId, featureId, explanation }) => `${policyId ?? featureId} (${explanation})`).join(', ')
}

function featureOf(policy: Policy, assessment: PolicyAssessment, likePassing: boolean, now: Date): FeatureResult {
  const binding = policy.enforcement === 'must' && !isFuture(policy.effective_date, now) && !likePassing
  const status = { met: 'passed', violated: binding ? 'failed' : 'warning', unjudged: 'unevaluated' } as const
  return {
    featureId: policy.policy_categories?.[0] ?? policy.policy_id,
    status: status[assessment.outcome],
    policyId: policy.policy_id,
    explanation: assessment.explanation,
    ...(assessment.outcome !== 'unjudged' && { confidence: assessment.confidence }),
  }
}

/** The fact that puts an artifact outside the scope, in words; undefined inside it. */
function outOfScope({ scope }: StandardsDocument, artifact: Artifact, { country, channel }: DeliveryPlace): string | undefined {
  if (country !== undefined && scope.countries_all && !hasFolded(scope.countries_all, country))
    return 'the country of the delivery'
  if (channel !== undefined && scope.channels_any && !hasFolded(scope.channels_any, channel)) return 'the channel of the delivery'
  const spoken = artifact.assets.flatMap((asset) => ('language' in asset && asset.language !== undefined ? [asset.language] : []))
  const wanted = scope.languages_any
  if (wanted && spoken.length > 0 && !spoken.some((tag) => wanted.some((range) => isInRange(tag, range)))) {
    return 'the language of the content'
  }
  return undefined
}

/** RFC 4647 §3.3.1 basic filtering: `en` covers `en-US`, not the other way round. */
function isInRange(tag: string, range: string): boolean {
  const [spoken, wanted] = [tag.toLowerCase(), range.toLowerCase()]
  return wanted === '*' || spoken === wanted || spoken.startsWith(`${wanted}-`)
}

function isInForce(policy: Policy, { country, channel }: DeliveryPlace, now: Date): boolean {
  const day = now.toISOString().slice(0, 10)
  if (policy.sunset_date !== undefined && policy.sunset_date < day) return false
  if (channel !== undefined && (policy.channels?.length ?? 0) > 0 && !hasFolded(policy.channels ?? [], channel)) return false
  const jurisdictions = policy.jurisdictions ?? []
  if (country === undefined || jurisdictions.length === 0) return true
  const expanded = jurisdictions.flatMap((name) => policy.region_aliases?.[name] ?? [name])
  return hasFolded(expanded, country)
}

/** Before its effective date a policy informs and does not block (AdCP governance/policy-entry.json). */
function isFuture(date: string | undefined, now: Date): boolean {
  return date !== undefined && date > now.toISOString().slice(0, 10)
}

function hasFolded(values: readonly string[], folded: string): boolean {
  return values.some((each) => each.toLowerCase() === folded)
}
