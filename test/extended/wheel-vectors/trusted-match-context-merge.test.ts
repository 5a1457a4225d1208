import { describe, expect, it } from 'vitest'
import type { ContextResponse, ProviderContextResponse } from '../../../src/domain/trusted-match/context/context-messages.ts'
import { mergeContext } from '../../../src/domain/trusted-match/context/merge-context.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { matchOnPage } from '../../support/match-page.ts'
import { wheelIsMissing, wheelVectors } from '../../support/wheel.ts'

interface Vectors {
  readonly provider_responses: readonly {
    readonly registration_provider_id: string
    readonly response: ProviderContextResponse
  }[]
  readonly expected_router_response: ContextResponse
  readonly publisher_config: { readonly targeting_kv_mapping: object }
  readonly expected_publisher_targeting: readonly { readonly key: string; readonly value: string }[]
  readonly invalid_router_responses: readonly { readonly id: string; readonly response: object }[]
}

const vectors = (await wheelVectors('trusted-match-context-merge')).get('vectors.json') as Vectors | undefined
const schemas = loadContracts().find('3.2')?.schemas
const answers = (vectors?.provider_responses ?? []).map(({ registration_provider_id: providerId, response }) => ({
  providerId,
  priority: 0,
  response,
}))

describe.skipIf(wheelIsMissing || !schemas)('trusted-match-context-merge vectors of 3.2.4', () => {
  const validRouter = schemas?.validator('trusted-match/context-match-response.json')

  it('are all there', () => {
    expect(answers).toHaveLength(8)
    expect(vectors?.invalid_router_responses).toHaveLength(5)
  })

  it('expected_router_response', () => {
    const merged = mergeContext('ctx-provider-attribution-1', answers)
    expect(JSON.stringify(merged)).toBe(JSON.stringify(vectors?.expected_router_response))
    expect(validRouter?.(JSON.parse(JSON.stringify(merged)))).toEqual([])
  })

  it('expected_publisher_targeting', async () => {
    const mapping = vectors?.publisher_config.targeting_kv_mapping ?? {}
    expect(schemas?.validator('trusted-match/publisher-targeting-kv-config.json')(vectors?.publisher_config)).toEqual([])
    const page = await matchOnPage({ context: mergeContext('any', answers) }, { targetingMapping: mapping })
    const expected: Record<string, readonly string[]> = {}
    for (const { key, value } of vectors?.expected_publisher_targeting ?? []) expected[key] = [...(expected[key] ?? []), value]
    expect(page.targeting).toEqual(expected)
  })

  it.each(answers)('the answer of $providerId is judged by the schema of its hop', ({ providerId, response }) => {
    const issues = schemas?.validator('trusted-match/provider-context-match-response.json')(response)
    expect(issues?.length === 0).toBe(providerId !== 'provider_spoof')
  })

  it.each(vectors?.invalid_router_responses ?? [])('$id', ({ response }) => {
    expect(validRouter?.(response)).not.toEqual([])
  })
})
