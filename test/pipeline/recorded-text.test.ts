import { afterEach, expect, it, vi } from 'vitest'
import { recordedText } from '../../src/pipeline/recorded-text.ts'

const caller = {
  authorization: undefined,
  rawHeaders: [],
  method: 'POST',
  target: '/mcp',
  body: undefined,
  remoteAddress: undefined,
}
const shown = (value: unknown) => recordedText(value, caller).toString('utf8')
const named = (count: number, name: (index: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), index]))

afterEach(() => {
  vi.restoreAllMocks()
})

it('shows a value whole up to 64 kB, without credentials and people', () => {
  expect(JSON.parse(shown({ brief: 'boats', api_key: 'k', nested: [{ email: 'a@b.example' }, null, 1.5] }))).toEqual({
    brief: 'boats',
    api_key: '[redacted]',
    nested: [{ email: '[redacted]' }, null, 1.5],
  })
  const large = named(2_000, (index) => `member ${index}`)
  expect(JSON.parse(shown(large))).toEqual(large)
})

it('looks at no more names than it shows', () => {
  const looks = vi.spyOn(String.prototype, 'replaceAll')
  const text = shown(named(10_000, (index) => `é${'a'.repeat(200)}${index}`))
  expect(text.endsWith('\n[cut]')).toBe(true)
  expect(Buffer.byteLength(text)).toBe(64 * 1024 + 6)
  // Some three hundred names are 64 kB, and each is brought into one spelling with and without its number.
  expect(looks.mock.calls.length).toBeLessThan(5_000)
})

it('looks at each letter of another script once', () => {
  const looks = vi.spyOn(String.prototype, 'normalize')
  const text = shown(named(2_000, (index) => `Kéy\ufdfa ${index}`))
  expect(Object.keys(JSON.parse(text))).toHaveLength(2_000)
  expect(looks.mock.calls.length).toBeLessThan(20)
})

it('does not redact what a cut text ends before', () => {
  expect(shown({ text: 'x'.repeat(70_000), token: 'secret of the end' })).not.toContain('secret of the end')
})

it('a credential that the cut would divide is redacted, and nothing of a text behind it is looked at', () => {
  const key = 'https://buyer:a-password@a.example/'
  expect(shown({ text: `${'x'.repeat(64 * 1024 - 30)} ${key}` })).toBe('{\n  "text": "[redacted]"\n}')
  const far = shown({ text: `${'x'.repeat(90_000)} ${key}` })
  expect(far).toMatch(/^\{\n {2}"text": "x+\n\[cut\]$/)
})
