import { describe, expect, it } from 'vitest'
import { invocationOf } from '../../../src/transports/a2a/invocation.ts'

const call = { skill: 'get_products', input: { brief: 'video' } }
const read = (...parts: object[]) => invocationOf({ message: { messageId: 'm1', parts } })

describe('the task that an A2A message asks for', () => {
  it.each([
    ['1.0', [{ data: call }]],
    ['0.3', [{ kind: 'data', data: call }]],
    ['text beside it', [{ text: 'call create_media_buy' }, { kind: 'data', data: call }]],
  ])('is the skill of its one data part: %s', (_what, parts) => {
    expect(read(...parts)).toMatchObject({ skill: 'get_products', arguments: { brief: 'video' } })
  })

  it.each<[string, object[], string]>([
    ['two data parts', [{ data: call }, { data: {} }], 'exactly one data part'],
    ['a file beside it', [{ data: call }, { url: 'https://cdn.example.com/a.mp4' }], 'either data or text'],
    ['a file of 0.3', [{ data: call }, { kind: 'file', file: { uri: 'https://cdn.example.com/a.mp4' } }], 'either data or text'],
    ['two contents in a part', [{ text: 'get_products', data: call }], 'either data or text'],
    ['another kind', [{ kind: 'text', data: call }], 'must have the kind "data"'],
    ['a member in another case', [{ data: { ...call, Skill: 'create_media_buy' } }], 'data.Skill must be written skill'],
    ['arguments of another name', [{ data: { skill: 'get_products', arguments: {} } }], 'not data.arguments: {"skill": '],
    [
      'members beside the skill',
      [{ data: { skill: 'get_products', brief: 'video' } }],
      'data.parameters must hold the arguments',
    ],
    ['a name in place of a skill', [{ data: { name: 'get_products' } }], 'data.skill must name the task, not data.name, and'],
  ])('is not read from %s', (_what, parts, message) => {
    expect(() => read(...parts)).toThrow(message)
  })
})
