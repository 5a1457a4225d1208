import { expect, it } from 'vitest'
import { hashPassword, MAX_PASSWORD, passwordMatches } from '../../../src/security/auth/password.ts'

const CHEAP = { N: 16, r: 1, p: 1 }

it('a password is compared as Unicode normalises it', async () => {
  expect(await passwordMatches('cafe\u0301', await hashPassword('caf\u00e9', CHEAP))).toBe(true)
})

it('a password has at most as many characters as can be normalised at once', async () => {
  const longest = 'x'.repeat(MAX_PASSWORD)
  const stored = await hashPassword(longest, CHEAP)
  expect(await passwordMatches(longest, stored)).toBe(true)
  expect(await passwordMatches(`${longest}x`, stored)).toBe(false)
  await expect(hashPassword(`${longest}x`, CHEAP)).rejects.toThrow(RangeError)
})

it('what is too long is not normalised: combining marks take time in the square of their number', async () => {
  const stored = await hashPassword('right', CHEAP)
  let normalised = 0
  const { normalize } = String.prototype
  String.prototype.normalize = function counted(form) {
    normalised += this.length
    return normalize.call(this, form)
  }
  try {
    expect(await passwordMatches(`a${'\u0315\u0316'.repeat(15_800)}`, stored)).toBe(false)
  } finally {
    String.prototype.normalize = normalize
  }
  expect(normalised).toBeLessThanOrEqual(MAX_PASSWORD)
})
