import { expect, it } from 'vitest'
import { skeletonOf } from '../../src/pipeline/credential-names.ts'
import { findCredential } from '../../src/pipeline/credential-scan.ts'
import { newKey } from '../../src/security/auth/opaque-key.ts'
import { growsTooFast } from '../support/growth.ts'

const { token } = newKey()

it.each([
  ...['\\', '\\u{000000', '&#00000000', '0x', '\\x7', '- ', 'eyJ.', 'eyJhbGciOjEyMw.', '%25', '<a>'],
  ...['curl //', 'curl //a:', 'Basic YWJj ', 'curl  -u a:'],
])('texts of %s are looked through for credentials in time that grows with them', (unit) => {
  const textOf = (length: number) => unit.repeat(length / unit.length)
  const search = (text: string) => findCredential({ brief: text }, { secrets: [token], isDeclared: () => true })
  expect(growsTooFast(textOf, search, 400_000)).toBe(false)
})

it('an escape that is encoded again and again is read in one pass', () => {
  const nested = (length: number) => `%${'25'.repeat(length / 2)}`
  expect(growsTooFast(nested, (text) => findCredential([text], { secrets: [token], isDeclared: () => false }), 400_000)).toBe(
    false,
  )
})

it.each(['\ufdfa', 'a\u0315\u0300', 'é', '1', '中 '])('a name of %s costs no more than its length', (letters) => {
  expect(growsTooFast((length) => letters.repeat(length / letters.length), skeletonOf, 200_000)).toBe(false)
})
