import { describe, expect, it } from 'vitest'
import { contractChanges } from '../../../src/protocol/contract-files/contract-changes.ts'
import { schemaChanges } from '../../../src/protocol/contract-files/schema-changes.ts'
import type { Schema } from '../../../src/protocol/schema-places.ts'

const changes = (before: Schema, after: Schema) =>
  schemaChanges('x.json', before, after).map(({ place, change }) => `${place}: ${change}`)

describe('changes of a schema', () => {
  it.each<[string, Schema, Schema]>([
    ['a member more', { properties: { a: {} } }, { properties: { a: {}, b: { type: 'string' } } }],
    ['a value more', { enum: ['a'] }, { enum: ['a', 'b'] }],
    ['one member less that is required', { required: ['a', 'b'] }, { required: ['a'] }],
    ['wider bounds', { maxLength: 10, minimum: 1 }, { maxLength: 20, minimum: 0 }],
    ['a bound less', { pattern: '^a' }, {}],
    ['a branch more of anyOf', { anyOf: [{ type: 'string' }] }, { anyOf: [{ type: 'number' }, { type: 'string' }] }],
    ['a type more', { type: ['string'] }, { type: ['string', 'null'] }],
  ])('are none: %s', (_what, before, after) => expect(changes(before, after)).toEqual([]))

  it.each<[string, Schema, Schema, string]>([
    ['a required member', { required: ['a'] }, { required: ['a', 'b'] }, 'x.json/required: "b" is required'],
    ['required members at all', {}, { required: ['b'] }, 'x.json/required: "b" is required'],
    [
      'a value that is gone',
      { items: { enum: ['a', 'b'] } },
      { items: { enum: ['b'] } },
      'x.json/items/enum: the value "a" is gone',
    ],
    ['an enumeration at all', {}, { enum: ['b'] }, 'x.json/enum: was absent, is ["b"]'],
    ['narrower bounds', { maxLength: 20 }, { maxLength: 10 }, 'x.json/maxLength: was 20, is 10'],
    ['a pattern', {}, { pattern: '^a' }, 'x.json/pattern: was absent, is "^a"'],
    ['another reference', { $ref: 'a' }, { $ref: 'b' }, 'x.json/$ref: was "a", is "b"'],
    ['a branch more of oneOf', { oneOf: [{}] }, { oneOf: [{}, {}] }, 'x.json/oneOf: has 2 branches, had 1'],
    [
      'a member that is gone from a closed object',
      { properties: { a: {} } },
      { properties: {}, additionalProperties: false },
      'x.json/properties/a: is gone',
    ],
    [
      'what is deep inside',
      { properties: { a: { properties: { b: { minimum: 1 } } } } },
      { properties: { a: { properties: { b: { minimum: 2 } } } } },
      'x.json/properties/a/properties/b/minimum: was 1, is 2',
    ],
  ])('name %s', (_what, before, after, expected) => expect(changes(before, after)).toContain(expected))
})

describe('changes of a contract', () => {
  const release = (patch: string, error: Schema, tools = ['ask', 'tell']) => ({
    line: '3.1',
    manifest: {
      adcp_version: patch,
      tools: Object.fromEntries(
        tools.map((name) => [
          name,
          { protocol: 'core', mutating: false, request_schema: `${name}-request.json`, response_schema: `${name}-response.json` },
        ]),
      ),
      error_codes: {},
      specialisms: {},
    },
    documents: new Map<string, Schema>([
      ['ask-request.json', {}],
      ['ask-response.json', { $ref: '/schemas/3.1/core/error.json' }],
      ['tell-request.json', patch === '3.1.2' ? { required: ['a'] } : {}],
      ['tell-response.json', {}],
      ['core/error.json', error],
    ]),
  })

  it('are those of the tasks that are served, and of what they refer to', () => {
    const before = release('3.1.1', {})
    const after = release('3.1.2', { required: ['code'] })
    expect(contractChanges(before, after, ['ask'])).toEqual([{ place: 'core/error.json/required', change: '"code" is required' }])
    expect(contractChanges(before, after, ['tell']).map(({ place }) => place)).toEqual(['tell-request.json/required'])
    expect(contractChanges(before, after, ['of this server alone'])).toEqual([])
  })

  it('name a task that is gone', () => {
    const gone = contractChanges(release('3.1.1', {}), release('3.1.1', {}, ['tell']), ['ask', 'tell'])
    expect(gone).toEqual([{ place: 'manifest.json', change: 'the task ask is gone' }])
  })
})
