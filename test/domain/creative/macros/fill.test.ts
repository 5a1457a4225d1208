import { runInNewContext } from 'node:vm'
import { CATALOG_MACRO_VECTORS } from '@adcp/sdk/substitution'
import fc from 'fast-check'
import { XMLParser } from 'fast-xml-parser'
import { describe, expect, it, test } from 'vitest'
import { percentEncode, scriptString } from '../../../../src/domain/creative/macros/encode.ts'
import { fillMacros, fillUrl, urlTemplate } from '../../../../src/domain/creative/macros/fill.ts'
import { fillAsset, fillXml } from '../../../../src/domain/creative/macros/fill-asset.ts'
import { fillMarkup, fillScript } from '../../../../src/domain/creative/macros/fill-markup.ts'
import { codePoint } from '../../../support/code-point.ts'

const hostile = fc.oneof(
  fc.string({
    unit: fc.constantFrom(
      ...[
        '<',
        '>',
        '"',
        "'",
        '`',
        '&',
        '/',
        '=',
        '\\',
        '\n',
        '\r',
        ' ',
        '(',
        ')',
        ';',
        '{',
        '}',
        '{A}',
        '{B}',
        '${',
        ']]>',
        ']',
        '-->',
      ],
      ...['</script', '<script>', 'javascript:', 'on', 'x', '\u2028', '\u202e', '\ud800', 'é', '😀'],
    ),
    maxLength: 12,
  }),
  fc.string({ unit: codePoint }),
)

describe('catalog values in addresses', () => {
  it.each(CATALOG_MACRO_VECTORS)('$name', ({ macro, value, template, expected }) => {
    expect(fillUrl(template, { [macro.slice(1, -1)]: value })).toBe(expected)
  })

  test('are composed before they are encoded', () => {
    expect(fillUrl('https://t.example/{SKU}', { SKU: 'cafe\u0301' })).toBe('https://t.example/caf%C3%A9')
  })

  test('never choose the scheme or the host', () => {
    expect(fillUrl('{SKU}', { SKU: 'javascript:alert(1)' })).toBe('javascript%3Aalert%281%29')
    expect(fillUrl('{CLICK_URL}', { CLICK_URL: 'javascript:alert(1)' })).toBe('javascript%3Aalert%281%29')
    expect(fillUrl('{CLICK_URL}', { CLICK_URL: 'https://a.example/?q=1' })).toBe('https://a.example/?q=1')
    for (const bad of [
      'https://{SKU}.example/',
      'http{SKU}://a.example/',
      'javascript:alert({SKU})',
      '{SKU}',
      'https://a.example{SKU}',
    ]) {
      expect(urlTemplate(bad), bad).toBeUndefined()
    }
    expect(urlTemplate(' https://a.example/{SKU}?q="{GTIN}"#<x>')).toBe('https://a.example/{SKU}?q=%22{GTIN}%22#%3Cx%3E')
    expect(urlTemplate('{CLICK_URL}')).toBe('{CLICK_URL}')
  })
})

test('macros are filled in one pass; those without a value stay, and inherited names are no values', () => {
  expect(fillMacros('{A}-{B}-{C}-{toString}-{CONSTRUCTOR}', { A: '{B}', B: '{A}' })).toBe('{B}-{A}-{C}-{toString}-{CONSTRUCTOR}')
})

/** What stands between the fixed parts of a filled template. */
function between(filled: string, template: string): string {
  const [head = '', tail = ''] = template.split('{A}')
  expect(filled.startsWith(head)).toBe(true)
  expect(filled.endsWith(tail)).toBe(true)
  return filled.slice(head.length, filled.length - tail.length)
}

const ENCODED = /^(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})*$/
const CONTEXTS: readonly (readonly [name: string, template: string, safe: RegExp])[] = [
  ['text', '<p>{A}</p>', /^[^<>"']*$/],
  ['text of a title', '<title>{A}</title>', /^[^<>"']*$/],
  ['attribute', '<p title="x {A}">', /^[^<>"']*$/],
  ['attribute in single quotes', "<p title='{A}'>", /^[^<>"']*$/],
  ['attribute without quotes', '<p title={A}>', /^(?:[\p{L}\p{N}]|&#\d+;)*$/u],
  ['address', '<a href="https://a.example/?q={A}&b=1">', ENCODED],
  ['whole address', '<a href="{A}">', ENCODED],
  ['address without quotes', '<img src=https://a.example/{A}>', /^(?:[\p{L}\p{N}]|&#\d+;)*$/u],
  ['image set', '<img srcset="https://a.example/{A} 1x">', ENCODED],
  ['data address', '<i data-impression-url="https://a.example/{A}">', ENCODED],
  ['event handler', '<a onclick="go(\'{A}\')">', /^[A-Za-z0-9 \\]*$/],
  ['style attribute', '<a style="color:{A}">', /^[A-Za-z0-9 \\]*$/],
  ['style element', '<style>a{color:{A}}</style>', /^[A-Za-z0-9 \\]*$/],
  ['script string', '<script>var a="{A}"</script>', /^[A-Za-z0-9 \\]*$/],
  ['address in a script', '<script>var a="https://a.example/?q={A}"</script>', ENCODED],
  ['bare script', '<script>var a={A}</script>', /^[A-Za-z0-9 \\]*$/],
  ['comment', '<!-- {A} -->', ENCODED],
  ['attribute name', '<a {A}>', ENCODED],
  ['markup in an attribute', '<iframe srcdoc="<p>{A}</p>"></iframe>', ENCODED],
]

describe('values in markup', () => {
  it.each(CONTEXTS)('stay in their place: %s', (_name, template, safe) => {
    fc.assert(
      fc.property(hostile, (value) => {
        const written = between(fillMarkup(template, { A: value, B: 'second' }), template)
        expect(written).toMatch(safe)
        expect(written).not.toContain('second')
        const literal = between(fillMarkup(template, { A: value }, 'literal'), template)
        if (safe !== ENCODED) expect(literal).toMatch(safe)
        expect(literal).not.toMatch(/[<>"']/)
      }),
    )
  })

  test('markup without macros comes back unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(hostile, fc.constantFrom('<a href=', '<script ', '<style>', '<!--', '<'))), (parts) => {
        const html = parts.join('').replaceAll(/\{[AB]\}/g, '')
        expect(fillMarkup(html, { A: 'x', B: 'y' })).toBe(html)
      }),
    )
  })

  test('a script reads back what was put into its string', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        const escaped = fillScript('"{A}"', { A: value })
        const shown = value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
        expect(runInNewContext(escaped)).toBe(shown)
        expect(runInNewContext(scriptString(value))).toBe(value)
        expect(scriptString(value)).not.toMatch(/[<>]/)
      }),
    )
  })
})

describe('values in XML', () => {
  const parser = new XMLParser({ ignoreAttributes: false, parseTagValue: false, trimValues: false, htmlEntities: true })
  const readable = hostile.map((value) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML knows no such characters.
    Buffer.from(value.replace(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g, ''), 'utf8').toString('utf8'),
  )

  it.each([
    ['text', '<r><a>x{A}y</a><b/></r>'],
    ['section', '<r><a><![CDATA[x{A}y]]></a><b/></r>'],
    ['section beside brackets', '<r><a><![CDATA[x]]{A}>y]]></a><b/></r>'],
  ])('read back as they were: %s', (_name, template) => {
    fc.assert(
      fc.property(readable, (value) => {
        const parsed = parser.parse(fillXml(template, { A: value }))
        const [, head = '', tail = ''] = /x(\]*)\{A\}(>?)y/.exec(template) ?? []
        expect(parsed).toEqual({ r: { a: `x${head}${value}${tail}y`, b: '' } })
      }),
    )
  })

  test('are encoded in addresses', () => {
    const vast = '<VAST><Impression><![CDATA[https://t.example/i?s={SKU}]]></Impression></VAST>'
    fc.assert(
      fc.property(hostile, (value) => {
        const content = fillAsset({ asset_type: 'vast', delivery_type: 'inline', content: vast }, { SKU: value })
        expect(content).toMatchObject({ content: vast.replace('{SKU}', () => percentEncode(value)) })
      }),
    )
  })
})

describe('what is filled', () => {
  test('a value is composed as before', () => {
    for (const text of ['e\u0301', 'o\u0302\u0323', `e${'\u0301'.repeat(30)}`, '\u1100\u1161'])
      expect(decodeURIComponent(percentEncode(text))).toBe(text.normalize('NFC'))
  })

  test('a text does not grow without end', () => {
    const filled = fillMarkup('{A}'.repeat(60_000), { A: 'x'.repeat(8_000) })
    expect(filled.length).toBeLessThan(11_000_000)
    expect(filled.endsWith('{A}')).toBe(true)
  })
})
