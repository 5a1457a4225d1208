import type { ErrorObject } from 'ajv'
import { describe, expect, test, vi } from 'vitest'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { newAjv } from '../../src/protocol/new-ajv.ts'

/** A function of its own in the code that is made, as a schema of another file is. */
const item = { $id: 'item', type: 'object', required: ['a', 'b'], properties: { a: { type: 'array', items: { $ref: 'item' } } } }

/** How many findings a schema collects about a value, and how many its copies of findings move. */
function cost(schema: object, value: unknown): { valid: boolean; findings: readonly ErrorObject[]; moved: number } {
  const ajv = newAjv()
  ajv.addSchema(item)
  const check = ajv.compile(schema)
  const { concat } = Array.prototype
  let moved = 0
  const counting = function (this: unknown[], ...others: unknown[][]) {
    const joined = concat.apply(this, others)
    moved += joined.length
    return joined
  }
  Object.defineProperty(Array.prototype, 'concat', { value: counting, configurable: true, writable: true })
  try {
    const valid = check(value)
    return { valid, findings: check.errors ?? [], moved }
  } finally {
    Object.defineProperty(Array.prototype, 'concat', { value: concat, configurable: true, writable: true })
  }
}

const entries = (count: number, value: unknown) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, value]))

describe('what findings cost grows no faster than what is judged', () => {
  test.each([
    ['items', { type: 'array', items: { $ref: 'item' } }, (n: number) => Array(n).fill({})],
    ['items of items', { type: 'array', items: { $ref: 'item' } }, (n: number) => Array(n).fill({ a: Array(n).fill({}) })],
    ['additionalItems', { items: [{}], additionalItems: { $ref: 'item' } }, (n: number) => Array(n).fill({})],
    ['additionalProperties', { additionalProperties: { $ref: 'item' } }, (n: number) => entries(n, {})],
    ['additionalProperties: false', { additionalProperties: false }, (n: number) => entries(n, {})],
    ['patternProperties', { patternProperties: { '^m': { $ref: 'item' } } }, (n: number) => entries(n, {})],
    ['propertyNames', { propertyNames: { $ref: 'item' } }, (n: number) => entries(n, {})],
    ['contains', { contains: { $ref: 'item' } }, (n: number) => Array(n).fill({})],
    [
      'a union',
      { items: { anyOf: [{ $ref: 'item' }, { type: 'array', items: { $ref: 'item' } }] } },
      (n: number) => Array(n).fill(Array(n).fill({})),
    ],
  ])('%s', (_keyword, schema, value) => {
    const [few, many] = [cost(schema, value(200)), cost(schema, value(800))]
    expect(few.valid).toBe(false)
    expect(few.findings.length).toBeGreaterThan(1)
    expect(many.findings.length).toBeLessThanOrEqual(few.findings.length)
    // Four times as much was sent; a cost that grows with the square would be sixteen times as high.
    expect(many.moved).toBeLessThanOrEqual(5 * few.moved)
    expect(many.moved).toBeLessThan(100_000)
  })
})

/** A union of twenty forms of a list, each of which asks for items that differ. */
const forms = (item: object) => ({ oneOf: Array.from({ length: 20 }, () => ({ type: 'array', uniqueItems: true, items: item })) })

/** How many items a schema writes as JSON to compare them. */
function written(schema: object, value: unknown): number {
  const check = newAjv().compile(schema)
  const written = vi.spyOn(JSON, 'stringify')
  try {
    expect(check(value)).toBe(false)
    return written.mock.calls.length
  } finally {
    written.mockRestore()
  }
}

describe('lists whose items should differ', () => {
  test('are not read by every form of a union once enough of their items are wrong', () => {
    const objects = Array.from({ length: 1_000 }, (_, index) => ({ unknown: index }))
    expect(written(forms({ type: 'string' }), objects)).toBe(0)
  })

  test('texts are compared as they are', () => {
    const texts = Array.from({ length: 1_000 }, (_, index) => `text ${index}`)
    expect(written(forms({ type: 'string' }), texts)).toBe(0)
  })

  test('are compared in the form of a union that comes after a wrong one', () => {
    const wrong = { type: 'array', uniqueItems: true, items: { type: 'string' } }
    const right = { type: 'array', uniqueItems: true, items: { type: 'object' } }
    const differ = Array.from({ length: 500 }, (_, index) => ({ index }))
    expect(cost({ anyOf: [wrong, right] }, differ).valid).toBe(true)
    expect(cost({ anyOf: [wrong, right] }, [...differ, { index: 7 }]).valid).toBe(false)
  })
})

describe('what is found stays right', () => {
  test('contains finds its item behind any number of others', () => {
    const value = [...Array(500).fill({}), { a: [], b: 1 }]
    expect(cost({ contains: { $ref: 'item' } }, value)).toMatchObject({ valid: true, findings: [] })
  })

  test('a branch of a union that holds is found behind one with many faults', () => {
    const schema = {
      anyOf: [
        { type: 'array', items: { $ref: 'item' } },
        { type: 'array', items: { type: 'object' } },
      ],
    }
    expect(cost(schema, Array(500).fill({}))).toMatchObject({ valid: true, findings: [] })
  })

  test('what follows a long list of faults is still looked at', () => {
    const schema = { properties: { list: { items: { $ref: 'item' } }, last: { type: 'array', items: { $ref: 'item' } } } }
    const { findings } = cost(schema, { list: Array(500).fill({}), last: [{ a: [], b: 1 }, {}] })
    expect(findings.map(({ instancePath }) => instancePath)).toContain('/last/1')
  })

  const repetitions: [unknown[], object | undefined][] = [
    [[1, 2, 1], { i: 2, j: 0 }],
    [['a', 'b'], undefined],
    [[1, '1'], undefined],
    [
      [
        { a: 1, b: { c: 2, d: 3 } },
        { b: { d: 3, c: 2 }, a: 1 },
      ],
      { i: 1, j: 0 },
    ],
    [[{ a: [1, 2] }, { a: [2, 1] }], undefined],
    [['{"a":1}', { a: 1 }], undefined],
    [[null, false, 0, ''], undefined],
    [[{ a: 1 }, '{"a":1}', { a: 1 }], { i: 2, j: 0 }],
    [[0, -0], { i: 1, j: 0 }],
    [[{ valueOf: 1 }, { toString: 2, valueOf: 3 }, { toString: 2, valueOf: 3 }], { i: 2, j: 1 }],
  ]
  test.each(repetitions)('items of %j that are equal: %j', (value, params) => {
    const [found] = cost({ uniqueItems: true }, value).findings
    expect(found?.params).toEqual(params)
  })

  test.each(['date-time', 'iso-date-time'])('a text too long to be a %s is none, and is not taken apart', (format) => {
    const split = vi.spyOn(String.prototype, 'split')
    const judged = (text: string) => cost({ type: 'string', format }, text)
    const long = judged(`2026-03-01T12:00:00.${'1'.repeat(100)}Z`)
    expect(long.findings).toMatchObject([{ keyword: 'format', params: { format }, message: `must match format "${format}"` }])
    expect(judged(' '.repeat(200_000)).valid).toBe(false)
    expect(split.mock.calls.filter(([separator]) => separator instanceof RegExp)).toEqual([])
    split.mockRestore()
    expect(judged(`2026-03-01T12:00:00.${'1'.repeat(60)}Z`).valid).toBe(true)
    expect(judged('2026-03-01T25:00:00Z').findings).toHaveLength(1)
    expect(judged('2026-03-01').valid).toBe(false)
  })

  test.each([
    ['uri', 'https://brand.example/'],
    ['uri-reference', '/'],
  ])('a text too long for a %s is none, and is not looked at', (format, start) => {
    const judged = (length: number) => cost({ type: 'string', format }, `${start}${'a'.repeat(length - start.length)}`)
    expect(judged(65_536).valid).toBe(true)
    expect(judged(65_537).findings).toMatchObject([{ keyword: 'format', params: { format } }])
  })

  test('repetitions are allowed where the schema allows them', () => {
    expect(cost({ uniqueItems: false }, [1, 1]).valid).toBe(true)
  })
})

describe.each(loadContracts().all.map((contract) => [contract.line, contract] as const))(
  'validators of %s',
  (_line, { schemas }) => {
    const account = { brand: { domain: 'brand.example' }, operator: 'agency.example' }

    test.each([
      ['adagents.json', schemas.validator('adagents.json'), { properties: Array(60_000).fill(1), authorized_agents: [] }],
      [
        'sync_audiences',
        schemas.request('sync_audiences'),
        { account, audiences: Array(6).fill({ audience_id: 'a', add: Array(8_000).fill({}) }) },
      ],
      ['log_event', schemas.request('log_event'), { event_source_id: 'site', events: Array(10_000).fill({}) }],
    ])('%s finds at most 20 faults', (_name, validate, value) => {
      expect(validate(value).length).toBeGreaterThan(1)
      expect(validate(value).length).toBeLessThanOrEqual(20)
    })
  },
)
