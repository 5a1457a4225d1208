import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { requestHash } from '../../src/pipeline/request-hash.ts'
import { atOnce } from '../../src/platform/concurrency/steps.ts'

const TASK = 'sync_audiences'
const atOnceBy = (task: string, request: object) =>
  createHash('sha256')
    .update(canonicalize({ task, request }) ?? '')
    .digest('hex')

function stepsOf(request: object): number {
  let steps = 1
  for (const work = requestHash(TASK, request); !work.next().done; ) steps++
  return steps
}

const fill = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index))

it('is the hash of the canonical form as a whole, whatever the request and its size', () => {
  const names = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '10', '9', '\u{1f600}', '\ufb33'))
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: 'grapheme' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(true, false, null, undefined),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(names, tie('value'), { maxKeys: 4 }),
    ),
  }))
  const same = fc.property(fc.dictionary(names, value, { maxKeys: 4 }), value, names, (members, item, name) => {
    // As it is, and in values so large that they are written member by member.
    const list = fill(1_200, (at) => (at === 600 ? item : at))
    const object = Object.fromEntries([...fill(1_200, (at) => [`k${(at * 7) % 1_200}`, at]), [name, [item, list]]])
    for (const request of [{ members }, { members, list }, { object }])
      expect(atOnce(requestHash(TASK, request))).toBe(atOnceBy(TASK, request))
  })
  fc.assert(same, { numRuns: 50 })
})

it('is done in steps, the more the larger the request, and a small one in two', () => {
  expect(stepsOf({ brief: 'video' })).toBe(2)
  const members = (count: number) => ({
    audiences: fill(200, (index) => ({ audience_id: `a${index}`, add: fill(count, (at) => ({ external_id: `p${at}` })) })),
  })
  expect(stepsOf(members(100))).toBeGreaterThan(30)
  expect(stepsOf(members(200))).toBeGreaterThan(60)
  expect(stepsOf({ brief: fill(20, () => 'word '.repeat(20_000)) })).toBeGreaterThan(7)
  expect(stepsOf({ context: 'c', ...Object.fromEntries(fill(40_000, (at) => [`k${at}`, at])) })).toBeGreaterThan(35)
})

it('leaves out what may differ between retries', () => {
  const hashOf = (request: object) => atOnce(requestHash(TASK, request))
  const push = (credentials: string) => ({ url: 'https://a.example', authentication: { schemes: ['Bearer'], credentials } })
  const first = {
    brief: 'x',
    idempotency_key: 'a',
    adcp_version: '3.0',
    adcp_major_version: 3,
    context: { n: 1 },
    governance_context: 'g',
  }
  expect(hashOf({ ...first, push_notification_config: push('one') })).toBe(
    hashOf({ brief: 'x', push_notification_config: push('two') }),
  )
  expect(hashOf(first)).toBe(hashOf({ brief: 'x' }))
  expect(hashOf({ ...first, context: 'text' })).not.toBe(hashOf({ brief: 'x' }))
  // Stored hashes stay equal.
  expect(hashOf({ brief: 'x' })).toBe('893f1f1782fe058fd03fdd7a782bb3b99a2d302217386299824db3b90b99b753')
})

it('names what has no canonical form, also deep in a large request', () => {
  for (const value of ['\ud800', Number.POSITIVE_INFINITY])
    for (const request of [{ value }, { list: [...fill(3_000, (at) => at), { value }] }])
      expect(() => atOnce(requestHash(TASK, request))).toThrow(
        'the request holds text that is not Unicode, or a number that is out of range',
      )
})
