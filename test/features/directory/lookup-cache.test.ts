import { describe, expect, it } from 'vitest'
import { CURSOR_STEP_MS, parseLookup } from '../../../src/domain/directory/lookup-query.ts'
import { pageTags } from '../../../src/features/directory/lookup.ts'
import { LookupCache } from '../../../src/features/directory/lookup-cache.ts'

const NOW = new Date(CURSOR_STEP_MS * 10 + 1)
const agent = { agent_id: 'a', agent_url: 'https://a.example', version: 1, changed_at: '' }
const query = parseLookup({ agentUrl: agent.agent_url }, NOW)
const lookup = { query, agent, tags: pageTags(agent, query, NOW), dataVersion: 1 }
const atEnd = new Date(CURSOR_STEP_MS * 11)

describe('kept lookups', () => {
  it('last for one step of cursors', () => {
    const cache = new LookupCache()
    expect(cache.get('/a', NOW)).toBeUndefined()
    cache.set('/a', lookup, NOW)
    expect(cache.get('/a', atEnd)).toBe(lookup)
    expect(cache.get('/a', new Date(atEnd.getTime() + 1))).toBeUndefined()
    cache.set('/a', lookup, NOW)
    expect(cache.get('/a', new Date(atEnd.getTime() + 1))).toBeUndefined()
  })

  it('are bounded in number and length; the oldest goes first', () => {
    const cache = new LookupCache()
    cache.get('', NOW)
    for (let n = 0; n <= 4096; n += 1) cache.set(`/${n}`, lookup, NOW)
    expect([cache.get('/0', NOW), cache.get('/1', NOW), cache.get('/4096', NOW)]).toEqual([undefined, lookup, lookup])
    cache.set('/'.repeat(2000), lookup, NOW)
    expect(cache.get('/'.repeat(2000), NOW)).toBeUndefined()
  })
})
