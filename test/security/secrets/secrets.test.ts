import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { deploymentSecret, secretPath } from '../../../src/security/secrets/deployment-secret.ts'
import { createSecretBox, SealBroken } from '../../../src/security/secrets/secret-box.ts'

const SECRET = 'a secret that is long enough for a deployment'

describe('secret box', () => {
  const box = createSecretBox(SECRET, 'tests')

  it('opens what it sealed, and seals differently each time', () => {
    const sealed = box.seal('näme', 'row 1')
    expect(box.open(sealed, 'row 1')).toBe('näme')
    expect(sealed).not.toContain('näme')
    expect(box.seal('näme', 'row 1')).not.toBe(sealed)
  })

  it('opens nothing in another place, for another purpose, under another secret, or changed', () => {
    const sealed = box.seal('secret', 'row 1')
    expect(() => box.open(sealed, 'row 2')).toThrow(SealBroken)
    expect(() => createSecretBox(SECRET, 'else').open(sealed, 'row 1')).toThrow('another deployment secret')
    expect(() => createSecretBox(`${SECRET}!`, 'tests').open(sealed, 'row 1')).toThrow('another deployment secret')
    for (let i = sealed.indexOf('.', 4) + 1; i < sealed.length; i++) {
      const changed = `${sealed.slice(0, i)}${sealed[i] === 'A' ? 'B' : 'A'}${sealed.slice(i + 1)}`
      // The last character of base64url may hold bits that say nothing.
      if (Buffer.from(changed.slice(i - 4), 'base64url').equals(Buffer.from(sealed.slice(i - 4), 'base64url'))) continue
      expect(() => box.open(changed, 'row 1')).toThrow(SealBroken)
    }
    expect(() => box.open('plain text', 'row 1')).toThrow(SealBroken)
  })
})

describe('deployment secret', () => {
  const data = mkdtempSync(join(tmpdir(), 'sales-agent-secret-'))
  afterAll(() => rmSync(data, { recursive: true }))

  it('is made once, for the owner of the process alone', () => {
    const file = secretPath(join(data, 'new'))
    const secret = deploymentSecret(file, undefined)
    expect(secret.length).toBeGreaterThanOrEqual(43)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(deploymentSecret(file, undefined)).toBe(secret)
    expect(readFileSync(file, 'utf8').trim()).toBe(secret)
  })

  it('comes from the environment when that gives one, and may not be short', () => {
    const file = secretPath(join(data, 'unused'))
    expect(deploymentSecret(file, SECRET)).toBe(SECRET)
    expect(() => statSync(file)).toThrow()
    expect(() => deploymentSecret(file, 'short')).toThrow('SALES_AGENT_SECRET is too short')
  })
})
