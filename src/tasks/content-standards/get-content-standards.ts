import type { GetContentStandardsRequest, GetContentStandardsResponse } from '@adcp/sdk/types'
import { defineTask } from '../../pipeline/task.ts'
import { getContentStandards as getStandards } from '../../store/content-standards/content-standards.ts'
import { presentContentStandards } from './present-content-standards.ts'

export const getContentStandards = defineTask<GetContentStandardsRequest, GetContentStandardsResponse>()({
  name: 'get_content_standards',
  access: 'authenticated',
  scope: 'content_standards',
  summary: 'The version in force of one set of your content standards, with all its policies.',
  async handle({ standards_id }, { tx, principal }) {
    return presentContentStandards(await getStandards(tx, principal, standards_id))
  },
})
