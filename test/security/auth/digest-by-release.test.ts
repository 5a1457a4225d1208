import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { type Credentials, callText, equip, post, signed } from '../../support/credentials.ts'
import { type FakeWeb, startFakeWeb } from '../../support/fake-web/fake-web.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

// Under 3.2 the digest of a body is always covered; what an operator chose holds for the releases before.
describe.each(['either', 'forbidden'] as const)('signing.contentDigest: %s', (contentDigest) => {
  let web: FakeWeb
  let agent: TestAgent
  let credentials: Credentials
  beforeAll(async () => {
    web = await startFakeWeb()
    agent = await startAgent({
      contracts: loadContracts(),
      sandbox: true,
      flags: { 'signing.contentDigest': contentDigest },
      safeFetch: web.fetch(),
    })
    credentials = await equip(agent, web)
  })
  afterAll(async () => {
    await agent.stop()
    await web.close()
  })

  async function call(release: string, coverDigest: boolean) {
    const body = callText('list_accounts', { adcp_version: release })
    const reply = await post(agent.url, body, await signed(agent.url, body, credentials.signer, { coverDigest }))
    return [reply.status, reply.headers['www-authenticate']]
  }

  it.each([
    ['3.0', contentDigest],
    ['3.1', contentDigest],
    ['3.2', 'required'],
  ])('capabilities of %s declare %s', async (release, declared) => {
    const answer = await agent.client(credentials.key).call('get_adcp_capabilities', { adcp_version: release })
    expect(answer.data.request_signing).toMatchObject({ covers_content_digest: declared })
  })

  it('a signature without the digest is good for 3.0 and 3.1, and refused under 3.2', async () => {
    expect(await call('3.0', false)).toEqual([200, undefined])
    expect(await call('3.1', false)).toEqual([200, undefined])
    expect(await call('3.2', false)).toEqual([401, 'Signature error="request_signature_components_incomplete"'])
  })

  it('a signature with the digest is good for 3.2, and for others where it may be covered', async () => {
    expect(await call('3.2', true)).toEqual([200, undefined])
    const others =
      contentDigest === 'either' ? [200, undefined] : [401, 'Signature error="request_signature_components_unexpected"']
    expect(await call('3.0', true)).toEqual(others)
    expect(await call('3.1', true)).toEqual(others)
  })
})
