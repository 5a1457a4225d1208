import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { actsCommand } from '../../src/cli/act-command.ts'
import { tenantActs } from '../../src/operator/tenants/acts.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent({ contracts: loadContracts() })
})
afterAll(() => agent.stop())

/** Runs `tenants set --releases` in this process and gives the setting that it printed. */
async function offer(releases: string): Promise<unknown> {
  const print = vi.spyOn(console, 'log').mockImplementation(() => {})
  try {
    const words = ['set', agent.tenant, '--releases', releases, '--data', agent.config.data, '--json']
    await actsCommand('tenants', tenantActs).parseAsync(words, { from: 'user' })
    return JSON.parse(String(print.mock.lastCall?.[0])).settings.releases
  } finally {
    print.mockRestore()
  }
}
const served = async () => (await agent.buyer.call('get_adcp_capabilities')).data.adcp.supported_versions

it('a publisher offers the releases that its operator chooses, and all of them again', async () => {
  const all = await served()
  expect(await offer('3.0')).toEqual(['3.0'])
  expect(await served()).toEqual(['3.0'])
  expect(await offer('')).toBe('all')
  expect(await offer('3.0')).toEqual(['3.0'])
  expect(await offer('all')).toBe('all')
  expect(await served()).toEqual(all)
})

it.each(['2.5', '3.0,next', '3.0,'])('"%s" is refused', async (releases) => {
  await expect(offer(releases)).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'releases' })
})
