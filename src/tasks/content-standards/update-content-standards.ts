import type { UpdateContentStandardsRequest, UpdateContentStandardsResponse } from '@adcp/sdk/types'
import { changeStandards } from '../../domain/content-standards/content-standards.ts'
import { defineTask } from '../../pipeline/task.ts'
import { getContentStandards, saveContentStandards } from '../../store/content-standards/content-standards.ts'

export const updateContentStandards = defineTask<UpdateContentStandardsRequest, UpdateContentStandardsResponse>()({
  name: 'update_content_standards',
  mutating: true,
  access: 'authenticated',
  scope: 'content_standards',
  changes: ['scope', 'registry_policy_ids', 'policies', 'calibration_exemplars'],
  summary: 'Replace the scope, policies or exemplars of content standards; absent parts stay.',
  async handle(request, { tx, principal, now }) {
    const current = await getContentStandards(tx, principal, request.standards_id)
    await saveContentStandards(tx, principal, {
      ...current,
      version: current.version + 1,
      document: changeStandards(current.document, request),
      updatedAt: now.toISOString(),
    })
    return { success: true, standards_id: current.standardsId }
  },
})
