import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSecretBox } from '../../../src/security/secrets/secret-box.ts'
import { LEAD_MS, LINGER_MS, replaceCompromised, rotate } from '../../../src/security/signing/key-rotation.ts'
import { ensureSigningKey, storedKeys } from '../../../src/security/signing/stored-keys.ts'
import type { Store } from '../../../src/store/database.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'

const box = createSecretBox('x'.repeat(40), 'signing-keys')
const PURPOSE = 'request-signing'
const folder = mkdtempSync(join(tmpdir(), 'sales-agent-keys-'))
let store: Store
let now = new Date('2026-01-01T00:00:00Z')
const later = (ms: number) => {
  now = new Date(now.getTime() + ms)
}

beforeAll(async () => {
  store = await openSqlite(join(folder, 'store.sqlite'))
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const step = () => store.transaction((tx) => rotate(tx, box, PURPOSE, now))
const keys = () => storedKeys(store, box, () => now)
const published = async () => (await keys().published()).map(({ kid }) => kid)
const signing = async () => (await keys().signer(PURPOSE)).keyid

describe('rotation with overlap', () => {
  it('announces, waits, switches, and forgets the old key a day later', async () => {
    const first = await store.transaction((tx) => ensureSigningKey(tx, box, PURPOSE, now))
    const announced = await step()
    expect(announced.step).toBe('announced')
    expect((await published()).sort()).toEqual([first, announced.kid].sort())
    expect(await signing()).toBe(first)

    later(LEAD_MS - 1)
    expect(await step()).toMatchObject({ step: 'waiting', kid: announced.kid })
    expect(await signing()).toBe(first)

    later(1)
    expect(await step()).toEqual({ step: 'switched', kid: announced.kid, retired: [first] })
    expect(await signing()).toBe(announced.kid)
    expect(await published()).toContain(first)

    later(LINGER_MS + 1)
    expect((await step()).step).toBe('announced')
    expect(await published()).not.toContain(first)
  })

  it('replaces a compromised key at once', async () => {
    const before = await published()
    const { kid } = await store.transaction((tx) => replaceCompromised(tx, box, PURPOSE, now))
    expect(before).not.toContain(kid)
    expect(await published()).toEqual([kid])
    expect(await signing()).toBe(kid)
  })
})
