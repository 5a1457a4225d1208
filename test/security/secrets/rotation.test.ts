import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { orderWithListTokens } from '../../../src/ad-serving/with-list-tokens.ts'
import { sealedColumns } from '../../../src/features/secrets/sealed-columns.ts'
import { deploymentSecret } from '../../../src/security/secrets/deployment-secret.ts'
import { openDeploymentSecrets } from '../../../src/security/secrets/deployment-secrets.ts'
import { createListTokenSeal } from '../../../src/security/secrets/list-token-seal.ts'
import { createSecretBox } from '../../../src/security/secrets/secret-box.ts'
import { parseSecretFile, writeSecretFile } from '../../../src/security/secrets/secret-file.ts'
import { startAgent } from '../../support/start-agent.ts'

const [OLD, NEW] = ['o'.repeat(43), 'n'.repeat(43)]
const NOTHING = { previous: [] }
const folder = mkdtempSync(join(tmpdir(), 'sales-agent-rotation-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('the file of the secret', () => {
  const file = join(folder, 'deployment.secret')
  const made = deploymentSecret(file, undefined)

  it('names the current, the next and earlier secrets, for the owner of the process alone', () => {
    writeSecretFile(file, { current: made, next: NEW, earlier: [OLD] })
    expect(parseSecretFile(readFileSync(file, 'utf8'))).toEqual({ current: made, next: NEW, earlier: [OLD] })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(deploymentSecret(file, undefined)).toBe(made)
  })

  it('is read again by a process that meets a text under a secret that it does not know', () => {
    writeSecretFile(file, { current: OLD, earlier: [] })
    const box = createSecretBox(openDeploymentSecrets(file, NOTHING), 'tests')
    const before = box.seal('text', 'row')
    const after = createSecretBox(NEW, 'tests').seal('text', 'row')
    writeSecretFile(file, { current: NEW, earlier: [OLD] })
    expect(box.open(after, 'row')).toBe('text')
    expect(box.open(before, 'row')).toBe('text')
    expect(box.seal('text', 'row').startsWith(createSecretBox(NEW, 'tests').prefix())).toBe(true)
    const resealed = box.reseal(before, 'row')
    expect(createSecretBox(NEW, 'tests').open(resealed, 'row')).toBe('text')
    expect(box.reseal(resealed, 'row')).toBe(resealed)
  })
})

it('a list token that was sealed under an earlier secret compares with one under the current secret', () => {
  const before = createListTokenSeal(OLD).seal('demo', 'token of a list')
  const both = createListTokenSeal(openDeploymentSecrets('unused', { current: NEW, previous: [OLD] }))
  expect(both.seal('demo', before)).toBe(both.seal('demo', 'token of a list'))
  expect(both.open('demo', before)).toBe('token of a list')
  const order = { lines: [{ settings: { targeting: { property_list: { agent_url: 'a', list_id: 'b', auth_token: before } } } }] }
  expect(JSON.stringify(orderWithListTokens(order, (token) => both.seal('demo', token)))).toContain(
    both.seal('demo', 'token of a list'),
  )
})

it('every seal whose texts are stored is sealed anew by a rotation, in columns that exist', async () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  const purposes = sources.flatMap((path) =>
    [...readFileSync(join('src', path), 'utf8').matchAll(/createSecretBox\(\s*[\w.()]+,\s*([^,)]+)/g)].map(
      ([, purpose]) => purpose,
    ),
  )
  const known = readFileSync('src/features/secrets/sealed-columns.ts', 'utf8')
  const names = {
    'SEALED.signingKeys': "'signing-keys'",
    'SEALED.webhooks': "'webhook-credentials'",
    LASTING: 'LASTING',
    purpose: 'purpose',
  }
  const missing = purposes.filter((purpose = '') => {
    const name = Reflect.get(names, purpose) ?? purpose
    return purpose !== "'list-tokens'" && !known.includes(name)
  })
  expect(missing).toEqual([])
  expect(purposes.length).toBeGreaterThan(12)
  const agent = await startAgent()
  const tables = await agent.server.store.read.introspection.getTables()
  const columns = tables.flatMap(({ name, columns: all }) => all.map((column) => `${name}.${column.name}`))
  const named = sealedColumns(NEW).flatMap(({ table, column, key, more }) =>
    [column, ...key, ...more].map((each) => `${table}.${each}`),
  )
  expect(named.filter((each) => !columns.includes(each))).toEqual([])
  await agent.stop()
})
