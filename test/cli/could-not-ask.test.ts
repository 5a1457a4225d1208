import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { adagentsCommand } from '../../src/cli/adagents.ts'
import { directoryCommand } from '../../src/cli/directory.ts'
import { verifyCommand } from '../../src/cli/verify.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { createAuthority } from '../support/fake-web/certificate.ts'
import { type FakeWeb, startFakeWeb, status, wellKnown } from '../support/fake-web/fake-web.ts'
import { grant, property } from '../support/registry-world.ts'

const AGENT = 'https://sales.agent.example/mcp'
const ASKED_OF_DOWN = `unknown: down.example could not be asked whether it authorises ${AGENT}: the server answered 503`

let web: FakeWeb
let folder: string
let written: string[]
beforeAll(async () => {
  web = await startFakeWeb()
  folder = mkdtempSync(join(tmpdir(), 'could-not-ask-'))
  writeFileSync(join(folder, 'ca.pem'), web.ca)
  web.put(wellKnown('yes.example'), { properties: [property()], authorized_agents: [grant()] })
  web.put(wellKnown('no.example'), { authorized_agents: [] })
  web.put(wellKnown('down.example'), status(503))
  await (await openSqlite(join(folder, 'sales-agent.sqlite'))).close()
})
afterAll(async () => {
  await web.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  written = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text))
    return true
  })
  vi.spyOn(console, 'log').mockImplementation((text: string) => void written.push(`${text}\n`))
  vi.stubEnv('SALES_AGENT_DIRECTORY_RESOLVE', `127.0.0.1:${web.port}`)
  vi.stubEnv('SALES_AGENT_DIRECTORY_CA', join(folder, 'ca.pem'))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  process.exitCode = undefined
})

/** What a command wrote, and its exit code. */
async function run(command: { parseAsync(args: string[], from: { from: 'user' }): Promise<unknown> }, ...args: string[]) {
  written = []
  process.exitCode = undefined
  await command.parseAsync([...args, '--data', folder], { from: 'user' })
  return { text: written.join('').trimEnd(), code: process.exitCode ?? 0 }
}

it('verify and adagents validate say the same of a host that could not be reached', async () => {
  vi.stubEnv('SALES_AGENT_DIRECTORY_CA', join(folder, 'other-ca.pem'))
  writeFileSync(join(folder, 'other-ca.pem'), createAuthority().ca)
  const reason = 'the TLS handshake failed'
  expect((await run(verifyCommand(), 'yes.example', AGENT)).text).toContain(reason)
  expect((await run(adagentsCommand(), 'validate', 'yes.example')).text).toContain(reason)
})

it('verify ends with 0 for yes, 1 for no, 2 for a publisher that could not be asked', async () => {
  expect(await run(verifyCommand(), 'yes.example', AGENT)).toMatchObject({ code: 0, text: expect.stringMatching(/^yes: /) })
  expect(await run(verifyCommand(), 'no.example', AGENT)).toMatchObject({ code: 1, text: expect.stringMatching(/^no: /) })
  expect(await run(verifyCommand(), 'down.example', AGENT)).toEqual({ code: 2, text: ASKED_OF_DOWN })
  const json = await run(verifyCommand(), 'down.example', AGENT, '--json')
  expect({ ...json, text: JSON.parse(json.text) }).toMatchObject({ code: 2, text: { authorized: false, answered: false } })
})

it('verify --owner tells a path that does not hold from files that could not be read', async () => {
  expect(await run(verifyCommand(), 'no.example', AGENT, '--owner', 'nothing.example')).toMatchObject({ code: 1 })
  const asked = await run(verifyCommand(), 'no.example', AGENT, '--owner', 'down.example')
  expect(asked).toMatchObject({ code: 2, text: expect.stringMatching(/^unknown, not all could be asked; .*unverified/) })
})

it('adagents validate tells a file that is not valid from one that could not be fetched', async () => {
  expect(await run(adagentsCommand(), 'validate', 'nothing.example')).toMatchObject({ code: 1 })
  const asked = await run(adagentsCommand(), 'validate', 'down.example')
  expect(asked).toMatchObject({ code: 2, text: expect.stringContaining('unknown, it could not be fetched') })
  expect((await run(adagentsCommand(), 'validate', wellKnown('down.example'))).code).toBe(2)
})

it('directory why and directory divergence name what could not be asked, and say no only of what answered', async () => {
  web.put(wellKnown('down.example'), { properties: [property()], authorized_agents: [grant()] })
  await run(directoryCommand(), 'add', 'yes.example', 'down.example')
  await run(directoryCommand(), 'crawl')
  web.put(wellKnown('down.example'), status(503))
  const why = await run(directoryCommand(), 'why', AGENT, 'down.example')
  expect(why).toMatchObject({ code: 0, text: expect.stringContaining(`asked now, the publisher's files say ${ASKED_OF_DOWN}`) })
  expect(await run(directoryCommand(), 'divergence', AGENT)).toMatchObject({
    code: 2,
    text: expect.stringMatching(/^2 publishers checked, 0 diverge, 1 could not be asked\n.*\n.*\ndown\.example +nobody /),
  })
  web.put(wellKnown('yes.example'), { authorized_agents: [] })
  expect(await run(directoryCommand(), 'divergence', AGENT)).toMatchObject({
    code: 1,
    text: expect.stringMatching(/^2 publishers checked, 1 diverge, 1 could not be asked\n/),
  })
})
