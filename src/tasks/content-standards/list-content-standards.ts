import type { ListContentStandardsRequest, ListContentStandardsResponse } from '@adcp/sdk/types'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { defineTask } from '../../pipeline/task.ts'
import { listContentStandards as listStandards } from '../../store/content-standards/content-standards.ts'
import { presentContentStandards } from './present-content-standards.ts'

/** AdCP core/pagination-request.json, `max_results`. */
const DEFAULT_PAGE = 50

export const listContentStandards = defineTask<ListContentStandardsRequest, ListContentStandardsResponse>()({
  name: 'list_content_standards',
  access: 'authenticated',
  scope: 'content_standards',
  summary: 'List your content standards, also by channel, language or country.',
  async handle({ channels, languages, countries, pagination }, { tx, principal }) {
    const { tenantId, principalId } = principal
    const query = ['list_content_standards', tenantId, principalId, channels, languages, countries]
    const page = await listStandards(
      tx,
      principal,
      { channels, languages, countries },
      { after: decodeCursor(query, pagination?.cursor), limit: pagination?.max_results ?? DEFAULT_PAGE },
    )
    return {
      standards: page.standards.map(presentContentStandards),
      pagination: {
        has_more: page.after !== undefined,
        ...(page.after !== undefined && { cursor: encodeCursor(query, page.after) }),
        total_count: page.total,
      },
    }
  },
})
