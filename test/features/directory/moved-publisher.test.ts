import { expect, it } from 'vitest'
import { refreshPublisher } from '../../../src/features/directory/refresh.ts'
import { SharedDocuments } from '../../../src/features/directory/shared-documents.ts'
import { WriteTurns } from '../../../src/features/directory/write-turns.ts'
import { openDirectory } from '../../support/directory.ts'
import { adsTxt, startFakeWeb, text, wellKnown } from '../../support/fake-web/fake-web.ts'
import { grant, property } from '../../support/registry-world.ts'

const BEFORE = 'https://before.agent.example/mcp'
const AFTER = 'https://after.agent.example/mcp'
const HOUR = 3_600_000

it('a publisher that serves a file of its own is no longer sold by agents of the file that it pointed at', async () => {
  const web = await startFakeWeb()
  const directory = await openDirectory(web.fetch())
  const file = (url: string) => ({ properties: [property()], authorized_agents: [grant({ url })] })
  // The manager's file stays the same, is crawled by itself, and others still point at it.
  web.put(wellKnown('manager.example'), file(BEFORE))
  for (const domain of ['moves.example', 'stays.example'])
    web.put(wellKnown(domain), { authoritative_location: wellKnown('manager.example') })
  await directory.add('moves.example', 'stays.example', 'manager.example')
  await directory.refresh('all')
  const pointing = 'authoritative_location manager.example 1/1 authorized'
  expect(await directory.rows(BEFORE)).toMatchObject({ 'moves.example': pointing, 'stays.example': pointing })
  await directory.pass(HOUR)
  web.put(wellKnown('moves.example'), file(AFTER))
  await directory.refresh('all')
  await directory.refresh('all')
  expect(await directory.rows(AFTER)).toEqual({ 'moves.example': 'direct - 1/1 authorized' })
  expect(Object.keys(await directory.rows(BEFORE))).toEqual(['manager.example', 'stays.example'])
  await directory.close()
  await web.close()
})

it('a shared file that somebody else refreshes under way is walked to again, so that the publisher is not left behind', async () => {
  const web = await startFakeWeb()
  const directory = await openDirectory(web.fetch())
  web.put(adsTxt('led.example'), text('MANAGERDOMAIN=manager.example\n'))
  const properties = [property({ publisher_domain: 'led.example' })]
  web.put(wellKnown('manager.example'), { properties, authorized_agents: [grant({ url: BEFORE })] })
  await directory.add('led.example', 'manager.example')
  const { deps } = directory
  const refreshed = (turns: WriteTurns, domain: string) =>
    refreshPublisher(deps, { shared: new SharedDocuments(deps), turns }, domain, { maxAgeMs: 0 })
  let waits = 0
  class Interrupted extends WriteTurns {
    override async wait(): Promise<void> {
      waits += 1
      if (waits === 1) await refreshed(new WriteTurns(), 'manager.example')
      await super.wait()
    }
  }
  expect(await refreshed(new Interrupted(), 'led.example')).toMatchObject({ result: 'verified' })
  expect(waits).toBe(2)
  expect(await directory.rows(BEFORE)).toEqual({ 'led.example': 'adagents_authoritative manager.example 1/1 authorized' })
  await directory.close()
  await web.close()
})
