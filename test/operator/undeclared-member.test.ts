import { expect, it } from 'vitest'
import type { Runnable } from '../../src/operator/act.ts'
import type { Caller, OperatorContext } from '../../src/operator/operator-context.ts'
import { perform } from '../../src/operator/perform.ts'
import {
  anything,
  documentOf,
  either,
  integer,
  listOf,
  mapOf,
  named,
  object,
  openObject,
  optional,
  orNull,
  pageOf,
  type Shape,
  string,
  word,
} from '../../src/operator/shape.ts'
import { undeclaredMember } from '../../src/operator/undeclared-member.ts'

const line = named('Line', object({ id: string, note: optional(string) }))

it.each<[string | undefined, Shape<unknown>, unknown]>([
  [undefined, line, { id: 'a', note: undefined, other: undefined }],
  ['other', line, { id: 'a', other: null }],
  ['__proto__', line, JSON.parse('{"id":"a","__proto__":1}')],
  ['items[1].other', pageOf(line), { items: [{ id: 'a' }, { id: 'b', other: 1 }], next_cursor: null }],
  ['total', pageOf(line), { items: [], next_cursor: null, total: 0 }],
  ['line.other', object({ line: orNull(line) }), { line: { id: 'a', other: 1 } }],
  [undefined, object({ line: orNull(line) }), { line: null }],
  ['line.other', object({ line: orNull(object({ id: string })) }), { line: { id: 'a', other: 1 } }],
  ['b.other', mapOf(line), { a: { id: 'a' }, b: { id: 'b', other: 1 } }],
  [undefined, mapOf(integer), { a: 1 }],
  [undefined, openObject({ id: string }), { id: 'a', other: 1 }],
  ['line.other', openObject({ line }), { line: { id: 'a', other: 1 }, more: 1 }],
  [undefined, documentOf('of the protocol'), { a: { b: [] } }],
  [undefined, object({ any: anything }), { any: { a: { b: 1 } } }],
  [undefined, either(object({ a: string }), object({ b: string })), { b: 'x' }],
  ['c', either(object({ a: string }), object({ b: string })), { c: 'x' }],
  ['[0].b', either(string, listOf(object({ a: word('x') }))), [{ a: 'x', b: 1 }]],
  [undefined, either(string, listOf(string)), ['x']],
  ['a', object({}), { a: 1 }],
])('finds %s', (place, shape, answer) => {
  expect(undeclaredMember(shape, answer)).toBe(place)
})

it('ends where a shape holds itself', () => {
  const tree: Shape<object> = named('Tree', object({ below: listOf({ describe: (components) => tree.describe(components) }) }))
  expect(undeclaredMember(tree, { below: [{ below: [{ below: [], leaf: 1 }] }] })).toBe('below[0].below[0].leaf')
})

it('an act whose answer has an undeclared member fails in development, and is answered in production', async () => {
  const act: Runnable<Record<never, never>, { readonly id: string }> = {
    ...{ id: 'test', name: 'test.undeclared', roles: ['viewer'], scope: 'publisher', changes: false, fields: {} },
    ...{ subject: undefined, account: undefined, publisher: undefined },
    answer: line,
    run: async () => ({ id: 'a', secret: 'x' }) as { readonly id: string },
  }
  const caller = { actor: {}, tenantId: 'acme', role: 'viewer', deployment: false } as unknown as Caller
  const performed = (mode: string) => perform({ config: { mode } } as OperatorContext, caller, act, {})
  await expect(performed('development')).rejects.toThrow(
    'the answer of test.undeclared has secret, which the act does not declare',
  )
  expect((await performed('production')).answer).toEqual({ id: 'a', secret: 'x' })
})
