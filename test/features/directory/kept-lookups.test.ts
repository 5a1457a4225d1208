import { describe, expect, it } from 'vitest'
import { CURSOR_STEP_MS, parseLookup } from '../../../src/domain/directory/lookup-query.ts'
import { KeptLookups } from '../../../src/features/directory/kept-lookups.ts'
import { pageTags } from '../../../src/features/directory/lookup.ts'

const NOW = new Date(CURSOR_STEP_MS * 10 + 1)
const agent = { agent_id: 'a', agent_url: 'https://a.example', version: 1, changed_at: '' }
const query = parseLookup({ agentUrl: agent.agent_url }, NOW)
const lookup = { query, agent, tags: pageTags(agent, query, NOW), dataVersion: 1 }
const atEnd = new Date(CURSOR_STEP_MS * 11)

describe('kept lookups', () => {
  it('last for one step of cursors', () => {
    const kept = new KeptLookups()
    expect(kept.find('/a', NOW)).toBeUndefined()
    kept.keep('/a', lookup, NOW)
    expect(kept.find('/a', atEnd)).toBe(lookup)
    expect(kept.find('/a', new Date(atEnd.getTime() + 1))).toBeUndefined()
    kept.keep('/a', lookup, NOW)
    expect(kept.find('/a', new Date(atEnd.getTime() + 1))).toBeUndefined()
  })

  it('are bounded in number and length; the oldest goes first', () => {
    const kept = new KeptLookups()
    kept.find('', NOW)
    for (let n = 0; n <= 4096; n += 1) kept.keep(`/${n}`, lookup, NOW)
    expect([kept.find('/0', NOW), kept.find('/1', NOW), kept.find('/4096', NOW)]).toEqual([undefined, lookup, lookup])
    kept.keep('/'.repeat(2000), lookup, NOW)
    expect(kept.find('/'.repeat(2000), NOW)).toBeUndefined()
  })
})
