import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { atOnce } from '../../../src/platform/concurrency/steps.ts'
import * as places from '../../../src/platform/decode/json-places.ts'
import { growsTooFast } from '../../support/growth.ts'

const jsonFaultAt = (text: string) => atOnce(places.jsonFaultAt(text))
const jsonPlaces = (text: string, pointers: readonly string[]) => atOnce(places.jsonPlaces(text, pointers))

const TEXT = '{\n "a": [1,\n  {"b/c": "x\\n", "d": true}],\n "e": {}\n}'

describe('places in a JSON text', () => {
  it.each([
    ['', 1, 1],
    ['/a', 2, 7],
    ['/a/0', 2, 8],
    ['/a/1', 3, 3],
    ['/a/1/b~1c', 3, 11],
    ['/a/1/d', 3, 23],
    ['/e/missing/deeper', 4, 7],
    ['/a/9', 2, 7],
  ])('%j begins at %i:%i', (pointer, line, column) => {
    expect(jsonPlaces(TEXT, ['/a/1/d', pointer])(pointer)).toEqual({ line, column })
  })

  it.each([
    ['{"a": [}', 1, 8],
    ['{"a": 1\n"b": 2}', 2, 1],
    ['[1,]', 1, 4],
    ['{"a":1,}', 1, 8],
    ['["a\nb"]', 1, 2],
    ['[01]', 1, 3],
    ['{} x', 1, 4],
    ['', 1, 1],
    ['["\\x"]', 1, 2],
  ])('%j is no JSON from %i:%i on', (text, line, column) => {
    expect(jsonFaultAt(text)).toEqual({ line, column })
  })

  it.each([
    ['escapes', `["${'\\u0041'.repeat(50_000)}"]`],
    ['a name of escapes', `{"${'\\n'.repeat(150_000)}":1}`],
    ['values', `[${'0,'.repeat(150_000)}0]`],
    ['white space', `[${' \n'.repeat(150_000)}]`],
    ['lists', `[${'[],'.repeat(100_000)}[]]`],
  ])('gives way every 20,000 characters at least: %s', (_, text) => {
    for (const work of [places.jsonFaultAt(text), places.jsonPlaces(text, ['/0'])]) {
      let steps = 0
      while (!work.next().done) steps += 1
      expect(steps).toBeGreaterThanOrEqual(Math.floor(text.length / 20_000))
    }
    expect(jsonFaultAt(text)).toBeUndefined()
    expect(jsonFaultAt(text.slice(0, -1))).toMatchObject({ line: text.split('\n').length })
  })

  it('agrees with JSON.parse on what is JSON', () => {
    const isJson = (text: string) => {
      try {
        JSON.parse(text)
        return true
      } catch {
        return false
      }
    }
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '1',
      '-',
      '0',
      '.5',
      'e3',
      'true',
      'nul',
      ' ',
      '\n',
      '\\',
    )
    const text = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
      fc.json(),
    )
    fc.assert(fc.property(text, (each) => (jsonFaultAt(each) === undefined) === isJson(each)))
  })

  it.each<readonly [string, (n: number) => string]>([
    ['brackets', (n) => '['.repeat(n)],
    ['quotes', (n) => '"\\"'.repeat(n / 3)],
    ['lists', (n) => `[${'[],'.repeat(n / 3)}`],
    ['white space', (n) => `[${' \n'.repeat(n / 2)}`],
  ])('in time that grows with the text: %s', (_, make) => {
    expect(growsTooFast(make, (text) => jsonPlaces(text, ['/0/0']), 200_000)).toBe(false)
  })

  it('with the lines counted once for all places', () => {
    const file = (n: number) => ({ text: `${'\n'.repeat(n)}[${'{},'.repeat(n / 10)}{}]`, count: n / 10 })
    const read = ({ text, count }: ReturnType<typeof file>) => {
      const placeOf = jsonPlaces(
        text,
        Array.from({ length: count }, (_, index) => `/${index}`),
      )
      return Array.from({ length: count }, (_, index) => placeOf(`/${index}`))
    }
    expect(read(file(100)).at(-1)).toEqual({ line: 101, column: 29 })
    expect(growsTooFast(file, read, 40_000)).toBe(false)
  })
})
