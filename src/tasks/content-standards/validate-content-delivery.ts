import type { ValidateContentDeliveryRequest, ValidateContentDeliveryResponse } from '@adcp/sdk/types'
import type { StandardsDocument } from '../../domain/content-standards/content-standards.ts'
import { type ArtifactAssessment, judge } from '../../domain/content-standards/judge.ts'
import { type AuthenticatedContext, defineTask, MOST_STEPS } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { getContentStandards } from '../../store/content-standards/content-standards.ts'
import { presentFeature } from './present-feature.ts'
import { readingWork } from './reading-work.ts'

export const validateContentDelivery = defineTask<ValidateContentDeliveryRequest, ValidateContentDeliveryResponse>()({
  name: 'validate_content_delivery',
  access: 'authenticated',
  scope: 'content_standards',
  summary: 'Hold delivered artifacts against your content standards: a verdict for each.',
  async work(request, context) {
    const document = await standardsOf(request, context)
    const { policies } = document
    const records = request.records.length
    const reading = readingWork(document)
    if (reading.steps > MOST_STEPS) return reading
    const ofARecord = STEPS_OF_A_VERDICT * policies.length + reading.steps / READINGS_OF_A_COMPARISON
    const most = Math.max(1, Math.floor((MOST_STEPS - reading.steps) / ofARecord))
    return {
      steps: Math.ceil(reading.steps + records * ofARecord),
      product: `${policies.length} policies × ${records} records`,
      field: 'records',
      suggestion: `send at most ${most} records in one call, or name fewer feature_ids`,
    }
  },
  async prepare(request, context) {
    const { records } = request
    const { services } = context
    const document = await standardsOf(request, context)
    const { policies } = document
    const artifacts = records.map(({ artifact }) => artifact)
    const assessments = await services.contentClassifier.assess(artifacts, policies, document.exemplars)
    return { document, assessments }
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

/** A verdict on one record under one policy, made, validated and written; and what of the standards, once they are read, is compared with each record. */
const STEPS_OF_A_VERDICT = 5
const READINGS_OF_A_COMPARISON = 2_000

/** The standards with the policies that are asked for. Throws REFERENCE_NOT_FOUND. */
async function standardsOf(
  { standards_id, feature_ids }: ValidateContentDeliveryRequest,
  { db, principal }: AuthenticatedContext,
): Promise<StandardsDocument> {
  const { document } = await getContentStandards(db, principal, standards_id)
  const wanted = feature_ids && new Set(feature_ids)
  const policies = document.policies.filter(
    ({ policy_id, policy_categories }) => !wanted || wanted.has(policy_categories?.[0] ?? policy_id),
  )
  return { ...document, policies }
}

function assessmentAt(assessments: readonly ArtifactAssessment[], index: number): ArtifactAssessment {
  const assessment = assessments[index]
  if (!assessment) throw new AdcpError('SERVICE_UNAVAILABLE', 'the content classifier left out a record')
  return assessment
}
