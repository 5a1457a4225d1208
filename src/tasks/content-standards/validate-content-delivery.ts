import type { ValidateContentDeliveryRequest, ValidateContentDeliveryResponse } from '@adcp/sdk/types'
import { type ArtifactAssessment, judge } from '../../domain/content-standards/judge.ts'
import { defineTask } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { getContentStandards } from '../../store/content-standards/content-standards.ts'
import { presentFeature } from './present-feature.ts'

export const validateContentDelivery = defineTask<ValidateContentDeliveryRequest, ValidateContentDeliveryResponse>()({
  name: 'validate_content_delivery',
  access: 'authenticated',
  scope: 'content_standards',
  summary: 'Hold delivered artifacts against your content standards: a verdict for each.',
  async prepare({ standards_id, records, feature_ids }, { db, principal, services }) {
    const { document } = await getContentStandards(db, principal, standards_id)
    const wanted = feature_ids && new Set(feature_ids)
    const policies = document.policies.filter(
      ({ policy_id, policy_categories }) => !wanted || wanted.has(policy_categories?.[0] ?? policy_id),
    )
    const artifacts = records.map(({ artifact }) => artifact)
    const assessments = await services.contentClassifier.assess(artifacts, policies, document.exemplars)
    return { document: { ...document, policies }, assessments }
  },
  async handle({ records, include_passed }, { now }, { document, assessments }) {
    const results = records.map((record, index) => {
      const judgement = judge(document, record.artifact, assessmentAt(assessments, index), record, now)
      return { record_id: record.record_id, verdict: judgement.verdict, features: judgement.features.map(presentFeature) }
    })
    const failed = results.filter(({ verdict }) => verdict === 'fail')
    return {
      summary: { total_records: results.length, passed_records: results.length - failed.length, failed_records: failed.length },
      results: include_passed === false ? failed : results,
    }
  },
})

function assessmentAt(assessments: readonly ArtifactAssessment[], index: number): ArtifactAssessment {
  const assessment = assessments[index]
  if (!assessment) throw new AdcpError('SERVICE_UNAVAILABLE', 'the content classifier left out a record')
  return assessment
}
