import { afterAll, beforeAll, expect, it } from 'vitest'
import { BODY_ROOM } from '../../src/platform/net/body-room.ts'
import { listPeople } from '../../src/store/people/people.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'
import { answerToUnfinished } from '../support/unfinished.ts'

const BOUNDARY = 'a-boundary-of-a-form'
const BYTES = 15_900_000

let agent: TestAgent
let ada: ConsoleClient
let base: string
beforeAll(async () => {
  agent = await startAgent()
  ada = await signedIn(agent, 'ada', 'administrator')
  base = `/console/t/${agent.tenant}`
})
afterAll(() => agent?.stop())

function begun(path: string, token: string, length: number, waitMs?: number): Promise<string> {
  const part = (name: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`
  const body = `${part('csrf')}${token}\r\n${part('text')}${'x'.repeat(length)}`
  const headers = {
    Origin: ada.origin,
    Host: new URL(ada.origin).host,
    Cookie: ada.cookie ?? '',
    'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
    'Content-Length': BYTES,
  }
  return answerToUnfinished(ada.origin, path, headers, body, waitMs)
}

it('a form with a file whose token is wrong is refused when its first part is there', async () => {
  const answer = await begun(`${base}/products/import`, 'x'.repeat(43), 4_096)
  expect(answer).toMatch(/^HTTP\/1\.1 403 /)
  expect(answer).toMatch(/^Connection: close$/m)
  expect(await begun(`${base}/products/import`, 'x'.repeat(10_000), 0)).toMatch(/^HTTP\/1\.1 403 /)
  // The right one is read on.
  expect(await begun(`${base}/products/import`, ada.csrf, 4_096, 1_000)).toBe('nothing')
})

it('a form that has no file is not read beyond 64 KiB, whatever it says it is', async () => {
  const answer = await begun('/console/account/password', ada.csrf, 10)
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
})

it('a person has a share of the room for bodies, and gets it back', async () => {
  const [person] = (await listPeople(agent.server.store.read)).filter(({ username }) => username === 'ada')
  const place = BODY_ROOM.place({ kind: 'person', id: person?.personId ?? '' })
  expect(place.grow(32 * 1024 * 1024 - 1024)).toBeUndefined()
  const answer = await begun(`${base}/products/import`, ada.csrf, 40_000)
  expect(answer).toMatch(/^HTTP\/1\.1 503 /)
  expect(answer).toMatch(/^Retry-After: \d+$/m)
  const eve = await signedIn(agent, 'eve', 'administrator')
  expect((await eve.upload(`${base}/creatives/files`, VIDEO)).status).toBe(200)
  place.leave()
  // Whole forms of the largest size pass, one after the other.
  for (let n = 0; n < 4; n++) expect((await ada.upload(`${base}/creatives/files`, VIDEO)).status).toBe(200)
})

/** A video of 15 MB, as far as its first bytes say. */
const VIDEO = {
  name: 'spot.mp4',
  type: 'video/mp4',
  text: new Uint8Array(
    Buffer.concat([Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex'), Buffer.alloc(15_000_000)]),
  ),
}
