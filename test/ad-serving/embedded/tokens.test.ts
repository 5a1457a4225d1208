import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createAdTokens, type Served } from '../../../src/ad-serving/embedded/tokens.ts'

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

/** As tokens were before they were sealed. */
function signed(key: string, value: unknown): string {
  const text = Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${text}.${createHmac('sha256', key).update(text).digest().subarray(0, 16).toString('base64url')}`
}

describe('tokens of served ads', () => {
  const tokens = createAdTokens('key')

  it('read back what was sealed, and show nothing of it', () => {
    const token = tokens.sign(SERVED)
    expect(tokens.read(token)).toEqual(SERVED)
    expect(token).toMatch(/^[A-Za-z0-9_-]+$/)
    const shown = token + Buffer.from(token, 'base64url').toString('latin1')
    for (const hidden of ['acme', 'hl_1', 'hc_1', 'home', '5000000']) expect(shown).not.toContain(hidden)
    expect(tokens.sign(SERVED)).not.toBe(token)
    for (const playsMs of [0, 30_000]) expect(tokens.read(tokens.sign({ ...SERVED, playsMs }))).toEqual({ ...SERVED, playsMs })
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

  it('of an earlier key are read while it is in use, those of the next key from then on', () => {
    let keys: readonly string[] = ['key']
    const rotating = createAdTokens(() => keys)
    const earlier = rotating.sign(SERVED)
    keys = ['next', 'key']
    expect(rotating.read(earlier)).toEqual(SERVED)
    expect(createAdTokens('next').read(rotating.sign(SERVED))).toEqual(SERVED)
    keys = ['next']
    expect(rotating.read(earlier)).toBeUndefined()
  })

  it('that were signed before tokens were sealed are read, others of that form are not', () => {
    const { decisionId, tenantId, lineId, creativeId, place, rateMicros, at } = SERVED
    const value = [decisionId, tenantId, lineId, creativeId, place, rateMicros, 0, at]
    // They did not say what their ad plays: it is not known.
    expect(tokens.read(signed('key', value))).toEqual({ ...SERVED, playsMs: 0 })
    expect(tokens.read(signed('other', value))).toBeUndefined()
    expect(tokens.read(`${signed('key', value)}A`)).toBeUndefined()
  })
})
