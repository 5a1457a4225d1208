import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { describe, expect, it } from 'vitest'
import { officialDocuments } from '../../src/protocol/official-documents.ts'
import { expressionsBelow, expressionsIn } from '../support/expressions.ts'
import { findGrowth } from '../support/growth.ts'

/** Patterns of schemas, by where they stand first. */
function patternsOf(documents: Iterable<readonly [name: string, document: unknown]>): Map<string, string> {
  const patterns = new Map<string, string>()
  for (const [name, document] of documents) collect(document, name)
  return patterns

  function collect(value: unknown, name: string): void {
    if (typeof value !== 'object' || value === null) return
    if ('pattern' in value && typeof value.pattern === 'string') note(value.pattern, name)
    if ('patternProperties' in value) for (const pattern of Object.keys(value.patternProperties ?? {})) note(pattern, name)
    for (const member of Object.values(value)) collect(member, name)
  }

  function note(pattern: string, name: string): void {
    if (!patterns.has(pattern)) patterns.set(pattern, name)
  }
}

const official = [...officialDocuments()].map((document) => [String(document.$id), document] as const)
const own = readdirSync('schemas').map((file) => [file, JSON.parse(readFileSync(join('schemas', file), 'utf8'))] as const)

/** The flags with which Ajv runs patterns. */
const patterns = [...patternsOf([...official, ...own])].map(([pattern, name]) => ({ name, expression: new RegExp(pattern, 'u') }))
const named = new Set(
  [...official, ...own].flatMap(([, document]) => JSON.stringify(document).match(/(?<="format":")[^"]+/g) ?? []),
)
const formats = Object.entries(fullFormats).flatMap(([name, format]) => {
  if (!named.has(name)) return []
  const check = typeof format === 'object' && 'validate' in format ? format.validate : format
  return check instanceof RegExp ? [{ name, expression: check }] : []
})
/** They build expressions of the patterns of schemas (official ones, and that of the admin API), which are looked at here as such. */
const OF_SCHEMAS = new Set(['src/operator/text-form.ts', 'src/pipeline/declared-fields.ts', 'src/protocol/schema-places.ts'])
const sources = await expressionsBelow('src', OF_SCHEMAS)

describe('the search for growth', () => {
  it.each([
    /<[^>]*>/,
    /[^\s@]+@[^\s@]+\.[^\s@]+/,
    /\.+$/,
    /\s*,\s*/,
    /^(a+)+$/,
    /(x|xx)*y/,
    /\s+$/,
    /(?<![\d.,])[1-9]\d{0,2}(?:[,. ]\d{3})+€/u,
  ])('finds it in %s', (expression) => {
    expect(findGrowth(expression)).toBeDefined()
  })

  it.each([/^[a-z0-9_]+$/, /,/, /^\s*a/, /<\/script/i, /[\p{L}\p{N}]+/u])('finds none in %s', (expression) => {
    expect(findGrowth(expression)).toBeUndefined()
  })

  it('reads literals, constructors and templates of a source, and points at anything else', () => {
    const found = expressionsIn(
      ['const a = /x+/gu\n', 'const b = new RegExp(`^$', '{a}y`, "i")\nRegExp("z")'].join(''),
      'some.ts',
      () => {},
    )
    expect(found.map(({ place, expression }) => [place, String(expression)])).toEqual([
      ['some.ts:1', '/x+/gu'],
      ['some.ts:2', '/^xy/i'],
      ['some.ts:3', '/z/'],
    ])
    const built: string[] = []
    const source = ['\nnew RegExp(pattern)\nRegExp(`$', '{part}+`)\nRegExp("x")'].join('')
    expressionsIn(source, 'some.ts', (place, isFilled) => built.push(`${place} ${isFilled}`))
    expect(built).toEqual(['some.ts:2 false', 'some.ts:3 true'])
  })
})

describe('every regular expression takes time in proportion to its input', () => {
  it('is looked at in the sources, the schemas and the formats of the validator', () => {
    expect(sources.length).toBeGreaterThan(200)
    expect(patterns.length).toBeGreaterThan(30)
    expect(formats.length).toBeGreaterThan(2)
  })

  it.each(sources)('$place $expression', ({ expression }) => {
    expect(findGrowth(expression)).toBeUndefined()
  })

  it.each(patterns)('pattern of $name: $expression', ({ expression }) => {
    expect(findGrowth(expression)).toBeUndefined()
  })

  it.each(formats)('format $name', ({ expression }) => {
    expect(findGrowth(expression)).toBeUndefined()
  })
})
