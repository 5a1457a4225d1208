import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadMatchRouterSettings } from '../../../src/config/match-router-settings.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'
import { registered, startTestRouter } from '../../support/match-router.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'match-settings-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PROVIDER = registered('acme', { endpoint: 'https://provider.example/v1' })

it.each([
  ['tls', { tls: { cert: 'none.crt', key: 'key.pem' } }, /tls\.cert and tls\.key have to name PEM files.*none\.crt/],
  ['tls', { tls: { cert: 'key.pem', key: 'key.pem' } }, /tls\.cert and tls\.key have to name PEM files/],
  ['providerCa', { providerCa: 'none.pem' }, /providerCa has to name a PEM file/],
])('names %s of a router whose files cannot be used: %j', async (field, more, message) => {
  const starting = startTestRouter([PROVIDER], more).then((router) => router.stop())
  await expect(starting).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR', field, message: expect.stringMatching(message) })
})

it('says with which command a key is made', async () => {
  const starting = startTestRouter([PROVIDER], { signing: { kid: 'k', key: '/keys/none.pem', retired: [] } }).then((router) =>
    router.stop(),
  )
  await expect(starting).rejects.toThrow('openssl genpkey -algorithm ed25519 -out /keys/none.pem')
})

it('says what a text has to be that does not have its form', () => {
  const file = join(folder, 'router.yaml')
  writeFileSync(file, 'publishers: [{ id: news, sellerAgentUrls: [https://s.example], properties: [], keys: [{ sha256: … }] }]')
  const load = () => loadMatchRouterSettings(new Schemas(), file)
  expect(load).toThrow(/publishers\[0\]\.keys\[0\]\.sha256 .*: SHA-256 of the key in 64 hexadecimal digits.*sha256sum/)
})
