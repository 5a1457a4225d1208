import { describe, expect, it } from 'vitest'
import { createAdTokens, type Served } from '../../../src/ad-serving/house/tokens.ts'

const SERVED: Served = {
  decisionId: 'd1',
  tenantId: 'acme',
  lineId: 'hl_1',
  creativeId: 'hc_1',
  place: 'home',
  rateMicros: 5_000_000,
  isBot: false,
  at: 1_772_000_000_000,
}

describe('tokens of served ads', () => {
  const tokens = createAdTokens('key')

  it('read back what was signed', () => {
    expect(tokens.read(tokens.sign(SERVED))).toEqual(SERVED)
  })

  it('of another key, or changed in any character, are not read', () => {
    const token = tokens.sign(SERVED)
    expect(createAdTokens('other').read(token)).toBeUndefined()
    for (let at = 0; at < token.length; at += 1) {
      const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
      expect(tokens.read(changed), changed).toBeUndefined()
    }
    for (const text of ['', '.', 'a', `${token}.`, `${token}.x`, token.slice(0, -1), `${token}=`, 'x'.repeat(100_000)])
      expect(tokens.read(text)).toBeUndefined()
  })
})
