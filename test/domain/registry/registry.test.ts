import { describe, expect, it } from 'vitest'
import { healthAfter } from '../../../src/domain/registry/agent-health.ts'
import { agentProfile, facetsOf } from '../../../src/domain/registry/agent-profile.ts'
import { eventTypeFilter } from '../../../src/domain/registry/event-types.ts'

describe('what an agent says of itself', () => {
  const isTask = (tool: string) => tool === 'get_products'
  const capabilities = (over: object = {}) => ({ supported_protocols: ['media_buy', 'sponsored_intelligence'], ...over })

  it('is read as far as it is AdCP', () => {
    const portfolio = { primary_channels: ['olv', 'ctv', 'ctv', 'Drop Table', 7] }
    const profile = agentProfile(
      ['get_products', 'rm_rf', 'get_products'],
      capabilities({ media_buy: { portfolio } }),
      '  Sales  ',
      isTask,
    )
    expect(profile).toEqual({ name: 'Sales', types: ['sales', 'si'], capabilities: ['get_products'], channels: ['ctv', 'olv'] })
    expect(profile && facetsOf(profile)).toEqual([
      '',
      'type:sales',
      'type:si',
      'capability:get_products',
      'channel:ctv',
      'channel:olv',
    ])
  })

  it('is nothing without a protocol or a task', () => {
    expect(agentProfile(['get_products'], {}, undefined, isTask)).toBeUndefined()
    expect(agentProfile(['get_products'], null, undefined, isTask)).toBeUndefined()
    expect(agentProfile(['get_products'], capabilities({ supported_protocols: ['cooking'] }), undefined, isTask)).toBeUndefined()
    expect(agentProfile(['constructor', 'toString'], capabilities(), undefined, isTask)).toBeUndefined()
    expect(
      agentProfile(['get_products'], capabilities({ media_buy: { portfolio: 'x' } }), 'n'.repeat(300), isTask),
    ).toMatchObject({
      channels: [],
      name: 'n'.repeat(200),
    })
  })
})

describe('health', () => {
  const HOUR = 3_600_000
  const fresh = { lastSeenAt: undefined, failingSince: undefined, failures: 0, listed: false }

  it('of an agent that never answered stays unknown and unlisted, with ever longer pauses', () => {
    let state = { ...healthAfter(fresh, false, 0, 0.5) }
    const pauses = [state.nextCheckAt]
    for (let now = state.nextCheckAt; pauses.length < 12; now = state.nextCheckAt) {
      state = healthAfter(state, false, now, 0.5)
      pauses.push(state.nextCheckAt - now)
    }
    expect(state).toMatchObject({ health: 'unknown', listed: false, failures: 12 })
    expect(pauses[0]).toBe(5 * 60_000)
    expect(Math.max(...pauses)).toBe(24 * HOUR)
    expect(pauses.toSorted((a, b) => a - b)).toEqual(pauses)
  })

  it('spreads looks by a tenth', () => {
    expect(healthAfter(fresh, true, 0, 0).nextCheckAt).toBe(6 * HOUR * 0.9)
    expect(healthAfter(fresh, true, 0, 0.999_999).nextCheckAt).toBeLessThan(6 * HOUR * 1.1)
  })
})

it('events are wanted by type, by kind, or all', () => {
  const types = ['agent.added', 'agent.removed', 'brand.created']
  expect(types.filter(eventTypeFilter(undefined))).toEqual(types)
  expect(types.filter(eventTypeFilter('agent.*'))).toEqual(['agent.added', 'agent.removed'])
  expect(types.filter(eventTypeFilter('agent.removed,brand.*'))).toEqual(['agent.removed', 'brand.created'])
})
