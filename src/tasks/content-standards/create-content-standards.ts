import { randomUUID } from 'node:crypto'
import type { CreateContentStandardsRequest, CreateContentStandardsResponse } from '@adcp/sdk/types'
import { newDocument } from '../../domain/content-standards/content-standards.ts'
import { defineTask } from '../../pipeline/task.ts'
import { insertContentStandards } from '../../store/content-standards/content-standards.ts'

export const createContentStandards = defineTask<CreateContentStandardsRequest, CreateContentStandardsResponse>()({
  name: 'create_content_standards',
  mutating: true,
  access: 'authenticated',
  scope: 'content_standards',
  summary: 'Define brand safety policies for languages, channels and countries.',
  async handle(request, { tx, principal, now }) {
    const standardsId = `cs_${randomUUID()}`
    const at = now.toISOString()
    const standards = { standardsId, version: 1, document: newDocument(request), createdAt: at, updatedAt: at }
    await insertContentStandards(tx, principal, standards)
    return { standards_id: standardsId }
  },
})
