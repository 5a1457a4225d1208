import type { CalibrateContentRequest, CalibrateContentResponse } from '@adcp/sdk/types'
import { judge } from '../../domain/content-standards/judge.ts'
import { defineTask } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { getContentStandards } from '../../store/content-standards/content-standards.ts'
import { presentFeature } from './present-feature.ts'
import { readingWork } from './reading-work.ts'

export const calibrateContent = defineTask<CalibrateContentRequest, CalibrateContentResponse>()({
  name: 'calibrate_content',
  mutating: true,
  access: 'authenticated',
  scope: 'content_standards',
  summary: 'Try one artifact against your content standards: verdict, confidence and reasons by policy.',
  async work({ standards_id }, { db, principal }) {
    return readingWork((await getContentStandards(db, principal, standards_id)).document)
  },
  async prepare({ standards_id, artifact }, { db, principal, services }) {
    const { document } = await getContentStandards(db, principal, standards_id)
    const [assessment] = await services.contentClassifier.assess([artifact], document.policies, document.exemplars)
    if (!assessment) throw new AdcpError('SERVICE_UNAVAILABLE', 'the content classifier gave no answer')
    return { document, assessment }
  },
  async handle({ artifact }, { now, services }, { document, assessment }) {
    const { verdict, confidence, explanation, features } = judge(document, artifact, assessment, {}, now)
    return {
      verdict,
      confidence,
      explanation: `${explanation}. Judged by: ${services.contentClassifier.description}`,
      features: features.map(presentFeature),
    }
  },
})
