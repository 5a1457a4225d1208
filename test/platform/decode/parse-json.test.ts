import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foreignJson } from '../../../src/platform/decode/foreign-json.ts'
import {
  type JsonFault,
  JsonRefused,
  MAX_DEPTH,
  MAX_MEMBERS,
  MAX_NAME,
  MAX_NODES,
  MAX_WHITE_SPACE,
  parseJson,
} from '../../../src/platform/decode/parse-json.ts'

const bytes = (text: string) => Buffer.from(text)
function faultOf(body: Uint8Array): JsonFault | 'none' {
  try {
    parseJson(body)
    return 'none'
  } catch (error) {
    if (error instanceof JsonRefused) return error.fault
    throw error
  }
}

describe('accepts', () => {
  test('every value that JSON can hold', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(parseJson(bytes(JSON.stringify(value)))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test.each([
    '{"a":{"b":1},"b":{"b":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":":,{}[]\\"\\\\"}',
    ' {"":"","a ":[]} ',
    '"\\\\\\""',
    '{"\\\\":1,"\\"":2}',
  ])('%s', (text) => {
    expect(parseJson(bytes(text))).toEqual(JSON.parse(text))
  })

  test('exactly as deep and as large as allowed', () => {
    expect(faultOf(bytes('['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH)))).toBe('none')
    expect(faultOf(bytes(`[${'{},'.repeat(MAX_NODES - 2)}{}]`))).toBe('none')
    const spaces = ' '.repeat(MAX_WHITE_SPACE)
    expect(faultOf(bytes(`${spaces}{${spaces}"a"${spaces}:[${spaces}]${spaces}}${spaces}`))).toBe('none')
    expect(faultOf(bytes(`{"${'\\u0061\\\\é'.repeat(170)}":"${'x'.repeat(MAX_NAME + 1)}"}`))).toBe('none')
  })

  test('a view into a larger buffer', () => {
    expect(parseJson(bytes('xx[1]xx').subarray(2, 5))).toEqual([1])
  })
})

test('a text of a person is held to bounds of its own', () => {
  const check = (text: string) => () => foreignJson(text, { what: 'the file', maxNodes: 150_000 })
  expect(check(`[${'0,'.repeat(140_000)}0]`)).not.toThrow()
  expect(check(`[${'0,'.repeat(150_000)}0]`)).toThrow('the file holds more than 150000 values')
  expect(check('['.repeat(5_000_000))).toThrow('the file nests deeper than 64 levels')
  expect(check(`[{"${'\ufdfa'.repeat(5_000_000)}":1}]`)).toThrow('the file has a member whose name is longer than 512 characters')
})

test('objects of a list have as many members each as one may have', () => {
  const members = Array.from({ length: MAX_MEMBERS / 2 }, (_, i) => `"k${i}":${i % 100 ? 1 : '{"a":[1,{}]}'}`).join()
  expect(faultOf(bytes(`[{${members}},{${members}},{"x":{${members}},${members}}]`))).toBe('none')
})

describe('refuses', () => {
  test.each<[JsonFault, string]>([
    ['duplicate-key', '{"a":1,"a":1}'],
    ['duplicate-key', '{"a":{"x":[{"k":{},"j":1,"k":{"deep":{"deeper":1}}}]}}'],
    ['duplicate-key', '{"a":1,"\\u0061":2}'],
    ['duplicate-key', '{"__proto__":1,"__proto__":2}'],
    ['duplicate-key', '{"constructor":1,"constructor":2}'],
    ['duplicate-key', '{"1":1,"1":2}'],
    ['syntax', ''],
    ['syntax', '{"a":1,}'],
    ['syntax', '"'],
    ['syntax', '{"a\\":1}'],
    ['syntax', '[1]]'],
    ['syntax', '{a:1}'],
    ['syntax', 'NaN'],
    ['depth', '['.repeat(MAX_DEPTH + 1)],
    ['depth', '{"a":'.repeat(MAX_DEPTH + 1)],
    ['nodes', `[${'0,'.repeat(MAX_NODES)}0]`],
    ['nodes', '[],'.repeat(MAX_NODES * 2)],
    ['members', `{"a":{${Array.from({ length: MAX_MEMBERS + 1 }, (_, i) => `"k${i}":1`).join()}}}`],
    ['members', `[{},{"a":{}${',"":{"b":1}'.repeat(MAX_MEMBERS)}}]`],
    ['white-space', ' '.repeat(MAX_WHITE_SPACE + 1)],
    ['white-space', `[1${'\n'.repeat(MAX_WHITE_SPACE + 1)}]`],
    ['white-space', `{}${'\r\n'.repeat(MAX_WHITE_SPACE)}1`],
    ['name', `{"${'x'.repeat(MAX_NAME + 1)}":1}`],
    ['name', `{"a":[{"${'\\u0061'.repeat(MAX_NAME + 1)}" : 1}]}`],
    ['name', `{"${'\ufdfa'.repeat(1_300_000)}":1}`],
  ])('%s: %.40s', (fault, text) => {
    expect(faultOf(bytes(text))).toBe(fault)
  })

  test('bytes that are no UTF-8', () => {
    for (const body of [
      [0x22, 0xc0, 0xaf, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xf5, 0x22],
    ])
      expect(faultOf(Uint8Array.from(body))).toBe('encoding')
  })

  test('any text that JSON.parse refuses', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        let valid = true
        try {
          JSON.parse(text)
        } catch {
          valid = false
        }
        expect(faultOf(bytes(text)) === 'none').toBe(valid)
      }),
    )
  })

  test('a repeated key wherever it is put', () => {
    const key = fc.string()
    fc.assert(
      fc.property(key, fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 }), fc.nat(5), (name, first, second, depth) => {
        const member = JSON.stringify(name)
        const inner = `{${member}:${JSON.stringify(first)},${member}:${JSON.stringify(second)}}`
        expect(faultOf(bytes(`${'{"wrap":['.repeat(depth)}${inner}${']}'.repeat(depth)}`))).toBe('duplicate-key')
      }),
    )
  })
})
