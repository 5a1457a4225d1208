import { expect, test } from 'vitest'
import { summarizeCreatives } from '../../../src/tasks/creative/summaries.ts'

const row = (id: string, more: object = {}) => ({ creative_id: id, name: id, status: 'approved', ...more })

test('what is next is told of the creatives that are shown', () => {
  expect(summarizeCreatives({ creatives: [row('a'), row('b')] })).toContain('filters.creative_ids shows the assets')
  expect(summarizeCreatives({ creatives: [row('a')] })).toContain('filters.creative_ids shows the assets')
  for (const shown of [[row('a', { assets: {} })], [row('a', { assets: {} }), row('b', { assets: {} })]])
    expect(summarizeCreatives({ creatives: shown })).not.toContain('Next')
  expect(summarizeCreatives({ creatives: [] })).toContain('list_creatives without filters shows your library')
})
