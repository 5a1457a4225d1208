import { expect, it } from 'vitest'
import { openDirectory } from '../../support/directory.ts'
import { startFakeWeb, wellKnown } from '../../support/fake-web/fake-web.ts'
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
