import { expect, test } from 'vitest'
import { reasonOf } from '../../../src/domain/ad-serving/reason-of.ts'

test.each([
  ['connect ECONNREFUSED 127.0.0.1:443', 'connect ECONNREFUSED 127.0.0.1:443'],
  ['two\r\nlines\u0000 and \u001b[31mcolour', 'two lines and [31mcolour'],
  ['GET https://user:pw@ads.example/v1?key=abc&x=1 failed', 'GET https://ads.example/v1?… failed'],
  ['401 for Authorization: Bearer abcdef0123456789', '401 for Authorization: Bearer …'],
  ['{"api_key":"s3cr3t value","line":"7"} is refused', '{"api_key":…,"line":"7"} is refused'],
  ['password=hunter22, retry', 'password=…, retry'],
  ['the token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig has expired', 'the token … has expired'],
  ['', 'it gives no reason'],
])('the words of a module are shown as one line without credentials: %j', (text, shown) => {
  expect(reasonOf(new Error(text))).toBe(shown)
})

test('a page of an ad server is cut', () => {
  expect(reasonOf('👍'.repeat(1_000_000))).toBe(`${'👍'.repeat(249)}…`)
  expect(reasonOf('no'.repeat(1_000_000))).toHaveLength(500)
  for (const unit of ['?', '://', 'token=', 'bearer ', 'eyJ', '-----BEGIN ', '"'])
    expect(reasonOf(unit.repeat(100_000)).length).toBeLessThanOrEqual(500)
})
