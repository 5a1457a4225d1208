import type { FeatureResult } from '../../domain/content-standards/judge.ts'

/** One line of the breakdown, the same in calibration and in validation. */
export function presentFeature({ featureId, status, policyId, explanation, confidence }: FeatureResult) {
  return {
    feature_id: featureId,
    status,
    ...(policyId !== undefined && { policy_id: policyId }),
    explanation,
    ...(confidence !== undefined && { confidence }),
  }
}
