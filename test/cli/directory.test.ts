import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { crawlProgress, progressLine } from '../../src/cli/crawl-progress.ts'
import { directoryCommand, domainsOfFile } from '../../src/cli/directory.ts'
import { publisherCells } from '../../src/cli/directory-list.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { directoryFetch } from '../../src/features/directory/service.ts'
import {
  addToCrawlList,
  blockDomain,
  joinCrawlList,
  removeFromCrawlList,
  unblockDomain,
} from '../../src/operator/directory/change-crawl-list.ts'
import { describeAuthorization } from '../../src/operator/directory/describe-authorization.ts'
import { describeWait } from '../../src/operator/directory/describe-leases.ts'
import { leaseOf, publisherStatus } from '../../src/operator/directory/read-directory.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { WELL_KNOWN_POLICY } from '../../src/platform/net/fetch-policy.ts'
import { Schemas } from '../../src/protocol/schemas.ts'
import { ownerName, processName } from '../../src/store/task/process-name.ts'
import { openDirectory, type TestDirectory } from '../support/directory.ts'
import { type FakeWeb, startFakeWeb, status, wellKnown } from '../support/fake-web/fake-web.ts'
import { performAs } from '../support/operator.ts'

let web: FakeWeb
let directory: TestDirectory
let operator: OperatorContext
beforeAll(async () => {
  web = await startFakeWeb()
  directory = await openDirectory(web.fetch())
  operator = operatorOn(directory.store, loadConfig(new Schemas(), { environment: {} }))
})
afterAll(async () => {
  await directory.close()
  await web.close()
})

async function auditedActs(): Promise<readonly string[]> {
  const rows = await directory.store.read.selectFrom('audit_entries').select('entry').orderBy('entry_id').execute()
  return rows.map(({ entry }) => JSON.parse(entry)).map(({ task, subject }) => `${task} ${subject}`)
}

describe('directory crawl', () => {
  it('says at once that it waits, and again every five seconds', () => {
    let now = 0
    const lines: string[] = []
    const display = crawlProgress({ write: (text) => lines.push(text) }, () => now)
    const held = [{ domain: 'one.example', owner: 'elsewhere 47 id', until: new Date(60_000).toISOString() }]
    display.show({ done: 1, failed: 0, absent: 0, due: 1, report: undefined })
    for (now = 1_000; now <= 7_000; now += 1_000) display.wait(held, new Date(now))
    expect(lines.map((line) => line.trim()).slice(1)).toEqual(
      [59, 54].map((left) => `waiting for one.example, held by process 47 on another machine: ${left} s at most`),
    )
  })
})

describe('directory add, import, status', () => {
  it('takes each domain once, in canonical form', async () => {
    expect(await joinCrawlList(operator, ['A.example', 'a.example.', 'b.example'])).toEqual({ added: 2, known: 0 })
    expect(await joinCrawlList(operator, ['b.example'])).toEqual({ added: 0, known: 1 })
    await expect(joinCrawlList(operator, ['not a domain'])).rejects.toMatchObject({
      message: '"not a domain" is not a domain',
    })
  })

  it('leaves an entry in the audit log with every change of the crawl list', async () => {
    const before = await auditedActs()
    await performAs(operator, '', addToCrawlList, { domains: ['audited.example', 'second.example'] })
    await performAs(operator, '', removeFromCrawlList, { domain: 'second.example', reason: 'asked by mail' })
    await performAs(operator, '', blockDomain, { domain: 'Audited.example', reason: 'spam' })
    await performAs(operator, '', unblockDomain, { domain: 'audited.example' })
    await expect(performAs(operator, '', unblockDomain, { domain: 'audited.example' })).rejects.toMatchObject({
      code: 'REFERENCE_NOT_FOUND',
    })
    expect((await auditedActs()).slice(before.length)).toEqual([
      'directory.add audited.example and 1 more',
      'directory.remove second.example',
      'directory.block audited.example',
      'directory.unblock audited.example',
    ])
  })

  it('the audit log names where a domain stood, and no change where there was none', async () => {
    const changesOf = async () => {
      const rows = await directory.store.read.selectFrom('audit_entries').select('entry').orderBy('entry_id').execute()
      return JSON.parse(rows.at(-1)?.entry ?? '{}').changes
    }
    await performAs(operator, '', blockDomain, { domain: 'never.example' })
    expect(await changesOf()).toEqual({ state: ['not listed', 'blocked'] })
    await performAs(operator, '', blockDomain, { domain: 'never.example' })
    expect(await changesOf()).toEqual({ state: ['not listed', 'blocked'] })
    await performAs(operator, '', unblockDomain, { domain: 'never.example' })
    expect(await changesOf()).toEqual({ state: ['blocked', 'not listed'] })
  })

  it('reads a file of domains', () => {
    const folder = mkdtempSync(join(tmpdir(), 'domains-'))
    writeFileSync(join(folder, 'domains.txt'), '# list\r\na.example\n\n b.example # note\n')
    expect(domainsOfFile(join(folder, 'domains.txt'))).toEqual(['a.example', 'b.example'])
    rmSync(folder, { recursive: true })
  })

  it('says in words why attempts failed, newest first, ten of them', async () => {
    await directory.add('failing.example')
    web.put(wellKnown('failing.example'), status(500))
    for (let attempt = 0; attempt < 12; attempt += 1) {
      await directory.refresh(['failing.example'])
      await directory.pass(1000)
    }
    web.remove(wellKnown('failing.example'))
    await directory.refresh(['failing.example'])
    const { attempts, ...publisher } = await publisherStatus(operator, 'failing.example')
    expect(publisher).toMatchObject({ serves: 'absent', discovery_method: null })
    expect(attempts).toHaveLength(10)
    expect(attempts[0]).toMatchObject({ result: 'absent', reason: 'there is no file (404); ads.txt: there is no file (404)' })
    expect(attempts[1]).toMatchObject({ result: 'failed', reason: 'the server answered 500' })
    await expect(publisherStatus(operator, 'unknown.example')).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
  })
})

describe('progress', () => {
  const progress = (
    done: number,
    due: number,
    report?: { domain: string; result: 'failed'; reason: string; durationMs: number },
  ) => ({ done, failed: report ? 1 : 0, absent: 0, due, report })

  it('shows done, failed, rate and time left', () => {
    expect(progressLine(progress(100, 50), 10_000)).toBe('100 done, 0 failed, 0 without a file, 10.0/s, 5s left')
    expect(progressLine(progress(100, 0), 10_000)).toBe('100 done, 0 failed, 0 without a file, 10.0/s, nothing left')
  })

  it('names what it waits for, who holds it and for how long', () => {
    const now = new Date('2026-03-01T00:00:00Z')
    const held = (domain: string, owner: string, seconds: number) => ({
      domain,
      owner,
      until: new Date(now.getTime() + seconds * 1000).toISOString(),
    })
    expect(describeWait([held('one.example', 'elsewhere 47 id', 296)], now)).toBe(
      'waiting for one.example, held by process 47 on another machine: 296 s at most',
    )
    const { machine, pid } = processName()
    const here = [held('one.example', `${machine} ${pid} id`, 7), held('two.example', `${machine} ${pid} id`, 12.4)]
    expect(describeWait(here, now)).toBe(
      `waiting for one.example and 1 more, held by process ${pid} on this machine: 13 s at most`,
    )
  })

  it('rewrites one line on a terminal, writes plain lines elsewhere', () => {
    const written = { terminal: '', file: '' }
    let now = 0
    const terminal = crawlProgress({ isTTY: true, write: (text) => (written.terminal += text) }, () => now)
    const file = crawlProgress({ write: (text) => (written.file += text) }, () => now)
    for (const display of [terminal, file]) {
      now = 0
      display.show(progress(1, 9))
      now = 1000
      display.show(progress(2, 8, { domain: 'x.example', result: 'failed', reason: 'the server answered 500', durationMs: 1 }))
      display.end()
    }
    expect(written.terminal).toBe(
      '\r\u001b[K1 done, 0 failed, 0 without a file, 1000.0/s, 1s left\r\u001b[K2 done, 1 failed, 0 without a file, 2.0/s, 4s left\n',
    )
    expect(written.file).toBe(
      '1 done, 0 failed, 0 without a file, 1000.0/s, 1s left\nx.example: failed: the server answered 500\n',
    )
  })
})

describe('verify', () => {
  it('answers in one sentence', () => {
    const yes = {
      authorized: true,
      publisher_domain: 'p.example',
      discovery_method: 'direct',
      manager_domain: null,
      property_ids: ['a'],
      properties_total: 2,
      signing_keys_pinned: true,
      file_form: 'official',
    } as const
    const no = { authorized: false, publisher_domain: 'p.example', serves_file: false } as const
    expect(describeAuthorization(yes, 'https://a.example')).toBe(
      'yes: p.example authorises https://a.example for 1 of 2 properties (direct); signing keys are pinned',
    )
    expect(describeAuthorization({ ...yes, signing_keys_pinned: false, file_form: 'short' }, 'https://a.example')).toBe(
      'yes: p.example authorises https://a.example for 1 of 2 properties (direct); its file is in the short form, which the official schema does not have',
    )
    expect(describeAuthorization({ ...no, answered: true, reason: 'there is no file (404)' }, 'https://a.example')).toBe(
      'no: p.example does not authorise https://a.example: there is no file (404)',
    )
    expect(describeAuthorization({ ...no, answered: false, reason: 'the server answered 503' }, 'https://a.example')).toBe(
      'unknown: p.example could not be asked whether it authorises https://a.example: the server answered 503',
    )
  })
})

describe('development switch', () => {
  it('opens loopback in development mode and is refused in production mode', () => {
    const config = (mode: string) =>
      loadConfig(new Schemas(), { environment: {}, flags: { mode, directory: { allowLoopback: true } } })
    expect(() => directoryFetch(config('production'))).toThrow(/allowLoopback.*production/)
    expect(() => directoryFetch(config('development'))).not.toThrow()
  })

  it('makes every name stand for one local address whose certificates a given root signs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'directory-ca-'))
    writeFileSync(join(folder, 'ca.pem'), web.ca)
    const directory = { resolve: `127.0.0.1:${web.port}`, ca: join(folder, 'ca.pem') }
    const config = (mode: string) => loadConfig(new Schemas(), { environment: {}, flags: { mode, directory } })
    web.put(wellKnown('local.example'), { authorized_agents: [] })
    const answer = await directoryFetch(config('development'))(wellKnown('local.example'), { policy: WELL_KNOWN_POLICY })
    expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([200, { authorized_agents: [] }])
    expect(() => directoryFetch(config('production'))).toThrow(/directory\.resolve.*production/)
    rmSync(folder, { recursive: true })
    expect(() => directoryFetch(config('development'))).toThrow(/^directory\.ca has to name a PEM file .*ca\.pem cannot be read$/)
  })
})

describe('the program', () => {
  it('add, status and lookup over a store of its own, as JSON', async () => {
    const data = mkdtempSync(join(tmpdir(), 'directory-cli-'))
    const printed: string[] = []
    const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
    const program = (...args: string[]) => directoryCommand().parseAsync([...args, '--data', data, '--json'], { from: 'user' })
    await program('add', 'one.example')
    await program('status', 'one.example')
    await expect(program('lookup', 'https://nobody.example')).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
    log.mockRestore()
    expect(printed.map((text) => JSON.parse(text))).toEqual([
      { added: 1, known: 0 },
      expect.objectContaining({ domain: 'one.example', serves: 'unknown', attempts: [] }),
    ])
    rmSync(data, { recursive: true })
  })
})

describe('directory list', () => {
  it('names the crawler that holds a publisher, until its lease has ended', () => {
    const now = new Date('2026-03-01T12:00:00.000Z')
    const row = (lease_until: string | null) => ({ lease_owner: lease_until === null ? null : ownerName(), lease_until })
    expect(leaseOf(row('2026-03-01T12:00:00.000Z'), now)).toMatchObject({ until: '2026-03-01T12:00:00.000Z' })
    expect(leaseOf(row('2026-03-01T11:59:59.999Z'), now)).toBeNull()
    expect(leaseOf(row(null), now)).toBeNull()
    const shown = {
      publisher_domain: 'held.example',
      serves: 'inline',
      failures: 0,
      next_attempt_at: '',
      route_method: null,
      route_manager: null,
    } as const
    expect(publisherCells({ ...shown, ...row('2026-03-01T11:00:00.000Z') }, now).at(-1)).toBe('')
    expect(publisherCells({ ...shown, ...row('2026-03-01T13:00:00.000Z') }, now).at(-1)).toMatch(/until 2026-03-01T13:00/)
  })
})
